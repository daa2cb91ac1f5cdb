// Compares rows with bytes: objects whose bytes are missing or damaged, and bytes that belong to no object. Objects change meanwhile, so
// whatever looks wrong is looked at again before it is reported. Holds one piece of one object in memory at a time.

import type { Bytes, Lying, ObjectIntent, ObjectRows, Which } from "./objects.ts";

/** What the rows say now. */
export interface Known {
  get(key: string): Promise<Which | null>;
  holds(sha256: string): Promise<boolean>;
  /** Keys whose bytes are being moved, or were when a kernel died. */
  moving(): Promise<readonly string[]>;
}

export function knownIn(rows: ObjectRows): Known {
  return {
    get: (key) => rows.get(key),
    holds: (sha256) => rows.holds(sha256),
    moving: async () => (await rows.intents()).flatMap(keysOf),
  };
}

/** Whether the change moves the bytes of that key, or of the directory it lies in. */
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

/** Null when the bytes are the ones that were stored. Throws when that cannot be found out. */
export async function faultOf(bytes: Bytes, known: Known, which: Which): Promise<Fault | null> {
  // A second time, because a file may have been taken away and written again as it was between two questions.
  return (await faultNow(bytes, known, which)) && (await faultNow(bytes, known, which));
}

async function faultNow(bytes: Bytes, known: Known, which: Which): Promise<Fault | null> {
  const sha256 = await bytes.sha256(which);
  if (sha256 === which.sha256 || !(await isAtRest(known, which))) return null;
  return sha256 === null ? "missing" : "damaged";
}

/** Whether the row still says so, and nothing is on its way. What moves is asked first: a change that ends after that shows in the row. */
export async function isAtRest(known: Known, { key, sha256 }: Which): Promise<boolean> {
  if (isAmong(await known.moving(), key)) return false;
  return (await known.get(key))?.sha256 === sha256;
}

/** What belongs to no object and to no change under way; half-written bytes among it. */
export async function* strays(bytes: Bytes, known: Known): AsyncGenerator<Lying> {
  // Last, because what was just taken away has no row any more.
  for await (const lying of bytes.listed())
    if (!(await isKnown(lying, known)) && (await bytes.lies(lying))) yield lying;
}

async function isKnown({ kind, key, sha256 }: Lying, known: Known): Promise<boolean> {
  if (kind === "temporary") return false;
  if (sha256 !== undefined) return known.holds(sha256);
  if (key === undefined) return false;
  return isAmong(await known.moving(), key) || (await known.get(key)) !== null;
}
