// Repeats work at intervals until stopped. An error does not end the repetition.

import type { Clock } from "./clock.ts";

export class Polls {
  private readonly timers = new Map<number, () => void>();
  private count = 0;

  constructor(
    private readonly clock: Clock,
    private readonly onFault: (error: unknown) => void,
  ) {}

  every(ms: number, work: () => unknown): void {
    this.arm(this.count++, ms, work);
  }

  stop(): void {
    for (const cancel of this.timers.values()) cancel();
    this.timers.clear();
  }

  private arm(id: number, ms: number, work: () => unknown): void {
    const cancel = this.clock.after(ms, () => {
      try {
        work();
      } catch (error) {
        this.onFault(error);
      }
      // The work may have stopped the polls.
      if (this.timers.has(id)) this.arm(id, ms, work);
    });
    this.timers.set(id, cancel);
  }
}
