// The interface of the process store. A verb is one transaction on one process with its guard inside: the owner of a run passes
// its epoch, outside callers pass a request key. Expected refusals are values; StoreUnavailable is thrown if the outcome is unknown:
// retry with the same key. No SQL above this line.

import type { RunEnd } from "../../abi/process/process.ts";
import type { ApprovalVerbs } from "./approvals.ts";
import type { CauseVerbs } from "./cause.ts";
import type { ClosingVerbs } from "./closing.ts";
import type { ChangeVerbs } from "./files/changes.ts";
import type { KnownVerbs } from "./files/known.ts";
import type { Head, StopVerbs } from "./head.ts";
import type { HistoryVerbs } from "./history/history.ts";
import type { RewindVerbs } from "./history/rewinds.ts";
import type { SegmentVerbs } from "./history/segments.ts";
import type { InboxVerbs } from "./inbox.ts";
import type { NestVerbs } from "./nested.ts";
import type { OutboxVerbs, Projection } from "./outbox.ts";
import type { PromptVerbs } from "./prompts.ts";
import type { Sweep } from "./sweep.ts";
import type { TimingVerbs } from "./timing.ts";
import type { TurnVerbs } from "./turns.ts";

export type { Aborting, Cut } from "./closing.ts";
export type { Closing, Head } from "./head.ts";
export type { HistoryRange, HistorySlice, LoggedCall, TextPiece } from "./history/history.ts";
export type { Compaction, ContextShape, Graft, Undone } from "./history/segments.ts";
export type { Admission, Admitted, Boundary, Claimed, RunInFlight } from "./inbox.ts";
export type { EndedNotice, OutboxRow, Projection } from "./outbox.ts";
export type { Outcome, Refusal } from "./outcome.ts";
export type { ArchiveRecord, CallRow, CallStatus } from "./rows.ts";
export type { CallEnd, Finish, TurnCommit, TurnCommitted } from "./turns.ts";

export interface ProcessStore
  extends InboxVerbs,
    TurnVerbs,
    NestVerbs,
    ApprovalVerbs,
    StopVerbs,
    ClosingVerbs,
    HistoryVerbs,
    SegmentVerbs,
    RewindVerbs,
    PromptVerbs,
    ChangeVerbs,
    KnownVerbs,
    TimingVerbs,
    CauseVerbs,
    OutboxVerbs {
  /** Idempotent. */
  create(
    pid: string,
    about: {
      readonly profile: string;
      readonly identity: object;
      readonly now: number;
      /** Replaces a quarantined database, the files of which are in this directory: state error until a reset. */
      readonly damagedIn?: string;
    },
  ): Promise<void>;
  /** Takes the process over for this kernel. Ends a run in which too many kernels died (`crashed`). */
  adopt(
    pid: string,
    options: { readonly now: number; readonly crashed?: boolean },
  ): Promise<{ readonly head: Head; readonly ends: readonly RunEnd[] }>;
  head(pid: string): Promise<Head>;
  projection(pid: string): Promise<Projection>;
  /** Stored answer to an outside request, or null. */
  answered(pid: string, requestKey: string): Promise<object | null>;
  /** When the oldest message that waits for it came; null if none waits. */
  queuedSince(pid: string): Promise<number | null>;
  /** Processes with an open database. */
  opened(): Promise<readonly string[]>;
  /** Deletes old rows; returns their number. */
  sweep(pid: string, old: Sweep): Promise<number>;
  exists(pid: string): Promise<boolean>;
  /** What SQLite finds wrong, or null. */
  check(pid: string): Promise<string | null>;
  /** Moves a damaged database and its WAL away; returns the new path. */
  quarantine(pid: string, now: number): Promise<string>;
  remove(pid: string): Promise<void>;
  close(): Promise<void>;
}
