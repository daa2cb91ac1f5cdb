// Instants by key. Each key rings once, when its instant has come. One timer serves all keys. It runs a minute at most, so that an instant
// is met although the clock was set or the computer slept.

import type { Clock } from "./clock.ts";

const LOOK_MS = 60_000;

export interface AlarmOptions<Key> {
  readonly clock: Clock;
  readonly ring: (key: Key) => unknown;
  readonly onFault: (error: unknown) => void;
  /** Monotonic time, for spans that a change of the clock must not stretch. */
  readonly monotonic?: boolean;
}

export class Alarms<Key> {
  private readonly instants = new Map<Key, number>();
  private timerAt = Number.POSITIVE_INFINITY;
  private cancelTimer = () => {};

  constructor(private readonly options: AlarmOptions<Key>) {}

  get size(): number {
    return this.instants.size;
  }

  has(key: Key): boolean {
    return this.instants.has(key);
  }

  /** Replaces the instant that the key had. */
  set(key: Key, at: number): void {
    this.instants.set(key, at);
    if (at < this.timerAt) this.arm();
  }

  delete(key: Key): void {
    this.instants.delete(key);
    if (this.instants.size === 0) this.clear();
  }

  clear(): void {
    this.instants.clear();
    this.cancelTimer();
    this.timerAt = Number.POSITIVE_INFINITY;
  }

  /** Until the next instant; null when there is none. */
  dueWithinMs(): number | null {
    return this.instants.size === 0 ? null : Math.max(0, Math.min(...this.instants.values()) - this.now());
  }

  private now(): number {
    const { clock, monotonic } = this.options;
    return monotonic ? clock.mono() : clock.now();
  }

  private arm(): void {
    this.cancelTimer();
    this.timerAt = Number.POSITIVE_INFINITY;
    const ms = this.dueWithinMs();
    if (ms === null) return;
    this.timerAt = this.now() + Math.min(ms, LOOK_MS);
    this.cancelTimer = this.options.clock.after(Math.min(ms, LOOK_MS), () => this.look());
  }

  private look(): void {
    const now = this.now();
    const due = [...this.instants].flatMap(([key, at]) => (at <= now ? [key] : []));
    for (const key of due) this.instants.delete(key);
    for (const key of due) this.ring(key);
    this.arm();
  }

  private ring(key: Key): void {
    const { ring, onFault } = this.options;
    try {
      const done = ring(key);
      if (done instanceof Promise) done.catch(onFault);
    } catch (error) {
      onFault(error);
    }
  }
}
