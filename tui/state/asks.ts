// Approvals and questions that wait for an answer, and the card that shows one of them.

import type { Approval } from "../../src/abi/process/process.ts";

/** A pending approval or question. */
export interface Ask
  extends Pick<Approval, "id" | "kind" | "pid" | "tool" | "call" | "why" | "about" | "hash" | "expiresAt"> {
  readonly args: object;
  /** When it was asked. */
  readonly since: number;
  /** The arguments were too long for a list and are cut. */
  readonly inPart?: boolean;
  /** Our answer to this card, or why it was refused. */
  readonly answered?: string;
  /** This terminal has answered it. */
  readonly isOurs?: true;
}

export interface Card {
  /** Of the approval or question it shows. */
  readonly id: string;
  /** On screen since then. */
  readonly since: number;
  /** The line was being typed until then. */
  readonly typedUntil: number;
  /** The person chose this card with tab: it stays until it is answered. */
  readonly isWanted?: true;
}

/** An answer that was pressed on an empty line, until it is certain that no text follows. */
export interface Chosen {
  /** Of the approval or question. */
  readonly id: string;
  readonly letter: string;
  readonly at: number;
}

export interface Asking {
  readonly asks: readonly Ask[];
  readonly card: Card | null;
  readonly chosen: Chosen | null;
  /** Tab gave the keys to the card although a line is half typed. */
  readonly answering: boolean;
  /** The id of the ask that the typed line is for: the reason for a no, or the answer to a question. */
  readonly replying: string | null;
}

export const NO_ASKS: Asking = { asks: [], card: null, chosen: null, answering: false, replying: null };
