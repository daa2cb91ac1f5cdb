// Names in a directory that may be missing, unreadable or no directory: then there are none.

import { type Dirent, readdirSync } from "node:fs";

export function listDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

export function listEntries(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
