// The part of the process store's interface that decides what a model is given of a history: compaction, its undo, its policy, and the copy
// of a history into another process. As in verbs.ts, a verb is one whole transaction.

import type { Message } from "../../../abi/process/message.ts";
import type { Usage } from "../../../abi/process/process.ts";
import type { CompactionCause, HistoryPolicy, Segment } from "../../../abi/process/segment.ts";
import type { Outcome } from "../verbs.ts";
import type { Rewind } from "./rewinds.ts";

export interface Compaction {
  /** Which history was planned for, and where its last segment ended: what has moved on is left as it is. */
  readonly generation: number;
  readonly after: Segment | null;
  /** The last message that the summary stands for; the message after it is no result of a call. */
  readonly toSeq: number;
  readonly summary: string;
  readonly cause: CompactionCause;
  readonly model: string | null;
  /** What the summary cost, whoever was asked for it. */
  readonly spent: { readonly by: string; readonly usage: Usage; readonly priced?: boolean } | null;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly now: number;
}

export interface Undone {
  readonly undone: Segment | null;
  /** How many messages came after a summary that is not taken back for them. */
  readonly later: number;
}

/** What a model is given of a history, by size. */
export interface ContextShape {
  readonly generation: number;
  readonly segment: Segment | null;
  readonly summaryBytes: number;
  /** Besides the summary, oldest first. */
  readonly rows: readonly { readonly seq: number; readonly role: Message["role"]; readonly bytes: number }[];
  /** False where there is older history that does not fit. */
  readonly isWhole: boolean;
  /** What the provider counted at the last turn, where that is one of the rows. */
  readonly counted: { readonly seq: number; readonly usage: Usage } | null;
}

/** A history as it is copied into a process that has none. */
export interface Graft {
  readonly messages: readonly Message[];
  readonly segments: readonly Segment[];
  readonly rewinds?: readonly Rewind[];
}

export interface SegmentVerbs {
  /** The context of the next model call: the summary of the last segment, if there is one, then what came after it, oldest first. */
  context(pid: string): Promise<readonly Message[]>;
  contextShape(pid: string): Promise<ContextShape>;
  /** Null: history has moved on since it was planned. */
  compact(pid: string, wish: Compaction): Promise<Outcome<Segment | null>>;
  undoCompaction(pid: string, options: { readonly now: number }): Promise<Outcome<Undone>>;
  /** Oldest first. */
  segments(pid: string): Promise<readonly Segment[]>;
  /** Null where nothing was set for the process. */
  historyPolicy(pid: string): Promise<HistoryPolicy | null>;
  setHistoryPolicy(pid: string, policy: HistoryPolicy | null): Promise<Outcome<null>>;
  /** Adds to a history that is being copied; what it has already is left. Numbers go on after the last one. */
  graft(pid: string, part: Graft): Promise<Outcome<null>>;
}
