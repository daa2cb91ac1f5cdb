// Filters JSON lines through a jq program: prints strings as raw text and other values as JSON lines. Incomplete lines wait. After a failure,
// nothing more is accepted.

import { SysError } from "../../src/abi/errno.ts";
import { Serial } from "../../src/lib/serial.ts";
import { sanitize } from "../../src/lib/text/sanitize.ts";
import type { Jq, Output } from "../command.ts";

export class JqOutput implements Output {
  failure: SysError | null = null;
  /** JSON is never cut or colored. */
  readonly isTTY = false;
  private rest = "";
  private readonly serial = new Serial();
  private readonly decoder = new TextDecoder();

  constructor(
    private readonly output: Output,
    private readonly jq: Jq,
  ) {}

  get closed(): boolean {
    return this.failure !== null || this.output.closed;
  }

  get columns(): number {
    return this.output.columns;
  }

  get rows(): number {
    return this.output.rows;
  }

  write(text: string | Uint8Array): Promise<void> {
    return this.serial.run(async () => {
      const all = this.rest + (typeof text === "string" ? text : this.decoder.decode(text, { stream: true }));
      const end = all.lastIndexOf("\n") + 1;
      this.rest = all.slice(end);
      await this.print(all.slice(0, end));
    });
  }

  /** Nothing more comes. */
  end(): Promise<void> {
    return this.serial.run(async () => {
      const last = this.rest;
      this.rest = "";
      await this.print(last);
    });
  }

  private async print(lines: string): Promise<void> {
    if (lines.trim() === "" || this.closed) return;
    try {
      const made = await this.jq(lines);
      await this.output.write(this.output.isTTY ? sanitize(made) : made);
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      this.failure = error;
    }
  }
}
