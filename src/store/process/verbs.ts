// The interface of a process's store. A verb is one whole transaction on one process with its guard inside: what the owner of a run
// writes carries the epoch it was given, what comes from outside carries a request key. Expected refusals are values; the one
// exception is StoreUnavailable, "nobody knows, ask again with the same key". Nothing of SQL is visible from here up.

import type { MediaRef, Message, Seal, ToolOutcome } from "../../abi/process/message.ts";
import type {
  Approval,
  Restarts,
  Retrying,
  RunEnd,
  RunStatus,
  Spent,
  State,
  UsageRow,
  WaitsFor,
} from "../../abi/process/process.ts";
import type { Admission, Admitted } from "./admission.ts";
import type { AskRequest, GivenAnswer } from "./asked.ts";
import type { ChangeVerbs } from "./files/changes.ts";
import type { KnownVerbs } from "./files/known.ts";
import type { RewindVerbs } from "./history/rewinds.ts";
import type { SegmentVerbs } from "./history/segment-verbs.ts";
import type { HoldVerbs } from "./holding.ts";
import type { NestVerbs } from "./nested.ts";
import type { HistoryRange, HistorySlice, TextPiece } from "./reading.ts";
import type { Sweep } from "./sweep.ts";
import type { TimingVerbs } from "./timing.ts";
import type { ToldVerbs } from "./told.ts";

export type { Admission, Admitted } from "./admission.ts";
export type { Compaction, ContextShape, Graft, Undone } from "./history/segment-verbs.ts";
export type { HistoryRange, HistorySlice, TextPiece } from "./reading.ts";

/** fenced: another owner has taken over, stop at once. conflict: the key was used for something else. */
export type Refusal = "fenced" | "conflict" | "no-process" | "full";

export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly replay: boolean }
  | { readonly ok: false; readonly why: Refusal };

/** What kernel.db shows of a process; the latest one wins. */
export interface Projection {
  readonly state: State;
  readonly activeRunId: string | null;
  readonly queued: number;
  readonly lastActiveAt: number | null;
  readonly waitsFor: WaitsFor | null;
  /** How the last run ended. */
  readonly lastStatus: RunStatus | null;
}

/** A `wait` on the process would return now: what its parent is told, once. */
export interface EndedNotice {
  readonly runId: string | null;
  readonly text: string;
}

export interface OutboxRow {
  readonly seq: number;
  readonly projection: Projection;
  readonly approvals: readonly Approval[];
  readonly ended: EndedNotice | null;
  /** What is to be charged; none in what an older gsv wrote. */
  readonly usage?: readonly UsageRow[];
}

export interface RunInFlight {
  readonly runId: string;
  readonly turn: number;
  readonly generation: number;
  readonly model: string | null;
}

export interface Claimed extends RunInFlight {
  readonly epoch: number;
  readonly resumed: boolean;
  /** Where it stood, for a run that is taken up in the middle of that. */
  readonly retrying: Retrying | null;
  /** Messages that entered history by this claim. */
  readonly entered: readonly Message[];
}

export type CallStatus = "registered" | "asking" | "approved" | "dispatched" | ToolOutcome;

export interface CallRow {
  readonly dispatchId: string;
  readonly callId: string;
  readonly tool: string;
  readonly call: string | null; // the syscall behind the tool; null for a tool nobody knows
  readonly args: { readonly [key: string]: unknown };
  readonly repeat: "read" | "effect" | "resume";
  readonly status: CallStatus;
  readonly block?: string; // the call whose block of code makes it
}

export interface TurnCommit extends Spent {
  readonly runId: string;
  readonly text: string;
  readonly thinking: string | null;
  readonly seal?: Seal;
  readonly calls: readonly Omit<CallRow, "status">[];
  /** Set when the turn asks for no tools: the run ends with it. */
  readonly finish: Finish | null;
}

export interface Finish {
  readonly status: RunStatus;
  readonly reason: string;
  readonly error: string | null;
}

export interface TurnCommitted {
  readonly seq: number;
  readonly turn: number;
  readonly ends: readonly RunEnd[];
}

