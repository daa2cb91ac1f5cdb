// A clock that only moves on command: tests of waiting without waiting.

import { type Clock, sleepUntil } from "../../src/lib/clock.ts";

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

export class FakeClock implements Clock {
  private wall: number;
  private monotonic = 0;
  private timers: Timer[] = [];
  private order = 0;

  constructor(startMs = Date.UTC(2026, 0, 2, 3, 4, 5)) {
    this.wall = startMs;
  }

  now(): number {
    return this.wall;
  }

  mono(): number {
    return this.monotonic;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepUntil((done) => this.after(ms, done), signal);
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { due: this.monotonic + Math.max(0, ms), order: this.order++, run };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Timers that are set now. */
  get pending(): number {
    return this.timers.length;
  }

  /** True if a timer is set for no longer than that. */
  isDueWithin(ms: number): boolean {
    return this.timers.some(({ due }) => due <= this.monotonic + ms);
  }

  /** Runs every timer due within ms, in order, letting promises settle in between. */
  async advance(ms: number): Promise<void> {
    const until = this.monotonic + ms;
    await settle();
    for (;;) {
      const next = this.timers
        .filter((timer) => timer.due <= until)
        .sort((a, b) => a.due - b.due || a.order - b.order)[0];
      if (next === undefined) break;
      this.timers = this.timers.filter((timer) => timer !== next);
      this.jump(next.due - this.monotonic);
      next.run();
      await settle();
    }
    this.jump(until - this.monotonic);
    await settle();
  }

  /** Sets the wall clock alone, as a change of the system time does. */
  setWall(ms: number): void {
    this.wall = ms;
  }

  private jump(ms: number): void {
    this.monotonic += ms;
    this.wall += ms;
  }
}

// A few turns of the macrotask queue: enough for promise chains and stream hand-offs to come to rest.
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
