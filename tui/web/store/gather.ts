// Gathers signals for a moment, so that a fast answer is painted 30 times a second and not once a token.

import type { Clock } from "../../../src/lib/clock.ts";

const GATHER_MS = 33;

export class Gather<Each> {
  private waiting: Each[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly flush: (all: readonly Each[]) => void,
  ) {}

  add(each: Each): void {
    this.waiting.push(each);
    if (this.waiting.length > 1) return;
    this.clock.after(GATHER_MS, () => {
      const all = this.waiting;
      this.waiting = [];
      this.flush(all);
    });
  }
}
