// Directories of this computer: their names, and making changes of them durable.

import { closeSync, constants, type Dirent, fsync, openSync, readdirSync } from "node:fs";
import { promisify } from "node:util";

/** Makes an open file durable. */
export const syncDescriptor: (descriptor: number) => Promise<void> = promisify(fsync);

/** Empty if the directory is missing or unreadable, or if it is none. */
export function listDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** The same with types. */
export function listEntries(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Makes renames and unlinks in the directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await syncDescriptor(directory);
  } finally {
    closeSync(directory);
  }
}
