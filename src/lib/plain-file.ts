// Reading small files of our own where anything may have come in their place: a pipe there would be waited for, and with it everything.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Throws as the host does, also where what stands there is no file. */
export function readPlainFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw Object.assign(new Error(`${path} is no file`), { code: "EINVAL", path });
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
