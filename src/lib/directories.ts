// Directories of this computer: their names, and making changes of them durable.

import { closeSync, constants, type Dirent, fsync, openSync, readdirSync } from "node:fs";

/** Makes an open file durable. */
export function syncDescriptor(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => fsync(descriptor, (error) => (error === null ? resolve() : reject(error))));
}

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

/** Makes renames and unlinks in the directory durable. Calls during a sync share the next one, which begins after them. */
export function syncDirectory(path: string): Promise<void> {
  const running = syncs.get(path);
  if (running === undefined) return sync(path);
  running.next ??= running.now.catch(() => {}).then(() => sync(path));
  return running.next;
}

interface Sync {
  readonly now: Promise<void>;
  next: Promise<void> | null;
}

const syncs = new Map<string, Sync>();

function sync(path: string): Promise<void> {
  const running: Sync = { now: synced(path), next: null };
  syncs.set(path, running);
  const over = () => {
    if (running.next === null) syncs.delete(path);
  };
  running.now.then(over, over);
  return running.now;
}

async function synced(path: string): Promise<void> {
  const directory = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await syncDescriptor(directory);
  } finally {
    closeSync(directory);
  }
}
