// Writes a new file on this computer, completely or not at all. Overwrites only if asked to.

import { SysError } from "../../src/abi/errno.ts";
import type { Io } from "../command.ts";
import { inOnePiece } from "./one-chunk.ts";

export async function writeNew(io: Io, file: string, text: string, force: boolean): Promise<void> {
  const host = await io.host();
  if (!force && (await host.look(file, { follow: true })) !== null)
    throw new SysError("EEXIST", `${file} already exists`, ["--force overwrites it"]);
  await host.write(file, inOnePiece(Buffer.from(text.endsWith("\n") ? text : `${text}\n`)), {});
}
