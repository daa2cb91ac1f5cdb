// A segment: part of a history that one summary message replaces for the model. Nothing is deleted:
// the messages keep their numbers and can be read, searched and restored. Also the rules for compaction.

export type CompactionCause = "asked" | "pressure" | "overflow" | "turns";

export interface Segment {
  /** Increases within the process. */
  readonly id: number;
  /** The summarized messages, inclusive. Earlier ones belong to the previous segment. */
  readonly fromSeq: number;
  readonly toSeq: number;
  /** The message that holds the summary. */
  readonly summarySeq: number;
  readonly cause: CompactionCause;
  /** The model that wrote the summary; null if none could, and the summary only lists what is left out. */
  readonly model: string | null;
  /** Estimated size of the history for the model, before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly createdAt: number;
  readonly undoneAt: number | null;
}

export const OVERFLOW_POLICIES = ["auto-compact", "fail", "manual"] as const;
export type OverflowPolicy = (typeof OVERFLOW_POLICIES)[number];

/** What happens when a history fills the context window of its model. */
export interface HistoryPolicy {
  /** auto-compact summarizes; fail ends the run; manual waits for gsv compact. */
  readonly overflow: OverflowPolicy;
  /** Maximum used share of the window, from 0 to 1. */
  readonly compactAtPressure: number;
  /** Number of newest messages that are not summarized. */
  readonly keepLast: number;
}

/** Settings that replace a part of a policy. */
export type ReplacingSetting = "compaction.enabled" | "compaction.reserveTokens" | "compaction.keepRecentTokens";

export const USUAL_POLICY: HistoryPolicy = { overflow: "auto-compact", compactAtPressure: 0.9, keepLast: 80 };

/** Begins the message with a summary. */
export const SUMMARY_MARK = "[compacted]";

/** Begins the message with the end of the conversation after a context reset. */
export const RESET_MARK = "<conversation_history>";
