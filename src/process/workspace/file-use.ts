// Readers and writers of files. Sources: the databases of processes, the rows of file writes in kernel.db, and commits, for changes by commands
// and by programs outside gsv.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { type Caller, isRoot } from "../../abi/identity.ts";
import type { Commit } from "../../abi/repo.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import { beginningOf } from "../../kernel/since.ts";
import { type Clock, TimeSlice } from "../../lib/clock.ts";
import { logOf } from "../../repos/browse.ts";
import { pidsInTrailers } from "../../repos/file-steps.ts";
import type { FileWrite } from "../../store/kernel/file-writes.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { KnownFile } from "../../store/process/files/known.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { FileTarget } from "../../syscalls/fs/files-service.ts";
import type { FileUse, FileUseInfo, FileWriterInfo } from "../../syscalls/fs/fs-use.ts";
import type { ChangePlaces, PlacedPath } from "./change-places.ts";

export interface FileUsePorts {
  readonly kernel: KernelStore;
  readonly store: Pick<ProcessStore, "knownFiles">;
  readonly open: (row: ProcessRow) => Promise<void>;
  readonly places: Pick<ChangePlaces, "ofPath" | "ofHostPath">;
  readonly clock: Clock;
  readonly locate: (caller: Caller, target: FileTarget, path: string) => Promise<string>;
  /** Current version; null if the file is gone or hidden from the caller. */
  readonly versionOf: (caller: Caller, target: FileTarget, path: string) => Promise<string | null>;
}

/** Commits come after the write and have times in whole seconds. */
const COMMITTED_WITHIN_MS = 10_000;
const STALE_LOOKED_AT_MAX = 200;

export function fileUseService(ports: FileUsePorts): FileUse {
  return {
    async uses({ caller }, { path, pid, target, limit }) {
      const place = path === undefined ? undefined : { target, path: await ports.locate(caller, target, path) };
      const rows =
        pid === undefined ? await processesOf(ports, caller) : [await visibleProcess(ports.kernel, caller, pid)];
      const all: Omit<FileUseInfo, "isStale">[] = [];
      const slice = new TimeSlice();
      for (const row of rows) {
        await slice.step();
        // Killed meanwhile.
        if ((await ports.kernel.processes.get(row.pid)) === null) continue;
        all.push(...(await usesOf(ports, row, { ...(place && { place }), limit: limit + 1 })));
      }
      all.sort((left, right) => right.at - left.at);
      const shown = all.slice(0, limit);
      const looks = new Map<string, Promise<string | null>>();
      const uses = shown.map(async (use, index) => ({
        ...use,
        isStale: await staleness(ports, caller, use, { index, looks }),
      }));
      return { uses: await Promise.all(uses), more: all.length > limit };
    },

    async writers({ caller, client }, { path: said, target, since, limit }) {
      const { kernel, clock } = ports;
      const path = await ports.locate(caller, target, said);
      const asker = { uid: caller.ownerUid, client };
      const from = since === undefined ? 0 : await beginningOf(kernel.config, asker, since, clock.now());
      const isSeen = isRoot(caller) || (await isThere(ports, caller, { target, path }));
      const noted = await kernel.fileWrites.list({ place: { target, path }, since: from, limit: limit + 1 });
      // The permissions of a deleted file are unknown: then the caller sees only its own writes.
      const own = isSeen ? noted : await ownOf(kernel, caller, noted);
      const commits = isSeen ? await commitsOf(ports, caller, { target, path, from, limit: limit + 1 }) : [];
      const writers = await merged(ports, { target, path, writes: own, commits });
      return { writers: writers.slice(0, limit), more: writers.length > limit };
    },
  };
}

async function processesOf({ kernel }: FileUsePorts, caller: Caller): Promise<readonly ProcessRow[]> {
  const owner = isRoot(caller) ? {} : { ownerUid: caller.ownerUid };
  return await kernel.processes.list({ ...owner, limit: LIMITS.processesPerOwnerMax });
}

/** Skips processes without messages, so that their databases stay closed. */
async function knownTo(
  { store, open }: Pick<FileUsePorts, "store" | "open">,
  row: ProcessRow,
  query: Parameters<ProcessStore["knownFiles"]>[1],
): Promise<readonly KnownFile[]> {
  if (row.lastActiveAt === null && !row.dirty) return [];
  await open(row);
  return await store.knownFiles(row.pid, query);
}

async function usesOf(
  { kernel, store, open }: FileUsePorts,
  row: ProcessRow,
  query: { readonly place?: { readonly target: string; readonly path: string }; readonly limit: number },
): Promise<readonly Omit<FileUseInfo, "isStale">[]> {
  const { pid, label } = row;
  const uses = new Map<string, Omit<FileUseInfo, "isStale">>();
  const add = (use: Omit<FileUseInfo, "isStale" | "pid" | "label">) => {
    const key = `${use.target} ${use.path}`;
    if ((uses.get(key)?.at ?? -1) < use.at) uses.set(key, { pid, label, ...use });
  };
  for (const { runId: run, target, ...known } of await knownTo({ store, open }, row, query))
    add({ ...known, target: target as FileTarget, run });
  for (const { target, path, version, verb, at, runId: run } of await kernel.fileWrites.list({ ...query, pid }))
    add({ ...{ target: target as FileTarget, path, version, at, run }, how: verb === "remove" ? "removed" : "wrote" });
  return [...uses.values()];
}

