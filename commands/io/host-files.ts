// Files of this computer as commands read and write them.

import { resolve } from "node:path";
import { SysError } from "../../src/abi/errno.ts";
import type { FileTarget } from "../../src/syscalls/fs/files-service.ts";
import type { Io } from "../command.ts";

/** Reads up to a limit. Counts the bytes, because a pipe has no size and a file may grow. */
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

/** Writes completely or not at all; overwrites only with `force`. */
export async function writeNew(io: Io, file: string, text: string, force: boolean): Promise<void> {
  const host = await io.host();
  if (!force && (await host.look(file, { follow: true })) !== null)
    throw new SysError("EEXIST", `${file} already exists`, ["--force overwrites it"]);
  await host.write(file, inOnePiece(Buffer.from(text.endsWith("\n") ? text : `${text}\n`)), {});
}

export async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** `host:PATH` is a file of this computer, relative to the current directory; other paths are inside gsv. */
export function fileNamed(io: Pick<Io, "cwd">, text: string): { readonly target: FileTarget; readonly path: string } {
  if (!text.startsWith("host:")) return { target: "gsv", path: text };
  return { target: "host", path: resolve(io.cwd, text.slice("host:".length)) };
}
