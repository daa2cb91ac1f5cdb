// Pending approvals and questions, and the card that shows one of them.

import type { Approval } from "../../src/abi/process/process.ts";
import type { NamedProcess } from "../../src/abi/process/process-name.ts";

export interface Ask
  extends Pick<Approval, "id" | "kind" | "pid" | "tool" | "call" | "why" | "about" | "hash" | "expiresAt"> {
  readonly args: object;
  /** Of the process; missing if unknown. */
  readonly label?: string | null;
  readonly since: number;
  /** The list has shortened arguments. */
  readonly inPart?: boolean;
  /** The text of our answer. */
  readonly ourAnswer?: string;
  /** Answered at this terminal. */
  readonly isOurs?: true;
}

export interface Card {
  readonly id: string;
  /** Time of its appearance. */
  readonly since: number;
  /** Time of the last key for the line. */
  readonly typedUntil: number;
  /** Chosen with tab: stays until it is answered. */
  readonly pickedWithTab?: true;
  /** It was hidden and appears again. */
  readonly isBack?: true;
}

/** An answer pressed on an empty line. It counts if no text follows soon. */
export interface PressedAnswer {
  readonly id: string;
  readonly letter: string;
  readonly at: number;
}

export interface Allowing {
  /** Of the approval. */
  readonly id: string;
  /** Index of the marked way. */
  readonly at: number;
}

export interface Asking {
  /** All processes, read when another process asks: two may have the same label. */
  readonly processes: readonly NamedProcess[];
  readonly asks: readonly Ask[];
  readonly card: Card | null;
  readonly pressed: PressedAnswer | null;
  /** The card has the keys although the line has text. */
  readonly cardHasKeys: boolean;
  /** The list of ways to allow more is open. */
  readonly allowing: Allowing | null;
  /** The request that the typed line answers. */
  readonly lineAnswers: string | null;
}

export const NO_ASKS: Asking = {
  processes: [],
  asks: [],
  card: null,
  pressed: null,
  cardHasKeys: false,
  allowing: null,
  lineAnswers: null,
};
