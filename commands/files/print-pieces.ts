// The bytes of a file on stdout: as they are into a pipe, inert on a terminal, where binary data is refused.

import { SysError } from "../../src/abi/errno.ts";
import { isBinary } from "../../src/lib/binary.ts";
import { quoted } from "../../src/lib/text/quote.ts";
import type { Io } from "../command.ts";
import { ForeignOutput } from "../io/foreign-output.ts";

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
