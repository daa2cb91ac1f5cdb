// `proc.wait`: returns when a process has nothing left that ends by itself. Time and other processes are waited for. What only a person, a
// credential, a raised limit or free disk space can end is reported as held, unless the caller wants to wait for that too.

import { ENDED_BY, SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { exitOf, exitOfHold, type RunEnd, type State, type WaitsFor } from "../../abi/process/process.ts";
import { killOf, visibleProcess } from "../../kernel/registry.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { WaitResult } from "../../syscalls/services.ts";
import type { Ledger } from "./ledger.ts";

export interface WaitingPorts {
  readonly kernel: KernelStore;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
}

interface WaitFor {
  readonly pid: string;
  readonly run: string | null;
  readonly wait: boolean;
}

/** The process to wait for; the result if it was killed before. */
export async function beginWait(
  { kernel }: WaitingPorts,
  caller: Caller,
  pid: string,
): Promise<ProcessRow | WaitResult> {
  const killed = (await kernel.processes.get(pid)) === null ? await killOf(kernel, caller, pid) : null;
  if (killed === null) return await visibleProcess(kernel, caller, pid);
  return { ...NOTHING, pid, status: "killed", exit: ENDED_BY.KILL, error: [killed.text, ...killed.hints].join("; ") };
}

export async function waitFor(
  ports: WaitingPorts,
  row: ProcessRow,
  wished: Omit<WaitFor, "pid">,
  signal: AbortSignal,
): Promise<WaitResult> {
  const wish: WaitFor = { ...wished, pid: row.pid };
  await ports.ledger.open(row);
  for (;;) {
    // Watch before looking, so that a change in between is not missed.
    const changed = nextChange(ports.ledger, wish.pid, signal);
    try {
      const result = await look(ports, wish);
      if (result !== null) return result;
      await changed.happened;
    } finally {
      changed.stop();
    }
    if (signal.aborted) throw new SysError("ECANCELED", "the wait was cancelled");
  }
}

function nextChange(
  ledger: Ledger,
  pid: string,
  signal: AbortSignal,
): { readonly happened: Promise<void>; readonly stop: () => void } {
  let stop = () => {};
  const happened = new Promise<void>((resolve) => {
    const unwatch = ledger.watch((changed) => {
      if (changed === pid) stop();
    });
    stop = () => {
      unwatch();
      signal.removeEventListener("abort", stop);
      resolve();
    };
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
  });
  return { happened, stop: () => stop() };
}

async function look({ kernel: { processes }, store, ledger }: WaitingPorts, wish: WaitFor): Promise<WaitResult | null> {
  const { pid } = wish;
  const row = await processes.get(pid);
  if (row === null || row.phase === "killing")
    return { ...NOTHING, pid, runId: wish.run, status: "killed", exit: ENDED_BY.KILL };
  const paused = ledger.inMemoryPause(pid);
  const { state, waitsFor } =
    paused === null ? await store.projection(pid) : { state: "paused" as const, waitsFor: paused };
  if (wish.run !== null) {
    const end = await store.runEnd(pid, wish.run);
    if (end === null) throw new SysError("ESRCH", `no such run of ${pid}: ${wish.run}`);
    if (end !== "open") return ended(pid, end);
  } else if (state === "idle" || state === "error") {
    return await lastRun(store, pid, state);
  }
  if (wish.wait || !isPaused(state, waitsFor, wish)) return null;
  return { ...NOTHING, pid, runId: wish.run, status: "held", exit: exitOfHold(waitsFor), waitsFor };
}

// A wait for a process goes on during a stop or until an instant; a wait for a run reports both as held. A running process is never held.
function isPaused(state: State, waitsFor: WaitsFor | null, wish: WaitFor): waitsFor is WaitsFor {
  if (waitsFor === null || state === "running") return false;
  const passes =
    waitsFor.kind === "outage" ||
    waitsFor.kind === "restart" ||
    (waitsFor.kind === "limit" && waitsFor.until !== undefined);
  return state === "stopped" || passes ? wish.run !== null : true;
}

async function lastRun(store: ProcessStore, pid: string, state: State): Promise<WaitResult> {
  const { lastRun: runId } = await store.head(pid);
  const end = runId === null ? null : await store.runEnd(pid, runId);
  if (state === "error") return { ...NOTHING, pid, status: "error", exit: 1, error: "its database is damaged" };
  return end === null || end === "open" ? { ...NOTHING, pid } : ended(pid, end);
}

function ended(pid: string, end: RunEnd): WaitResult {
  const { runId, status, text, error, usage } = end;
  return { ...NOTHING, pid, runId, status, exit: exitOf(end), text, error, usage };
}

const NOTHING: Omit<WaitResult, "pid"> = {
  runId: null,
  status: "none",
  exit: 0,
  text: null,
  inPart: false,
  error: null,
  waitsFor: null,
  usage: null,
};
