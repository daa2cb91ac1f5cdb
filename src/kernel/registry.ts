// The processes that a caller may see: root all, others their own and their agents'. The list of another account is refused; a process of another
// account reads as absent.

import { SysError } from "../abi/errno.ts";
import { type Caller, isRoot } from "../abi/identity.ts";
import { shortId } from "../abi/ids.ts";
import { usdOf } from "../abi/process/money.ts";
import { type ProcessInfo, type WaitsFor, WORKING_STATES } from "../abi/process/process.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { Projection } from "../store/process/verbs.ts";
import { noSuchProcess } from "../syscalls/parse.ts";
import type { Registry } from "../syscalls/services.ts";
import { nextPlace, placeOf } from "./pages.ts";

export interface RegistryOptions {
  readonly kernel: KernelStore;
  /** No kernel runs: busy processes are interrupted. */
  readonly atRest: boolean;
  /** The current state of a row that may be behind. */
  readonly fresh?: (pid: string) => Promise<Projection | null>;
  /** A pause that cannot be stored, because the disk is full. */
  readonly inMemoryPause?: (pid: string) => WaitsFor | null;
  /** Called if a listing showed an interrupted process. */
  readonly onInterrupted?: () => void;
}

export function registryService(options: RegistryOptions): Registry {
  const { kernel } = options;

  // Names are looked up once per list; a row is awaited only if its copy may be behind. One loop without calls: a function per row would be
  // compiled for a list of a thousand, which takes longer than the list.
  async function infosOf(rows: readonly ProcessRow[]): Promise<ProcessInfo[]> {
    const names = new Map<number, string>();
    const learn = async (uid: number) => names.set(uid, (await kernel.accounts.byUid(uid))?.username ?? String(uid));
    const infos: ProcessInfo[] = [];
    const replies = rows.some(({ state }) => state === "waiting_tool") ? await repliesAwaited(kernel) : null;
    for (const row of rows) {
      if (!names.has(row.ownerUid)) await learn(row.ownerUid);
      if (!names.has(row.uid)) await learn(row.uid);
      const fresh = row.dirty && options.fresh !== undefined ? await options.fresh(row.pid) : null;
      const projection: Projection = fresh ?? row;
      const paused = options.inMemoryPause === undefined ? null : options.inMemoryPause(row.pid);
      const interrupted = options.atRest && WORKING_STATES.includes(projection.state);
      if (interrupted) options.onInterrupted?.();
      infos.push({
        pid: row.pid,
        label: row.label,
        owner: names.get(row.ownerUid) ?? "",
        uid: row.ownerUid,
        runAs: names.get(row.uid) ?? "",
        profile: row.profile,
        parentPid: row.parentPid,
        state: paused === null ? projection.state : "paused",
        cwd: row.cwd,
        workspaceId: row.workspaceId,
        queued: projection.queued,
        activeRunId: projection.activeRunId,
        createdAt: row.createdAt,
        lastActiveAt: projection.lastActiveAt,
        waitsFor: paused ?? projection.waitsFor ?? replies?.get(row.pid) ?? null,
        lastStatus: projection.lastStatus,
        mode: row.mode,
        ...(row.restart !== null && { restart: row.restart }),
        costUsd: row.costMicros === 0 ? 0 : usdOf(row.costMicros),
        tokens: row.tokens,
        ...(interrupted && { interrupted }),
      });
    }
    return infos;
  }

  return {
    async list(caller, { uid, limit, after }) {
      if (uid !== undefined && uid !== caller.ownerUid && !isRoot(caller)) {
        throw new SysError("EPERM", `only root may list the processes of uid ${uid}`, [
          "to list your processes: gsv proc list",
        ]);
      }
      const ownerUid = uid ?? (isRoot(caller) ? undefined : caller.ownerUid);
      // One more than shown, to know if there is a next page.
      const rows = await kernel.processes.list({
        limit: limit + 1,
        ...(ownerUid === undefined ? {} : { ownerUid }),
        ...placeOf(after),
      });
      const processes = await infosOf(rows.length > limit ? rows.slice(0, limit) : rows);
      const last = processes.at(-1);
      return { processes, next: nextPlace(last && { createdAt: last.createdAt, id: last.pid }, rows.length > limit) };
    },
    async get(caller, pid) {
      const [info] = await infosOf([await visibleProcess(kernel, caller, pid)]);
      if (info === undefined) throw noSuchProcess(pid);
      return info;
    },
  };
}

async function repliesAwaited({ ipc }: Pick<KernelStore, "ipc">): Promise<ReadonlyMap<string, WaitsFor>> {
  return new Map(
    (await ipc.waiting()).map(({ sourcePid, targetPid: target, deadlineAt: until }) => [
      sourcePid,
      { kind: "call", reason: `reply of ${target}`, target, until },
    ]),
  );
}

/** The row of a process the caller may see; anything else reads like an absent one. */
export async function visibleProcess(
  kernel: Pick<KernelStore, "processes" | "archives" | "requests">,
  caller: Caller,
  pid: string,
): Promise<ProcessRow> {
  const row = await kernel.processes.get(pid);
  if (row !== null && row.phase !== "killing" && (row.ownerUid === caller.ownerUid || isRoot(caller))) return row;
  const killed = row === null ? await killOf(kernel, caller, pid) : null;
  throw killed === null ? noSuchProcess(pid) : new SysError("ESRCH", killed.text, killed.hints);
}

/** The end of a process that is gone; null if unknown. Kills of processes without history are remembered for a day. */
export async function killOf(
  { archives, requests }: Pick<KernelStore, "archives" | "requests">,
  caller: Caller,
  pid: string,
): Promise<{ readonly text: string; readonly hints: readonly string[] } | null> {
  const owned = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
  const [archive] = await archives.list({ ...owned, pid, limit: 1 });
  const asked = archive?.reason === "kill" ? null : await requests.latest(pid, owned.ownerUid);
  const at = archive?.reason === "kill" ? archive.createdAt : asked?.at;
  if (at === undefined) return null;
  const text = `${pid} was killed at ${new Date(at).toISOString()}`;
  const { damagedIn } = (asked?.answer ?? {}) as { readonly damagedIn?: string };
  if (damagedIn !== undefined)
    return { text, hints: [`nothing was archived: its damaged database is in ${damagedIn}`] };
  if (archive === undefined) return { text, hints: ["nothing was archived: it had no history"] };
  return { text, hints: [`its history: /${archive.key}`, `gsv archive show ${shortId(archive.id)}`] };
}
