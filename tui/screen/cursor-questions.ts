// Asks the terminal where its cursor is. Answers come in the order of the questions; a terminal that never answers is not asked any more.

import type { Clock } from "../../src/lib/clock.ts";

/** From 0. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

const WHERE = "\x1b[6n";
/** Time to answer. */
const ANSWER_MS = 100;
const UNANSWERED_MAX = 2;

export class CursorQuestions {
  /** Without an answer of the terminal; those that waited too long are in it, too. */
  private readonly unanswered: ((place: Place | null) => void)[] = [];
  private readonly waiting = new Set<Promise<void>>();

  constructor(
    private readonly write: (text: string) => void,
    private readonly clock: Clock,
  ) {}

  /** null if the terminal does not answer in time. */
  ask(then: (place: Place | null) => void): void {
    if (this.unanswered.length >= UNANSWERED_MAX) {
      then(null);
      return;
    }
    const over = Promise.withResolvers<void>();
    this.waiting.add(over.promise);
    const settle = (place: Place | null) => {
      if (!this.waiting.delete(over.promise)) return;
      cancel();
      over.resolve();
      then(place);
    };
    const cancel = this.clock.after(ANSWER_MS, () => settle(null));
    this.unanswered.push(settle);
    this.write(WHERE);
  }

  answered(place: Place): void {
    this.unanswered.shift()?.(place);
  }

  /** No answer is on its way any more, which the next program would read. */
  async settled(): Promise<void> {
    await Promise.all(this.waiting);
  }
}
