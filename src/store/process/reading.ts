// Pages of a history and pieces of its messages, as they are asked for and given.

import type { Message } from "../../abi/process/message.ts";

export interface HistorySlice {
  readonly messages: readonly Message[];
  readonly count: number;
  readonly hasMoreBefore: boolean;
  readonly hasMoreAfter: boolean;
}

export interface HistoryRange {
  readonly limit: number;
  readonly offset?: number;
  readonly afterSeq?: number;
  readonly beforeSeq?: number;
  /** Nothing up to the last message that is older than this instant. */
  readonly sinceMs?: number;
  /** Of the stored messages together; one at least comes all the same. */
  readonly bytesMax?: number;
}

/** Part of the text of a message, in characters (not UTF-16 units). */
export interface TextPiece {
  readonly seq: number;
  readonly offset: number;
  readonly charsMax: number;
}