export interface Boundary {
  readonly entered: readonly Message[];
  /** A person stopped the process or it asked for its own reset: leave the loop. */
  readonly leave: boolean;
}

export interface Closing {
  readonly reason: "reset" | "kill";
  readonly archive: boolean;
  readonly archiveId: string;
  readonly requestKey: string;
  /** Media that belong to what comes after. */
  readonly media?: readonly string[];
  /** The archive whose messages the next history begins with. */
  readonly restore?: string;
  /** Messages up to this number, and queue rows up to this generation, belong to what is closed. */
  readonly cutSeq: number;
  readonly generation: number;
  readonly startedAt: number;
}

export interface Cut {
  readonly closing: Closing;
  readonly ends: readonly RunEnd[];
  readonly withdrawn: readonly Approval[];
}

export interface Head {
  readonly epoch: number;
  readonly nextSeq: number;
  readonly generation: number;
  readonly state: State;
  readonly stopped: boolean;
  /** Why the kernel stopped it; null where a person did. */
  readonly stoppedWhy: string | null;
  readonly restarts: Restarts | null;
  readonly paused: WaitsFor | null;
  /** How often the turn in flight was asked for in vain. */
  readonly retrying: Retrying | null;
  readonly currentRun: string | null;
  /** The model that was asked for with the run in flight. */
  readonly currentModel: string | null;
  readonly lastRun: string | null;
  readonly closing: Closing | null;
  readonly queued: number;
}

export interface ArchiveRecord {
  readonly [field: string]: unknown;
}

export interface LoggedCall {
  readonly at: number;
  readonly call: string;
  readonly args: string;
  readonly outcome: string;
  readonly ms: number;
}

export interface CallEnd {
  readonly outcome: ToolOutcome;
  readonly output: string;
  /** What came of it besides words. */
  readonly media?: readonly MediaRef[];
  readonly now: number;
}

