// Model and context use of each process, which the process list does not have. Each takes the kernel a moment, so few are fetched at a time, up
// to a limit.

import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { PolicyView } from "../../src/syscalls/proc/history-service.ts";

export interface ProcessLook {
  readonly model: string | null;
  readonly context: number | null;
}

const UNKNOWN: ProcessLook = { model: null, context: null };
const AT_A_TIME = 4;
const LOOKED_AT_MAX = 64;

export async function lookAt(sys: Sys, pid: string): Promise<ProcessLook> {
  const [policy, model] = await Promise.all([
    sys.call<Pick<PolicyView, "context">>("proc.history.policy", { pid }).catch(() => null),
    sys.call<{ readonly answers: string }>("proc.model", { pid }).catch(() => null),
  ]);
  const context = policy === null ? null : policy.context.tokens / Math.max(1, policy.context.windowTokens);
  return { model: model?.answers ?? null, context };
}

export async function lookAtAll(
  sys: Sys,
  processes: readonly ProcessInfo[],
): Promise<(process: ProcessInfo) => ProcessLook> {
  const when = ({ lastActiveAt, createdAt }: ProcessInfo) => lastActiveAt ?? createdAt;
  const chosen = processes.toSorted((left, right) => when(right) - when(left)).slice(0, LOOKED_AT_MAX);
  const looks = new Map<string, ProcessLook>();
  for (let at = 0; at < chosen.length; at += AT_A_TIME) {
    const some = chosen.slice(at, at + AT_A_TIME);
    await Promise.all(some.map(async ({ pid }) => looks.set(pid, await lookAt(sys, pid))));
  }
  return ({ pid }) => looks.get(pid) ?? UNKNOWN;
}
