// A message on its way into a process, and what came of it. Types only.

import type { MediaRef, Origin } from "../../abi/process/message.ts";
import type { RunEnd } from "../../abi/process/process.ts";

export interface Admission {
  readonly kind: "user" | "event";
  /** An event without a run of its own enters with the next run. */
  readonly runId: string | null;
  readonly wakes: boolean;
  /** Supersedes the run in flight. */
  readonly urgent: boolean;
  readonly text: string;
  readonly media?: readonly MediaRef[];
  readonly origin: Origin;
  /** The model the sender asked for; it stays with the run across kernels. */
  readonly model?: string | null;
  /** A later event of the same source takes the place of an earlier one that still waits. */
  readonly source: string | null;
  readonly requestKey: string;
  readonly now: number;
  /** The history is to begin anew with this message, if it has come to rest. */
  readonly renew?: Renewal | undefined;
}

/** A reset that a message brings about, in the transaction that admits it. */
export interface Renewal {
  /** When the last word was said before this instant. */
  readonly before: number;
  readonly archiveId: string;
  readonly requestKey: string;
}

export interface Admitted {
  readonly runId: string | null;
  readonly queued: boolean;
  /** Runs that ended because this one superseded them. */
  readonly ends: readonly RunEnd[];
  /** What was there before is put away now. */
  readonly renewed?: true;
}
