// A run in progress: its process, the claim, and the two signals that end it.

import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { Claimed } from "../../store/process/verbs.ts";

export interface CurrentRun {
  readonly row: ProcessRow;
  readonly run: Claimed;
  /** Aborted when the run must end at once. */
  readonly signal: AbortSignal;
  /** Aborted when the run must stop at its next safe point. */
  readonly leaving: AbortSignal;
}

/** done: every call has its result. left: the run stopped, waits for approval, or another kernel owns it now. */
export type CallsOutcome = "done" | "left";
