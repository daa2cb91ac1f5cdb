// Collects a file that is read in pieces, to remember the text of a short one.

import type { ReadResult } from "../../../fs/filesystem.ts";
import { LIMITS } from "../../abi/config/limits.ts";

interface Range {
  readonly offset: number;
  readonly bytesMax: number;
}

export class ReadWhole {
  private pieces: Uint8Array[] = [];
  private bytes = 0;
  private isWhole = false;

  constructor(private readonly read: (range: Range) => Promise<ReadResult>) {}

  async piece(range: Range): Promise<ReadResult> {
    // Starts over: the file was written in between.
    if (range.offset === 0) [this.pieces, this.bytes] = [[], 0];
    const result = await this.read(range);
    this.bytes += result.bytes.byteLength;
    if (this.bytes <= LIMITS.knownTextBytesMax) this.pieces.push(result.bytes);
    this.isWhole = result.eof;
    return result;
  }

  /** Null if it is too long to remember. */
  text(): string | null {
    if (!this.isWhole || this.bytes > LIMITS.knownTextBytesMax) return null;
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(this.pieces));
  }
}
