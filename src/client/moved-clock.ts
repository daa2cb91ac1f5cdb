// The real clock, moved ahead by the milliseconds in the file that GSV_CLOCK names, one number a line. A new line lets its time pass: timers
// that are due then fire at once, in order. Tests try waits of hours with it.

import { readFileSync } from "node:fs";
import { type Clock, realClock, sleepUntil } from "../lib/clock.ts";
import { reveal } from "../lib/text/sanitize.ts";

const LOOK_MS = 10;

/** null if the file cannot be read, which is reported. */
export function movedClock(file: string, report: (line: string) => void): Clock | null {
  try {
    return new MovedClock(file);
  } catch {
    report(`gsv: GSV_CLOCK: cannot read the file ${reveal(file)}\n`);
    return null;
  }
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
  readonly keepAlive: boolean;
  cancel: () => void;
}

class MovedClock implements Clock {
  private ahead = 0;
  private timers: Timer[] = [];

  constructor(private readonly file: string) {
    this.move(this.inFile());
    this.lookLater();
  }

  private lookLater(): void {
    realClock.after(LOOK_MS, () => {
      try {
        this.move(this.inFile());
      } catch {
        // The file was deleted: time stays moved.
      }
      this.lookLater();
    });
  }

  now(): number {
    return realClock.now() + this.ahead;
  }

  mono(): number {
    return realClock.mono() + this.ahead;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepUntil((done) => this.set(ms, done, true), signal);
  }

  after(ms: number, callback: () => void): () => void {
    return this.set(ms, callback, false);
  }

  private inFile(): number {
    const numbers = readFileSync(this.file, "utf8").split("\n").map(Number).filter(Number.isSafeInteger);
    return numbers.reduce((sum, ms) => sum + ms, 0);
  }

  private move(ahead: number): void {
    if (ahead === this.ahead) return;
    this.ahead = ahead;
    for (const timer of this.timers.toSorted((one, other) => one.due - other.due)) {
      timer.cancel();
      this.arm(timer);
    }
  }

  private set(ms: number, callback: () => void, keepAlive: boolean): () => void {
    const stop = () => {
      timer.cancel();
      this.timers = this.timers.filter((each) => each !== timer);
    };
    const run = () => {
      stop();
      callback();
    };
    const timer: Timer = { due: this.mono() + Math.max(0, ms), run, keepAlive, cancel: () => {} };
    this.timers.push(timer);
    this.arm(timer);
    return stop;
  }

  private arm(timer: Timer): void {
    const left = timer.due - this.mono();
    if (!timer.keepAlive) {
      timer.cancel = realClock.after(left, timer.run);
      return;
    }
    const stopped = new AbortController();
    timer.cancel = () => stopped.abort();
    void realClock.sleep(left, stopped.signal).then(() => stopped.signal.aborted || timer.run());
  }
}