/** Checks each file once, up to a limit. */
async function staleness(
  { versionOf }: FileUsePorts,
  caller: Caller,
  { target, path, version, how }: Omit<FileUseInfo, "isStale">,
  { index, looks }: { readonly index: number; readonly looks: Map<string, Promise<string | null>> },
): Promise<boolean | null> {
  if (index >= STALE_LOOKED_AT_MAX) return null;
  const key = `${target} ${path}`;
  const look = looks.get(key) ?? versionOf(caller, target, path).catch(() => null);
  looks.set(key, look);
  const now = await look;
  if (how === "removed") return now !== null;
  return now === null || version === null ? null : now !== version;
}

async function isThere(
  { versionOf }: FileUsePorts,
  caller: Caller,
  { target, path }: { readonly target: FileTarget; readonly path: string },
): Promise<boolean> {
  try {
    return (await versionOf(caller, target, path)) !== null;
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return false;
    throw error;
  }
}

async function ownOf(
  { people }: KernelStore,
  caller: Caller,
  writes: readonly FileWrite[],
): Promise<readonly FileWrite[]> {
  const own = (await people.list()).filter(({ uid, ownerUid }) => uid === caller.uid || ownerUid === caller.uid);
  const uids = new Set(own.map(({ uid }) => uid));
  return writes.filter(({ uid }) => uids.has(uid));
}

interface CommitQuery {
  readonly target: FileTarget;
  readonly path: string;
  readonly from: number;
  readonly limit: number;
}

async function commitsOf(
  ports: FileUsePorts,
  caller: Caller,
  { target, path, from, limit }: CommitQuery,
): Promise<readonly Commit[]> {
  try {
    const placed = await (target === "gsv" ? ports.places.ofPath(path) : placedOnHost(ports, caller, path));
    if (placed === null || placed.path === null) return [];
    const commits = await logOf(placed.place.repository, { ref: "HEAD", path: placed.path, limit, offset: 0 });
    return commits.filter(({ at }) => at >= from);
  } catch (error) {
    // Without git or a readable history, only the rows.
    if (error instanceof SysError) return [];
    throw error;
  }
}

async function placedOnHost(ports: FileUsePorts, caller: Caller, path: string): Promise<PlacedPath | null> {
  for (const row of await processesOf(ports, caller)) {
    const placed = await ports.places.ofHostPath(row, path);
    if (placed !== null) return placed;
  }
  return null;
}

async function merged(
  { kernel }: FileUsePorts,
  found: {
    readonly target: FileTarget;
    readonly path: string;
    readonly writes: readonly FileWrite[];
    readonly commits: readonly Commit[];
  },
): Promise<readonly FileWriterInfo[]> {
  const { target, path, commits } = found;
  const left = [...commits];
  const writers: FileWriterInfo[] = [];
  for (const write of found.writes) {
    const account = (await kernel.accounts.byUid(write.uid))?.username ?? String(write.uid);
    const at = left.findLastIndex((commit) => isOf(commit, write));
    const [commit] = at === -1 ? [] : left.splice(at, 1);
    writers.push(writerOf(write, { target, account, commit: commit?.id ?? null }));
  }
  const rest = left.map((commit) => committerOf(commit, { target, path }));
  return [...writers, ...rest].sort((one, other) => other.at - one.at);
}

/** Pids of the commit; none for a person's commit. */
function isOf({ at, message }: Commit, { at: writtenAt, pid }: FileWrite): boolean {
  const late = at - Math.floor(writtenAt / 1000) * 1000;
  if (late < 0 || late > COMMITTED_WITHIN_MS) return false;
  const pids = pidsInTrailers(message);
  return pid === null ? pids.length === 0 : pids.includes(pid);
}

function writerOf(
  { at, path, verb, pid, runId: run, callId: call, tool, movedFrom }: FileWrite,
  known: { readonly target: FileTarget; readonly account: string; readonly commit: string | null },
): FileWriterInfo {
  const what = ({ write: "wrote", remove: "removed", move: "moved here" } as const)[verb];
  return { at, path, what, pid, run, call, tool, movedFrom, ...known };
}

function committerOf(
  { id, at, author, message }: Commit,
  { target, path }: { readonly target: FileTarget; readonly path: string },
): FileWriterInfo {
  const [pid = null] = pidsInTrailers(message);
  // Changes that gsv found in a host directory have no known author.
  const account = target === "host" ? null : author;
  const rest = { run: null, call: null, tool: null, commit: id, movedFrom: null };
  return { at, target, path, what: "wrote", account, pid, ...rest };
}
