// Bytes of files and programs on their way to one of our streams: into a pipe unchanged, and inert on a terminal, however they were cut
// into pieces.

import { Sanitizer } from "../../src/lib/text/sanitize.ts";
import type { Output } from "../command.ts";

export class ForeignOutput {
  private readonly decoder = new TextDecoder();
  private readonly sanitizer = new Sanitizer();

  constructor(private readonly output: Output) {}

  write(bytes: Uint8Array): Promise<void> {
    const { output, decoder, sanitizer } = this;
    return output.write(output.isTTY ? sanitizer.push(decoder.decode(bytes, { stream: true })) : bytes);
  }

  /** Writes an incomplete escape sequence or character at the end. */
  async end(): Promise<void> {
    if (this.output.isTTY) await this.output.write(this.sanitizer.push(this.decoder.decode()) + this.sanitizer.end());
  }
}
