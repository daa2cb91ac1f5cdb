// Lends the terminal to other programs, one after the other: the screen releases it before and reclaims it after. On leaving, gsv waits a
// moment for the program that has it, and then never reclaims it.

import type { Clock } from "../../src/lib/clock.ts";
import type { Terminal } from "../ports.ts";
import type { Screen } from "./screen.ts";

const PROGRAM_MS = 1500;
const NO_SHELL = "no shell to return to: ctrl-d to leave";

export interface LendingOptions {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly read: (bytes: Uint8Array) => void;
  /** The terminal is back: everything must be painted. */
  readonly back: () => void;
  readonly notice: (text: string) => void;
  /** gsv was suspended with a line and continues: says which, as nothing else shows it. */
  readonly continues: (text: string) => void;
}

export class Lending {
  isLent = false;
  /** The line of gsv's shell that has the terminal. */
  private line: string | null = null;
  private isOver = false;
  private turn: Promise<void> = Promise.resolve();

  constructor(private readonly options: LendingOptions) {
    const { terminal, screen, back } = options;
    // Stopped by a signal: other programs wrote below.
    terminal.onBack(() => {
      if (this.line !== null) this.options.continues(this.line);
      if (this.isLent) return;
      screen.lost();
      back();
    });
  }

  /** `line`: stopped and resumed together with gsv. */
  lend(work: () => Promise<void>, line: string | null = null): void {
    this.turn = this.turn.then(() => this.lent(work, line));
  }

  /** Back to the shell, as ctrl-z does. */
  async suspend(): Promise<void> {
    if (!(await this.options.terminal.suspend())) this.options.notice(NO_SHELL);
  }

  async over(): Promise<void> {
    await Promise.race([this.turn, this.options.clock.sleep(PROGRAM_MS)]);
    this.isOver = this.isLent;
  }

  private async lent(work: () => Promise<void>, line: string | null): Promise<void> {
    const { terminal, screen } = this.options;
    await screen.questions.settled();
    this.isLent = true;
    this.line = line;
    screen.release();
    terminal.give();
    try {
      await work();
    } finally {
      this.line = null;
      if (!this.isOver) this.takeBack();
    }
  }

  private takeBack(): void {
    const { terminal, screen, read, back } = this.options;
    terminal.take(read);
    this.isLent = false;
    screen.reclaim();
    back();
    screen.paint();
  }
}
