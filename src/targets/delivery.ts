// Signals on their way to a script. One that does not hear is ended, and so is one that takes too long over its traps.

import { ENDED_BY } from "../abi/ended-by.ts";
import type { Clock } from "../lib/clock.ts";
import type { Runner, SentSignal } from "./shell.ts";

export const EXIT_DIED = ENDED_BY.KILL;
const HEAR_MS = 1000;
/** So long it may clean up, where it has a trap for its end. */
const TRAP_MS = 5000;

export class Delivery {
  private stop: (() => void) | null = null;
  private last: SentSignal | null = null;

  constructor(
    private readonly runner: Runner,
    private readonly options: { readonly clock: Clock; readonly hearMs?: number },
    private readonly endAs: (status: number) => void,
  ) {}

  send(signal: SentSignal): void {
    if (signal.name === "KILL") {
      this.endAs(EXIT_DIED);
      return;
    }
    this.last = signal;
    this.runner.post({ kind: "sent", signal });
    // Whoever presses ctrl-C again and again does not put the end off.
    if (this.stop === null) this.endAfter(this.options.hearMs ?? HEAR_MS);
  }

  heard(goesOn: boolean): void {
    this.end();
    if (!goesOn) this.endAfter(TRAP_MS);
  }

  end(): void {
    this.stop?.();
    this.stop = null;
  }

  private endAfter(ms: number): void {
    const { number } = this.last ?? { number: 0 };
    this.stop = this.options.clock.after(ms, () => this.endAs(128 + number));
  }
}
