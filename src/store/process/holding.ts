// The part of the process store's interface by which a process is held and let go: by a person, by the kernel, or because it broke. As in
// verbs.ts, a verb is one whole transaction.

import type { Restarts, WaitsFor } from "../../abi/process/process.ts";
import type { Head, Outcome } from "./verbs.ts";

export interface Hold {
  readonly stopped: boolean;
  readonly now: number;
  /** Where the kernel stops it: a person's stop is never taken for that. */
  readonly why?: string;
  /** Not at the next safe point: what is in flight is fenced, and its run stays. */
  readonly atOnce?: boolean;
}

export interface HoldVerbs {
  /** The database could not be used: until a reset the process does nothing. */
  fail(pid: string): Promise<void>;
  hold(pid: string, options: Hold): Promise<Outcome<Head>>;
  /** A run that ended by a fault is put aside until it is taken up again. */
  restart(
    pid: string,
    epoch: number,
    options: { readonly runId: string; readonly restarts: Restarts; readonly waitsFor: WaitsFor },
  ): Promise<Outcome<null>>;
  /** Null lets go; with a model, the run in flight is from then on for that one, and what others failed at is forgotten. */
  pause(
    pid: string,
    waitsFor: WaitsFor | null,
    options: { readonly now: number; readonly model?: string },
  ): Promise<Outcome<Head>>;
}
