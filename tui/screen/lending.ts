// The terminal, lent to other programs, one after the other: the screen lets go of it before and takes it back after. Whoever leaves waits a
// moment for the one that has it, and then nothing takes it back any more.

import type { Clock } from "../../src/lib/clock.ts";
import type { Terminal } from "../ports.ts";
import type { Screen } from "./screen.ts";

/** A program that has the terminal as gsv leaves is given so long to end. */
const PROGRAM_MS = 1500;
const NO_SHELL = "there is no shell to come back from: ctrl-d leaves";

export interface LendingOptions {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly hear: (bytes: Uint8Array) => void;
  /** It is ours again, and everything is to be painted. */
  readonly back: () => void;
  readonly tell: (text: string) => void;
}

export class Lending {
  /** Somebody else has it. */
  isLent = false;
  private isOver = false;
  private turn: Promise<void> = Promise.resolve();

  constructor(private readonly options: LendingOptions) {
    const { terminal, screen, back } = options;
    // It stood still unasked, and others wrote below.
    terminal.onBack(() => {
      if (this.isLent) return;
      screen.lost();
      back();
    });
  }

  /** Until this is over; after those that have it or wait for it. */
  lend(work: () => Promise<void>): void {
    this.turn = this.turn.then(() => this.lent(work));
  }

  /** To the shell, as ctrl-z does. */
  async suspend(): Promise<void> {
    if (!(await this.options.terminal.suspend())) this.options.tell(NO_SHELL);
  }

  async over(): Promise<void> {
    await Promise.race([this.turn, this.options.clock.sleep(PROGRAM_MS)]);
    this.isOver = this.isLent;
  }

  private async lent(work: () => Promise<void>): Promise<void> {
    const { terminal, screen } = this.options;
    this.isLent = true;
    screen.release();
    terminal.give();
    try {
      await work();
    } finally {
      if (!this.isOver) this.takeBack();
    }
  }

  private takeBack(): void {
    const { terminal, screen, hear, back } = this.options;
    terminal.take(hear);
    this.isLent = false;
    screen.reclaim();
    back();
    screen.paint();
  }
}
