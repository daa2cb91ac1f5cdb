// Asks the terminal where its cursor is. Answers come in the order of the questions; a terminal that never answers is not asked any more.

import type { Clock } from "../../src/lib/clock.ts";

/** From 0. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

const WHERE = "\x1b[6n";
/** The longest time that a paint waits for an answer. */
const ANSWER_MS = 100;
/** An answer over a slow connection may take longer, and must not reach the next program. */
const ON_ITS_WAY_MS = 1000;
const UNANSWERED_MAX = 2;

interface Asked {
  readonly answer: (place: Place) => void;
  readonly over: Promise<void>;
}

export class CursorQuestions {
  /** Questions that the terminal has not answered, oldest first. */
  private readonly unanswered: Asked[] = [];

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
    let isOpen = true;
    const settle = (place: Place | null) => {
      if (isOpen) then(place);
      isOpen = false;
    };
    const cancels = [
      this.clock.after(ANSWER_MS, () => settle(null)),
      this.clock.after(ON_ITS_WAY_MS, () => over.resolve()),
    ];
    const answer = (place: Place) => {
      for (const cancel of cancels) cancel();
      over.resolve();
      settle(place);
    };
    this.unanswered.push({ answer, over: over.promise });
    this.write(WHERE);
  }

  answered(place: Place): void {
    this.unanswered.shift()?.answer(place);
  }

  /** Resolves once no answer can arrive any more: the next program would read it. */
  async settled(): Promise<void> {
    await Promise.all(this.unanswered.map(({ over }) => over));
  }
}
