// Reads a whole file of this computer, up to a limit. Counts the bytes read, because a pipe has no size and a file may grow.

import type { SysError } from "../../src/abi/errno.ts";
import type { Io } from "../command.ts";

export async function wholeHostFile(
  io: Io,
  path: string,
  { bytesMax, tooLong }: { readonly bytesMax: number; readonly tooLong: () => SysError },
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (await io.host()).read(path)) {
    size += piece.byteLength;
    if (size > bytesMax) throw tooLong();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
