// Output of a command, kept until it is known how long it is.

import type { Output } from "../../commands/command.ts";

export class KeptOutput implements Output {
  text = "";

  constructor(private readonly terminal: Output) {}

  async write(text: string | Uint8Array): Promise<void> {
    this.text += typeof text === "string" ? text : Buffer.from(text).toString();
  }

  isTall(): boolean {
    return this.text.split("\n").length > this.rows - 2;
  }

  get closed() {
    return this.terminal.closed;
  }

  get failure() {
    return this.terminal.failure;
  }

  get isTTY() {
    return this.terminal.isTTY;
  }

  get columns() {
    // The pager may show it, with one column less.
    return this.terminal.columns - 1;
  }

  get rows() {
    return this.terminal.rows;
  }
}
