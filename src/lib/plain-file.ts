// Reads small files of gsv that may have been replaced by something else: a pipe would block.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Throws errors of the host, and EINVAL if it is not a file. */
export function readPlainFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw Object.assign(new Error(`${path} is no file`), { code: "EINVAL", path });
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
