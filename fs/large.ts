// Large content for a mount that takes bytes only.

import { LIMITS } from "../src/abi/config/limits.ts";
import { FileError } from "./error.ts";
import type { LargeContent } from "./filesystem.ts";

export function tooLarge(path: string, bytesMax: number = LIMITS.fileBytesMax): FileError {
  return new FileError("EFBIG", path, `a file holds at most ${bytesMax / 1024 / 1024} MiB`);
}

/** Throws EFBIG if that would take too much memory. */
export async function wholeContent(content: LargeContent, path: string): Promise<Uint8Array> {
  if (content.size > LIMITS.fileBytesMax) throw tooLarge(path);
  const bytes = new Uint8Array(content.size);
  let at = 0;
  for await (const piece of content.pieces()) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}
