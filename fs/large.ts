// Writes large content: piece by piece where the mount can do that, else as bytes.

import { LIMITS } from "../src/abi/config/limits.ts";
import type { Caller } from "../src/abi/identity.ts";
import { TimeSlice } from "../src/lib/clock.ts";
import { FileError } from "./error.ts";
import type { LargeContent, Place, WriteOptions } from "./filesystem.ts";

export function tooLarge(path: string, bytesMax: number = LIMITS.fileBytesMax): FileError {
  return new FileError("EFBIG", path, `a file holds at most ${bytesMax / 1024 / 1024} MiB`);
}

/** Throws EFBIG if that would take too much memory. */
export async function wholeContent(content: LargeContent, path: string): Promise<Uint8Array> {
  if (content.size > LIMITS.fileBytesMax) throw tooLarge(path);
  const bytes = new Uint8Array(content.size);
  const slice = new TimeSlice();
  let at = 0;
  for await (const piece of content.pieces()) {
    bytes.set(piece, at);
    at += piece.byteLength;
    await slice.step();
  }
  return bytes;
}

export async function writtenTo(
  { mount: { fs }, inner, path }: Place,
  caller: Caller,
  content: Uint8Array | LargeContent,
  options: WriteOptions,
): Promise<{ readonly version: string }> {
  if (content instanceof Uint8Array) return fs.write(caller, inner, content, options);
  const { at } = options;
  if (at === "start" && fs.writeLarge !== undefined) return fs.writeLarge(caller, inner, content, { ...options, at });
  return fs.write(caller, inner, await wholeContent(content, path), options);
}
