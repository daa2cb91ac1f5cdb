// Work that is done again and again, so long apart, until all of it is stopped. What one time throws does not end the next.

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
      // The work itself may have stopped them.
      if (this.timers.has(id)) this.arm(id, ms, work);
    });
    this.timers.set(id, cancel);
  }
}
