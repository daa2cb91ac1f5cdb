// Forks a process: a new process with a copy of the history, same message numbers, segments and media. It starts like any other process, with the
// rights of the caller, minus the dropped rights of the source.

import { LIMITS } from "../../abi/config/limits.ts";
import { SysError } from "../../abi/errno.ts";
import { initPid } from "../../abi/ids.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { CallContext } from "../../syscalls/define.ts";
import type { Forked } from "../../syscalls/proc/history-service.ts";
import { refuseDamaged } from "../faults/damaged.ts";
import { type SpawnPorts, spawn } from "../life/spawn.ts";
import { keepModel, modelSetFor } from "../run/model-choice.ts";
import type { ForkStep } from "./copy-history.ts";
import { legalEnd } from "./history-end.ts";

export interface ForkRequest {
  readonly pid: string;
  readonly through?: number;
  readonly label?: string;
}

const PAGE = { limit: LIMITS.historyPageMax, bytesMax: LIMITS.answerBytesMax };

export async function fork(ports: SpawnPorts, context: CallContext, request: ForkRequest): Promise<Forked> {
  const { kernel, store, ledger } = ports;
  const { caller } = context;
  const source = await visibleProcess(kernel, caller, request.pid);
  await ledger.open(source);
  refuseDamaged(source.pid, await store.head(source.pid), "be forked");
  const step = await endOf(store, source.pid, request.through);
  const runAs = await kernel.accounts.byUid(source.uid);
  const { count } = await store.history(source.pid, { limit: 1, beforeSeq: step.through + 1 });
  const [first] = (await store.history(source.pid, { limit: 1, afterSeq: 0 })).messages;
  // Fork even if the working directory is gone.
  const cwd = await ports.directoryAt(caller, source.cwd).catch(() => null);
  const spawned = await spawn(
    ports,
    context,
    {
      profile: source.profile === "init" ? "task" : source.profile,
      label: request.label ?? labelOf(source),
      ...(cwd === null ? {} : { cwd }),
      workspace: source.workspaceId ?? "none",
      ...(runAs === null ? {} : { as: runAs.username }),
      // A process gives at most its own mode.
      ...(caller.kind === "person" ? { mode: source.mode } : {}),
      ...(source.dropped.length === 0 ? {} : { drop: source.dropped.join(",") }),
      // A copy keeps the owner of the source.
      ...(source.ownerUid === caller.ownerUid ? {} : { parent: initPid(source.ownerUid) }),
    },
    { body: { fork: request }, step, endNotice: source.endNotice },
  );
  const model = caller.kind === "process" ? null : await modelSetFor(kernel, source.pid);
  if (model !== null) await keepModel(kernel, spawned.pid, model, { uid: caller.uid, now: ports.clock.now() });
  const messages = Math.min(count, step.through - (first?.id ?? 1) + 1);
  return { ...spawned, from: source.pid, through: step.through, messages };
}

function labelOf({ pid, label, profile }: ProcessRow): string {
  return (label === null || profile === "init" ? `fork of ${pid}` : `${label} (fork)`)
    .slice(0, LIMITS.labelCharsMax)
    .toWellFormed();
}

async function endOf(store: ProcessStore, from: string, through: number | undefined): Promise<ForkStep> {
  const beforeSeq = (through ?? Number.MAX_SAFE_INTEGER - 1) + 1;
  const before = await store.history(from, { ...PAGE, beforeSeq });
  const last = before.messages.at(-1)?.id;
  if (last === undefined || (through !== undefined && last !== through)) throw noSuchMessage(from, through);
  const after = await store.history(from, { ...PAGE, afterSeq: last });
  const end = legalEnd([...before.messages, ...after.messages], last);
  if (end === null)
    throw new SysError("EAGAIN", `cannot fork ${from}: its first answer is not finished`, ["try again later"]);
  return { from, through: end };
}

function noSuchMessage(pid: string, through: number | undefined): SysError {
  if (through === undefined) return new SysError("ENOENT", `cannot fork ${pid}: it has no messages`);
  return new SysError("ENOENT", `no message ${through} in ${pid}`, [
    `to list message numbers: gsv proc history --pid ${pid} --json`,
  ]);
}
