// Endless devices in the shell: programs that read in pieces get as much as a file may have, those that read all at once get less. Both
// report the cut.

import { SysError } from "../../abi/errno.ts";
import type { RandomBytes } from "../../abi/ids.ts";
import { sizeText } from "../../lib/text/size.ts";

/** For readers of the whole file. */
export const ENDLESS_BYTES = 64 * 1024;
const RANDOM_STEP = 65_536;

export function isEndless(path: string): boolean {
  return /^\/dev\/(?:zero|u?random)$/.test(path);
}

export function endlessBytes(path: string, length: number, random: RandomBytes): Uint8Array {
  const bytes = new Uint8Array(length);
  if (path !== "/dev/zero")
    for (let at = 0; at < bytes.byteLength; at += RANDOM_STEP)
      bytes.set(random(Math.min(RANDOM_STEP, bytes.byteLength - at)), at);
  return bytes;
}

/** `bytes`: how much was read. */
export function endlessError(path: string, bytes: number): SysError {
  return new SysError("EFBIG", `${path}: endless device${bytes === 0 ? "" : `, cut after ${sizeText(bytes)}`}`);
}
