// The one queue of what is due in a kernel. Its parts set instants by key; each key rings once, when its instant has come. One timer serves all
// of them. It runs a minute at most while something is due within a day, so that an instant is met although the clock was set or the
// computer slept.

import type { Clock } from "./clock.ts";

const LOOK_MS = 60_000;
const FAR_MS = 24 * 60 * 60 * 1000;
const FAR_LOOK_MS = 30 * 60 * 1000;
/** A clock that is corrected by less has not jumped. */
const JUMP_MS = 1000;

export interface DueQueueOptions {
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  /** The time zone of this computer. A change is applied before the listeners are called. */
  readonly zone?: () => string;
}

/** A jump of the wall clock in ms; 0 for another time zone. */
type OnJump = (byMs: number) => void;

interface Due {
  readonly lateMs: number;
  readonly ring: () => void;
}

export class DueQueue {
  private readonly parts: Part[] = [];
  private readonly jumped = new Set<OnJump>();
  /** Monotonic. */
  private timerAt = Number.POSITIVE_INFINITY;
  private cancelTimer = () => {};
  private offset: number;
  private zone: string | undefined;

  constructor(readonly options: DueQueueOptions) {
    this.offset = this.offsetNow();
    this.zone = options.zone?.();
  }

  /** Calls back once the clock was set, the computer slept, or its time zone changed. Noticed while something is due. */
  onJump(listener: OnJump): void {
    this.jumped.add(listener);
  }

  add(part: Part): void {
    this.parts.push(part);
  }

  /** Takes out what is due, the latest first. */
  private claim(): readonly Due[] {
    return this.parts.flatMap((part) => part.claim()).toSorted((left, right) => right.lateMs - left.lateMs);
  }

  /** Until the next instant of any part; null when there is none. */
  dueWithinMs(): number | null {
    const due = this.parts.map((part) => part.dueWithinMs()).filter((ms) => ms !== null);
    return due.length === 0 ? null : Math.min(...due);
  }

  /** Arms the timer if the instant comes before its end. */
  expect(withinMs: number): void {
    if (this.options.clock.mono() + withinMs < this.timerAt) this.arm();
  }

  /** Leaves no timer behind when nothing is due. */
  rest(): void {
    if (this.parts.every(({ size }) => size === 0)) this.disarm();
  }

  private disarm(): void {
    this.cancelTimer();
    this.timerAt = Number.POSITIVE_INFINITY;
  }

  private arm(): void {
    this.disarm();
    const ms = this.dueWithinMs();
    if (ms === null) return;
    const waitMs = Math.min(ms, ms <= FAR_MS ? LOOK_MS : FAR_LOOK_MS);
    this.timerAt = this.options.clock.mono() + waitMs;
    this.cancelTimer = this.options.clock.after(waitMs, () => this.look());
  }

  private look(): void {
    this.notice();
    for (const { ring } of this.claim()) ring();
    this.arm();
  }

  private notice(): void {
    const { zone, onFault } = this.options;
    const [byMs, before] = [this.offsetNow() - this.offset, this.zone];
    this.offset += byMs;
    this.zone = zone?.();
    if (Math.abs(byMs) < JUMP_MS && before === this.zone) return;
    for (const listener of this.jumped) {
      try {
        listener(Math.abs(byMs) < JUMP_MS ? 0 : byMs);
      } catch (error) {
        onFault(error);
      }
    }
  }

  private offsetNow(): number {
    const { clock } = this.options;
    return clock.now() - clock.mono();
  }
}

interface Part {
  readonly size: number;
  claim(): readonly Due[];
  dueWithinMs(): number | null;
}

export interface AlarmOptions<Key> {
  readonly queue: DueQueue;
  readonly ring: (key: Key) => unknown;
  /** Monotonic time, for spans that a change of the clock must not stretch. */
  readonly monotonic?: boolean;
}

/** The instants of one part of the kernel. */
export class Alarms<Key> implements Part {
  private readonly instants = new Map<Key, number>();

  constructor(private readonly options: AlarmOptions<Key>) {
    options.queue.add(this);
  }

  get size(): number {
    return this.instants.size;
  }

  has(key: Key): boolean {
    return this.instants.has(key);
  }

  /** Null without one. */
  at(key: Key): number | null {
    return this.instants.get(key) ?? null;
  }

  /** Replaces the instant that the key had. */
  set(key: Key, at: number): void {
    this.instants.set(key, at);
    this.options.queue.expect(Math.max(0, at - this.now()));
  }

  delete(key: Key): void {
    if (this.instants.delete(key)) this.options.queue.rest();
  }

  clear(): void {
    this.instants.clear();
    this.options.queue.rest();
  }

  /** Until the next instant; null when there is none. */
  dueWithinMs(): number | null {
    return this.instants.size === 0 ? null : Math.max(0, Math.min(...this.instants.values()) - this.now());
  }

  claim(): readonly Due[] {
    const now = this.now();
    const due = [...this.instants].filter(([, at]) => at <= now);
    for (const [key] of due) this.instants.delete(key);
    return due.map(([key, at]) => ({ lateMs: now - at, ring: () => this.ring(key) }));
  }

  private now(): number {
    const { clock } = this.options.queue.options;
    return this.options.monotonic ? clock.mono() : clock.now();
  }

  private ring(key: Key): void {
    const { ring, queue } = this.options;
    try {
      const done = ring(key);
      if (done instanceof Promise) done.catch(queue.options.onFault);
    } catch (error) {
      queue.options.onFault(error);
    }
  }
}
