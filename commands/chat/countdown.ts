// The wait before a retry on a terminal: one line of stderr, rewritten each second. The last text stays, as the record of the failure.

import { cutWidth } from "../../src/lib/text/truncate.ts";
import type { Io } from "../command.ts";

const TICK_MS = 1000;

export class Countdown {
  private cancel: (() => void) | null = null;
  private isOpen = false;

  constructor(private readonly io: Pick<Io, "stderr" | "clock">) {}

  get isShown(): boolean {
    return this.io.stderr.isTTY;
  }

  /** Replaces the line of an earlier wait that nothing was printed after. */
  async start(until: number, text: (seconds: number) => string): Promise<void> {
    this.cancel?.();
    this.cancel = null;
    this.isOpen = true;
    const { clock, stderr } = this.io;
    const left = until - clock.now();
    await stderr.write(`\r\x1b[K${cutWidth(text(Math.max(0, Math.ceil(left / TICK_MS))), stderr.columns - 1)}`);
    if (left > 0) this.cancel = clock.after(left % TICK_MS || TICK_MS, () => void this.start(until, text));
  }

  async stop(): Promise<void> {
    this.cancel?.();
    this.cancel = null;
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.io.stderr.write("\n");
  }
}
