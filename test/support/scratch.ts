// Temporary directories of tests: in memory if the host has such a place, because a test of something other than durability
// should not wait for a disk.

import { accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IN_MEMORY = "/dev/shm";

const ROOM_BYTES_MIN = 2 * 1024 ** 3;

/** For a whole run of tests, with the programs that they write and start. */
export function scratchForRun(): string {
  const directory = scratchDirectory("test");
  if (directory.startsWith(IN_MEMORY) && !(hasRoom(directory) && runsPrograms(directory))) {
    rmSync(directory, { recursive: true });
    return mkdtempSync(join(tmpdir(), "gsv-test-"));
  }
  return directory;
}

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

function hasRoom(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize >= ROOM_BYTES_MIN;
}

/** Containers often refuse that. */
function runsPrograms(directory: string): boolean {
  const program = join(directory, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
  try {
    return Bun.spawnSync([program], { env: {} }).success;
  } catch {
    return false;
  } finally {
    rmSync(program);
  }
}
