// Notices a line that carries nothing any more: a dead TCP connection reports no error for minutes. While an answer is open it asks twice a
// second, otherwise rarely. Silence is counted in ticks and not in time, so that a blocked event loop on this side is no silence. After sleep
// the line counts as dead at once.

import type { Clock } from "../lib/clock.ts";

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly ping: () => void;
  /** Whether an answer is open. */
  readonly isBusy: () => boolean;
  readonly onDead: () => void;
}

const BUSY_TICK_MS = 500;
const IDLE_TICK_MS = 1000;
/** A cut shows within two seconds: one tick to ask, three without an answer. */
const BUSY_TICKS_MAX = 3;
const IDLE_PING_MS = 15_000;
const IDLE_SILENCE_MS = 40_000;
/** A tick that comes so much later by the wall clock: this computer slept, or this program was stopped. */
const SLEPT_MS = 3000;

export class Heartbeat {
  private cancel = () => {};
  private dueAt = 0;
  /** Ticks since the first ping without an answer; null if none is open. */
  private silent: { busyTicks: number; ms: number } | null = null;
  private sincePingMs = 0;
  private isIdle = false;

  constructor(private readonly options: HeartbeatOptions) {
    this.arm();
  }

  /** Anything came. */
  heard(): void {
    this.silent = null;
  }

  /** An answer was opened. */
  wake(): void {
    if (!this.isIdle) return;
    this.cancel();
    this.arm();
  }

  stop(): void {
    this.cancel();
  }

  private arm(): void {
    const { clock, isBusy } = this.options;
    this.isIdle = !isBusy();
    const ms = this.isIdle ? IDLE_TICK_MS : BUSY_TICK_MS;
    this.dueAt = clock.now() + ms;
    this.cancel = clock.after(ms, () => this.tick(ms));
  }

  private tick(ms: number): void {
    const { clock, ping, isBusy, onDead } = this.options;
    const isBusyNow = isBusy();
    if (this.silent !== null) {
      this.silent.ms += ms;
      this.silent.busyTicks = isBusyNow ? this.silent.busyTicks + 1 : 0;
    }
    const hasSlept = clock.now() - this.dueAt > SLEPT_MS;
    const isSilent =
      this.silent !== null && (this.silent.busyTicks >= BUSY_TICKS_MAX || this.silent.ms >= IDLE_SILENCE_MS);
    if (hasSlept || isSilent) {
      onDead();
      return;
    }
    this.sincePingMs += ms;
    if (this.silent === null && (isBusyNow || this.sincePingMs >= IDLE_PING_MS)) {
      this.silent = { busyTicks: 0, ms: 0 };
      this.sincePingMs = 0;
      ping();
    }
    this.arm();
  }
}
