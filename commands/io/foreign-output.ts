// Prints bytes of files and programs: unchanged into a pipe, sanitized on a terminal, even if an escape sequence comes in pieces.

import { SysError } from "../../src/abi/errno.ts";
import { isBinary } from "../../src/lib/media-type.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import { Sanitizer } from "../../src/lib/text/sanitize.ts";
import type { Io, Output } from "../command.ts";

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

/** Refuses binary data on a terminal. */
export async function printPieces(io: Io, path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  if (io.stdout.isTTY) return printText(io, path, pieces);
  for await (const piece of pieces) {
    await io.stdout.write(piece);
    if (io.stdout.closed) return;
  }
}

async function printText(io: Io, path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const output = new ForeignOutput(io.stdout);
  let begun = false;
  for await (const piece of pieces) {
    if (!begun && isBinary(piece)) throw notForTerminals(path);
    begun = true;
    await output.write(piece);
    if (io.stdout.closed) return;
  }
  await output.end();
}

export function notForTerminals(path: string): SysError {
  const name = path.slice(path.lastIndexOf("/") + 1) || "file";
  return new SysError("EINVAL", `${path}: binary data is not printed on a terminal`, [
    `gsv cp ${quoted(path)} ${quoted(`host:./${name}`)} copies it to this machine`,
  ]);
}
