// Delivers signals to scripts. A script that does not react in time is ended, as is one whose traps take too long.

import { ENDED_BY } from "../abi/errno.ts";
import type { Clock } from "../lib/clock.ts";
import type { Runner, SentSignal } from "./shell.ts";

export const EXIT_DIED = ENDED_BY.KILL;
const HEAR_MS = 1000;
/** Time for a script's traps. */
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
    // Repeated ctrl-C does not extend the time.
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
