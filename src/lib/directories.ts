// Directories of this computer: their names, and making changes of them durable.

import { constants, type Dirent, readdirSync } from "node:fs";
import { open } from "node:fs/promises";

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
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
