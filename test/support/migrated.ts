// The kernel.db that a kernel makes of an empty home first. Made once in a process: migrating is a quarter of a start, and a test of
// migrations makes its own.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openKernelDb } from "../../src/store/kernel/open.ts";
import { scratchDirectory } from "./scratch.ts";

let bytes: Uint8Array | undefined;

export function migratedDb(): Uint8Array {
  bytes ??= made();
  return bytes;
}

function made(): Uint8Array {
  const directory = scratchDirectory("migrated");
  try {
    const file = join(directory, "kernel.db");
    openKernelDb(file, { now: 1 }).db.close();
    return readFileSync(file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
