// Repeats work that failed for want of disk space or the like, until it succeeds. At most one timer for each name: asking ten times does
// not repeat the work ten times as often.

import type { Clock } from "../../lib/clock.ts";

export class Retries {
  private readonly waiting = new Map<string, () => void>();

  constructor(
    private readonly clock: Clock,
    private readonly everyMs: number,
  ) {}

  /** Whether anything still has to be done: a kernel does not leave before. */
  get pending(): boolean {
    return this.waiting.size > 0;
  }

  later(name: string, work: () => void): void {
    if (this.waiting.has(name)) return;
    const cancel = this.clock.after(this.everyMs, () => {
      this.waiting.delete(name);
      work();
    });
    this.waiting.set(name, cancel);
  }

  stop(): void {
    for (const cancel of this.waiting.values()) cancel();
    this.waiting.clear();
  }
}
