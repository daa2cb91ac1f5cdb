// Time and waiting, injected everywhere: the real clock is here, a fake one in test/support. Durations are monotonic, instants are wall time.
// setTimeout fires at once beyond 2^31-1 ms, so long waits take several steps.

const TIMER_MS_MAX = 2 ** 31 - 1;

export interface Clock {
  /** Wall time in ms since the epoch. */
  now(): number;
  /** Monotonic time in ms. */
  mono(): number;
  /** Resolves after ms, or at once when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after ms; the returned function cancels. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export const realClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  sleep: (ms, signal) => sleepUntil((done) => arm(ms, done, true), signal),
  after: (ms, callback) => arm(ms, callback, false),
};

/** Resolves when the timer ends, or when the signal aborts. `arm` sets the timer and returns how to cancel it. */
export function sleepUntil(arm: (done: () => void) => () => void, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = arm(done);
    signal?.addEventListener("abort", done);
  });
}

function arm(ms: number, callback: () => void, keepAlive: boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let left = Math.max(0, ms);
  const step = () => {
    const now = Math.min(left, TIMER_MS_MAX);
    left -= now;
    timer = setTimeout(() => (left > 0 ? step() : callback()), now);
    if (!keepAlive) timer.unref?.();
  };
  step();
  return () => clearTimeout(timer);
}

const SLICE_MS = 5;

/**
 * Keeps long work from blocking the event loop. Counts time, because files, lines and rows differ in cost. All work shares the slice of one
 * loop turn, so a hundred short pieces at once do not add up.
 */
export class TimeSlice {
  private static since = 0;
  private static readonly waiting: (() => void)[] = [];

  get isUsedUp(): boolean {
    return realClock.mono() - TimeSlice.since >= SLICE_MS;
  }

  /** Between two steps of the work: lets other work run if the slice is used up. */
  async step(): Promise<void> {
    if (!this.isUsedUp) return;
    await new Promise<void>((resolve) => {
      if (TimeSlice.waiting.push(resolve) === 1) setImmediate(TimeSlice.turn);
    });
  }

  // One in a turn: the others would see an unused slice before it begins to work.
  private static turn(): void {
    TimeSlice.since = realClock.mono();
    TimeSlice.waiting.shift()?.();
    if (TimeSlice.waiting.length > 0) setImmediate(TimeSlice.turn);
  }
}
