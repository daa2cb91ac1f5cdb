// Git's loose objects, read and written without starting git. A new object is complete and synced before it has its name.

import { existsSync, readFileSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";

export type ObjectKind = "blob" | "tree" | "commit";

export interface NewObject {
  readonly id: string;
  readonly bytes: Buffer;
}

/** zlib: largest window, with header. */
const WITH_HEADER = 15;
/** As git writes them: fast rather than small; packing makes them small. */
const LEVEL = 1;

/** Null if there is no such loose object; it may be in a pack. Throws if its bytes are damaged. */
export function readLoose(gitDir: string, id: string): { kind: string; body: Buffer } | null {
  const path = pathOf(gitDir, id);
  if (!existsSync(path)) return null;
  const bytes = Buffer.from(Bun.inflateSync(new Uint8Array(readFileSync(path)), { windowBits: WITH_HEADER }));
  const end = bytes.indexOf(0);
  return { kind: bytes.toString("latin1", 0, end).split(" ")[0] ?? "", body: bytes.subarray(end + 1) };
}

export function newObject(kind: ObjectKind, body: Uint8Array): NewObject {
  const bytes = Buffer.concat([Buffer.from(`${kind} ${body.byteLength}\0`), body]);
  return { id: new Bun.CryptoHasher("sha1").update(bytes).digest("hex"), bytes };
}

/** Replaces an object that exists: its age might let a prune delete it now. */
export async function storeLoose(gitDir: string, { id, bytes }: NewObject): Promise<void> {
  const path = pathOf(gitDir, id);
  await mkdir(dirname(path), { recursive: true });
  // A gc removes abandoned files of this name.
  const draft = join(dirname(path), `tmp_obj_${id.slice(2)}`);
  await rm(draft, { force: true });
  try {
    await writeSynced(draft, deflateSync(bytes, { level: LEVEL }), { flag: "wx", mode: 0o444 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

export async function writeSynced(
  path: string,
  bytes: string | Uint8Array,
  { flag, mode }: { readonly flag: string; readonly mode?: number } = { flag: "w" },
): Promise<void> {
  const file = await open(path, flag, mode);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function pathOf(gitDir: string, id: string): string {
  return join(gitDir, "objects", id.slice(0, 2), id.slice(2));
}
