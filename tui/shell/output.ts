// Output of commands: kept until its length is known, and terminal output as plain text for the agent.

import type { Output } from "../../commands/command.ts";
import { sanitize } from "../../src/lib/text/sanitize.ts";

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

const ALTERNATE_SCREEN = "\x1b[?1049h";

export function plainText(output: string): string {
  if (output.includes(ALTERNATE_SCREEN)) return "[full-screen program]";
  return sanitize(output.replace(/\r+\n/g, "\n").replace(/[^\n]*\r/g, ""));
}
