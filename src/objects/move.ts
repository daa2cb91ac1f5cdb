// Moves all bytes from one driver to another and verifies each object at its destination. Objects that arrived earlier are not sent
// again, so an interrupted move resumes. Deletes nothing at the source and changes no rows.

import { SysError } from "../abi/errno.ts";
import type { Bytes, ContentRef, ObjectMeta, ObjectRows } from "./objects.ts";

const PAGE_ROWS = 200;
const PIECE_BYTES = 1024 * 1024;

export interface Moving {
  readonly from: Bytes;
  readonly to: Bytes;
  readonly rows: Pick<ObjectRows, "get" | "page">;
  /** Objects moved in earlier rounds: key to state. */
  readonly done: Map<string, string>;
  /** Called when an object is at the destination and verified. */
  readonly onMoved?: (meta: ObjectMeta) => void;
}

export interface MoveResult {
  readonly objects: number;
  /** Objects already at the destination. */
  readonly found: number;
  readonly bytes: number;
}

/** One round over all objects. Later changes are for the next round. */
export async function moveAll(moving: Moving): Promise<MoveResult> {
  const sum = { objects: 0, found: 0, bytes: 0 };
  for (let after: string | null = null; ; ) {
    const page: readonly ObjectMeta[] = await moving.rows.page("", after, PAGE_ROWS);
    for (const meta of page) {
      const mark = JSON.stringify(meta);
      if (moving.done.get(meta.key) === mark) continue;
      const how = await moveOne(moving, meta);
      if (how === "changed") continue;
      moving.done.set(meta.key, mark);
      moving.onMoved?.(meta);
      sum.objects++;
      if (how === "found") sum.found++;
      else sum.bytes += meta.size;
    }
    after = page.at(-1)?.key ?? null;
    if (after === null) return sum;
  }
}

async function moveOne({ from, to, rows }: Moving, meta: ObjectMeta): Promise<"moved" | "found" | "changed"> {
  // Unreadable objects from an interrupted move are sent again.
  const isThere = (await to.sha256(meta).catch(() => null)) === meta.sha256;
  try {
    await to.adopt(meta, isThere ? null : pieces(from, meta));
    if (isThere) return meta.size > 0 ? "found" : "moved";
    if ((await to.sha256(meta)) === meta.sha256) return "moved";
  } catch (error) {
    if (isSame(await rows.get(meta.key), meta)) throw error;
  }
  if (!isSame(await rows.get(meta.key), meta)) return "changed";
  throw new SysError("EIO", `not moved: /${meta.key} arrived damaged; the storage was not switched`, [
    "find damaged files: gsv storage verify. Restore or delete them, then run this again",
  ]);
}

function isSame(now: ContentRef | null, meta: ContentRef): boolean {
  return now?.sha256 === meta.sha256;
}

/** The content in chunks. */
export async function* pieces(from: Bytes, ref: ContentRef): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ; ) {
    const bytes = await from.read(ref, { offset, bytesMax: PIECE_BYTES });
    if (bytes.byteLength === 0) return;
    yield bytes;
    offset += bytes.byteLength;
  }
}