export interface ProcessStore
  extends ToldVerbs,
    ChangeVerbs,
    SegmentVerbs,
    RewindVerbs,
    NestVerbs,
    HoldVerbs,
    KnownVerbs,
    TimingVerbs {
  /** Makes the database; doing it again changes nothing. */
  create(
    pid: string,
    about: {
      readonly profile: string;
      readonly identity: object;
      readonly now: number;
      /** In the place of one that was set aside: in state error until it is reset. */
      readonly damaged?: boolean;
    },
  ): Promise<void>;
  /** Takes the process over for this start of the kernel. A run in which too many kernels died (`crashed`) ends here. */
  adopt(
    pid: string,
    options: { readonly now: number; readonly crashed?: boolean },
  ): Promise<{ readonly head: Head; readonly ends: readonly RunEnd[] }>;

  admit(pid: string, message: Admission): Promise<Outcome<Admitted>>;
  /** Takes up the run in flight, or begins the next; null when there is nothing to do or something holds the process. */
  claim(pid: string, options: { readonly now: number }): Promise<Claimed | null>;
  commitTurn(pid: string, epoch: number, turn: TurnCommit): Promise<Outcome<TurnCommitted>>;
  /** Calls of the run that have no result yet, in source order. */
  openCalls(pid: string, runId: string): Promise<readonly CallRow[]>;
  /** The write-ahead of an effect: on disk before anything happens. */
  beginCall(pid: string, epoch: number, dispatchId: string): Promise<Outcome<null>>;
  endCall(pid: string, epoch: number, dispatchId: string, result: CallEnd): Promise<Outcome<{ readonly seq: number }>>;
  ask(pid: string, epoch: number, request: AskRequest): Promise<Outcome<Approval>>;
  /** Compare-and-set: an approval that is decided already comes back as it was decided. Null: there is none. */
  answer(pid: string, answer: GivenAnswer): Promise<Outcome<Approval | null>>;
  /**
   * A safe point: the run leaves if somebody wants it to. Between two turns (`enter`) waiting messages enter history too; between
   * a call and its result they must not.
   */
  boundary(
    pid: string,
    epoch: number,
    options: { readonly runId: string; readonly enter: boolean; readonly now: number },
  ): Promise<Outcome<Boundary>>;
  finish(
    pid: string,
    epoch: number,
    run: Finish & { readonly runId: string; readonly note: string | null; readonly now: number },
  ): Promise<Outcome<readonly RunEnd[]>>;
  /** What becomes of a turn that nobody answered: with `held` the process is put aside until what it waits for comes. */
  retry(
    pid: string,
    epoch: number,
    options: { readonly runId: string; readonly retrying: Retrying; readonly held: boolean; readonly now: number },
  ): Promise<Outcome<null>>;
  /** What an answer used of which nothing was kept: cut, failed, or no part of the conversation. */
  waste(pid: string, spent: Spent & { readonly runId: string }): Promise<void>;
  /** How often a run has made the same call, this one included, since it last did something new. */
  repeats(pid: string, dispatchId: string): Promise<number>;

  /**
   * Ends the run in flight; its open calls get their result. With a run id, only if that run is the one; that of a message which
   * still waits takes the message back, and nothing else ends.
   */
  abort(
    pid: string,
    options: {
      readonly runId: string | null;
      readonly reason: string;
      readonly requestKey: string;
      readonly now: number;
    },
  ): Promise<Outcome<Aborting>>;
  /** First half of reset and kill: fences the run, closes what is open, and draws the line. */
  cut(
    pid: string,
    closing: Omit<Closing, "cutSeq" | "generation" | "startedAt"> & { readonly now: number },
  ): Promise<Outcome<Cut>>;
  /** Pages of what is being closed, for the archive: messages first, then undelivered queue rows. A page ends early when it is heavy. */
  closingRecords(
    pid: string,
    after: string | null,
    limit: number,
  ): Promise<{
    readonly records: readonly ArchiveRecord[];
    readonly messages: number;
    readonly undelivered: number;
    readonly next: string | null;
  }>;
  /** Second half: what was archived goes, later messages begin to move. */
  seal(pid: string, options: { readonly answer: object; readonly now: number }): Promise<void>;
  /** What an outside caller was answered under this key, if it was. */
  answered(pid: string, requestKey: string): Promise<object | null>;

  head(pid: string): Promise<Head>;
  projection(pid: string): Promise<Projection>;
  history(pid: string, query: HistoryRange): Promise<HistorySlice>;
  /** Null when there is no such message; `next` is where it goes on. */
  messageText(pid: string, piece: TextPiece): Promise<{ readonly text: string; readonly next: number | null } | null>;
  runEnd(pid: string, runId: string): Promise<RunEnd | "open" | null>;
  openApproval(pid: string): Promise<Approval | null>;
  /** What a person was shown of a call before approving it; null where nobody has. */
  approvedAs(pid: string, dispatchId: string): Promise<Approval | null>;
  trace(
    pid: string,
    query: { readonly after?: number; readonly limit: number },
  ): Promise<readonly (LoggedCall & { readonly id: number })[]>;
  logCall(pid: string, row: LoggedCall): Promise<void>;
  outbox(pid: string): Promise<readonly OutboxRow[]>;
  clearOutbox(pid: string, throughSeq: number): Promise<void>;

  /** Processes whose databases are open now. */
  opened(): Promise<readonly string[]>;
  /** Takes away what need not be kept; returns how many rows went. */
  sweep(pid: string, old: Sweep): Promise<number>;

  exists(pid: string): Promise<boolean>;
  /** Whole, as far as SQLite can tell. */
  check(pid: string): Promise<string | null>;
  /** Moves a damaged database aside with everything that belongs to it; returns where it went. */
  quarantine(pid: string, now: number): Promise<string>;
  remove(pid: string): Promise<void>;
  close(): Promise<void>;
}

export interface Aborting {
  readonly aborted: boolean;
  readonly runId: string | null;
  /** It was a message that no run had taken up. */
  readonly isWaiting?: true;
  readonly interruptedToolCalls: number;
  readonly ends: readonly RunEnd[];
  readonly withdrawn: readonly Approval[];
  readonly nextRunId: string | null;
}
