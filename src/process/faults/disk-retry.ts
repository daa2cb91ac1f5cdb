// Repeats work that failed because the disk was full or the like, until it succeeds. Each name has one timer, so asking again adds no
// retries.

import { Alarms, type DueQueue } from "../../lib/alarm.ts";
import type { Clock } from "../../lib/clock.ts";

export class Retries {
  private readonly works = new Map<string, () => void>();
  private readonly alarms: Alarms<string>;

  constructor(
    private readonly clock: Clock,
    private readonly everyMs: number,
    queue: DueQueue,
  ) {
    this.alarms = new Alarms({ queue, monotonic: true, ring: (name) => this.again(name) });
  }

  get pending(): boolean {
    return this.works.size > 0;
  }

  later(name: string, work: () => void): void {
    if (this.works.has(name)) return;
    this.works.set(name, work);
    this.alarms.set(name, this.clock.mono() + this.everyMs);
  }

  stop(): void {
    this.alarms.clear();
    this.works.clear();
  }

  private again(name: string): void {
    const work = this.works.get(name);
    this.works.delete(name);
    work?.();
  }
}
