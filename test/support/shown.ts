// The one writer of the terminal, over a terminal emulator that shows its output.

import { Terminal } from "@xterm/headless";
import { type Live, Screen } from "../../tui/screen/screen.ts";
import { FakeClock } from "./clock.ts";

export class Shown {
  readonly clock = new FakeClock();
  readonly writes: string[] = [];
  readonly screen: Screen;
  readonly emulator: Terminal;
  breaks = false;
  private below: Live = { lines: [], cursor: null };

  constructor(
    public columns = 20,
    public rows = 6,
  ) {
    this.emulator = new Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
    const tty = {
      write: (text: string) => void this.writes.push(text),
      get columns() {
        return shown.columns;
      },
      get rows() {
        return shown.rows;
      },
    };
    const shown = this;
    this.emulator.onData((answer) => {
      const [, row, column] = /^\x1b\[(\d+);(\d+)R$/.exec(answer) ?? [];
      if (column !== undefined) this.screen.questions.answered({ row: Number(row) - 1, column: Number(column) - 1 });
    });
    this.screen = new Screen(tty, this.clock, () => {
      if (this.breaks) throw new Error("it broke");
      return this.below;
    });
  }

  /** Output of another program, or of a shell before us. */
  other(text: string): Promise<void> {
    return new Promise((resolve) => this.emulator.write(text, resolve));
  }

  live(...lines: string[]): void {
    this.below = { lines, cursor: { row: lines.length - 1, column: 0 } };
    this.screen.changed();
  }

  cursorAt(column: number): void {
    this.below = { ...this.below, cursor: { row: this.below.lines.length - 1, column } };
    this.screen.changed();
  }

  async painted(): Promise<readonly string[]> {
    this.screen.paint();
    while (this.writes.length > 0) for (const text of this.writes.splice(0)) await this.other(text);
    return this.lines();
  }

  lines(): readonly string[] {
    const { active } = this.emulator.buffer;
    const lines: string[] = [];
    const last = active.baseY + active.cursorY;
    for (let at = 0; at <= last; at++) {
      const line = active.getLine(at);
      if (line?.isWrapped) lines[lines.length - 1] += line.translateToString(true);
      else lines.push(line?.translateToString(true) ?? "");
    }
    return lines.map((line) => line.trimEnd());
  }

  resize(columns: number, rows: number): void {
    this.emulator.resize(columns, rows);
    this.columns = columns;
    this.rows = rows;
    this.screen.resized();
  }
}
