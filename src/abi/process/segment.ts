// A segment: part of a history that a model is told in one message of summary in the place of its own messages. Nothing of it is deleted;
// the messages keep their numbers and can be read, searched and given back. And the rules by which a history comes to have one.

export type CompactionCause = "asked" | "pressure" | "overflow" | "turns";

export interface Segment {
  /** Counts upwards within the process. */
  readonly id: number;
  /** The messages it stands for, by number, both included. What came before the first was part of the segment before. */
  readonly fromSeq: number;
  readonly toSeq: number;
  /** The message that holds the summary. */
  readonly summarySeq: number;
  readonly cause: CompactionCause;
  /** Who wrote the summary; null where nobody could and it only says what is left out. */
  readonly model: string | null;
  /** What a model is given of the history, by estimate, before and after. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly createdAt: number;
  readonly undoneAt: number | null;
}

export const OVERFLOW_POLICIES = ["auto-compact", "fail", "manual"] as const;
export type OverflowPolicy = (typeof OVERFLOW_POLICIES)[number];

/** What is done about a history that fills the window of its model. */
export interface HistoryPolicy {
  /** auto-compact makes room; fail ends the run; manual leaves it to whoever asks for a compaction. */
  readonly overflow: OverflowPolicy;
  /** How full the window may be, from 0 to 1. */
  readonly compactAtPressure: number;
  /** How many of the newest messages stay as they are. */
  readonly keepLast: number;
}

export const USUAL_POLICY: HistoryPolicy = { overflow: "auto-compact", compactAtPressure: 0.9, keepLast: 80 };

/** How the message begins that holds a summary. */
export const SUMMARY_MARK = "[compacted]";
