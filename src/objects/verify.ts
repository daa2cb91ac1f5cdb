// Compares rows with bytes: objects whose bytes are missing or damaged, and bytes without an object. Objects may change meanwhile, so
// every finding is checked twice. Holds one chunk in memory at a time.

import type { Bytes, ContentRef, ObjectIntent, ObjectRows, StoredItem } from "./objects.ts";

export interface CurrentRows {
  get(key: string): Promise<ContentRef | null>;
  holds(sha256: string): Promise<boolean>;
  /** Keys with an unfinished change. */
  moving(): Promise<readonly string[]>;
}

export function currentRows(rows: ObjectRows): CurrentRows {
  return {
    get: (key) => rows.get(key),
    holds: (sha256) => rows.holds(sha256),
    moving: async () => (await rows.intents()).flatMap(keysOf),
  };
}

/** True if the change moves this key's bytes, or its directory. */
export function concerns(intent: ObjectIntent, key: string): boolean {
  return isAmong(keysOf(intent), key);
}

function keysOf(intent: ObjectIntent): string[] {
  if (intent.kind === "rename") return [intent.from, intent.to];
  return [intent.kind === "put" ? intent.meta.key : intent.key];
}

function isAmong(moving: readonly string[], key: string): boolean {
  return moving.some((moved) => key === moved || key.startsWith(`${moved}/`));
}

export type Fault = "missing" | "damaged";

/** Null if the bytes are intact. Throws if they cannot be checked. */
export async function faultOf(bytes: Bytes, rows: CurrentRows, ref: ContentRef): Promise<Fault | null> {
  // Twice: the file may have been replaced between the two reads.
  return (await faultNow(bytes, rows, ref)) && (await faultNow(bytes, rows, ref));
}

async function faultNow(bytes: Bytes, rows: CurrentRows, ref: ContentRef): Promise<Fault | null> {
  const sha256 = await bytes.sha256(ref);
  if (sha256 === ref.sha256 || !(await isAtRest(rows, ref))) return null;
  return sha256 === null ? "missing" : "damaged";
}

/** True if the row is unchanged and no change is in progress. Intents are read first: a change that ends later shows in the row. */
export async function isAtRest(rows: CurrentRows, { key, sha256 }: ContentRef): Promise<boolean> {
  if (isAmong(await rows.moving(), key)) return false;
  return (await rows.get(key))?.sha256 === sha256;
}

/** Bytes that belong to no object and no change in progress, partial files included. */
export async function* strays(bytes: Bytes, rows: CurrentRows): AsyncGenerator<StoredItem> {
  // Check last: a deleted object has no row any more.
  for await (const item of bytes.list())
    if (!(await isKnown(item, rows)) && (await bytes.isUnchanged(item))) yield item;
}

async function isKnown({ kind, key, sha256 }: StoredItem, rows: CurrentRows): Promise<boolean> {
  if (kind === "temporary") return false;
  if (sha256 !== undefined) return rows.holds(sha256);
  if (key === undefined) return false;
  return isAmong(await rows.moving(), key) || (await rows.get(key)) !== null;
}
