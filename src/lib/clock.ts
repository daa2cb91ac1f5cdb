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
  sleep(ms, signal) {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        cancel();
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const cancel = arm(ms, done, true);
      signal?.addEventListener("abort", done);
    });
  },
  after: (ms, callback) => arm(ms, callback, false),
};

function arm(ms: number, callback: () => void, keepAlive: boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let left = Math.max(0, ms);
  const step = () => {
    const now = Math.min(left, TIMER_MS_MAX);
    left -= now;
    timer = setTimeout(() => (left > 0 ? step() : callback()), now);
    if (!keepAlive) timer.unref();
  };
  step();
  return () => clearTimeout(timer);
}

const SLICE_MS = 5;

/** Keeps long work from blocking the event loop. Counts time, because files, lines and rows differ in cost. */
export class TimeSlice {
  private since = realClock.mono();

  /** Between two steps of the work: lets other work run if the slice is used up. */
  async step(): Promise<void> {
    if (realClock.mono() - this.since < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.since = realClock.mono();
  }
}
