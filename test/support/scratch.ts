// Where tests put what they throw away: in memory where the machine has a place for it, because a test that is not about durability
// should not wait for a disk.

import { accessSync, constants, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";

export function scratchDirectory(name: string): string {
  return mkdtempSync(join(canWrite(IN_MEMORY) ? IN_MEMORY : tmpdir(), `gsv-${name}-`));
}

function canWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
