// Moves all bytes from one driver to another; each object is read back and checked where it arrived. What arrived before is not sent again,
// so a move that was cut off goes on where it was. Nothing is deleted at the source, and the rows stay as they are.

import { SysError } from "../abi/errno.ts";
import type { Bytes, ObjectMeta, ObjectRows, Which } from "./objects.ts";

const PAGE_ROWS = 200;
const PIECE_BYTES = 1024 * 1024;

export interface Moving {
  readonly from: Bytes;
  readonly to: Bytes;
  readonly rows: Pick<ObjectRows, "get" | "page">;
  /** What earlier rounds moved: key to what it was then. */
  readonly done: Map<string, string>;
}

export interface Moved {
  readonly objects: number;
  /** That were there before. */
  readonly found: number;
  readonly bytes: number;
}

/** One round through all objects. What changes meanwhile is for the next. */
export async function moveAll(moving: Moving): Promise<Moved> {
  const sum = { objects: 0, found: 0, bytes: 0 };
  for (let after: string | null = null; ; ) {
    const page: readonly ObjectMeta[] = await moving.rows.page("", after, PAGE_ROWS);
    for (const meta of page) {
      const mark = JSON.stringify(meta);
      if (moving.done.get(meta.key) === mark) continue;
      const how = await moveOne(moving, meta);
      if (how === "changed") continue;
      moving.done.set(meta.key, mark);
      sum.objects++;
      if (how === "found") sum.found++;
      else sum.bytes += meta.size;
    }
    after = page.at(-1)?.key ?? null;
    if (after === null) return sum;
  }
}

async function moveOne({ from, to, rows }: Moving, meta: ObjectMeta): Promise<"moved" | "found" | "changed"> {
  // What cannot be read there, because a move was cut short, is sent again.
  const isThere = (await to.sha256(meta).catch(() => null)) === meta.sha256;
  try {
    await to.adopt(meta, isThere ? null : pieces(from, meta));
    if (isThere) return meta.size > 0 ? "found" : "moved";
    if ((await to.sha256(meta)) === meta.sha256) return "moved";
  } catch (error) {
    if (isSame(await rows.get(meta.key), meta)) throw error;
  }
  if (!isSame(await rows.get(meta.key), meta)) return "changed";
  throw new SysError("EIO", `not moved: /${meta.key} does not arrive as it was stored; nothing was switched`, [
    "gsv storage verify says what is damaged; restore it or delete it, then go on with the same command",
  ]);
}

function isSame(now: Which | null, meta: Which): boolean {
  return now?.sha256 === meta.sha256;
}

/** All of them, a piece at a time. */
export async function* pieces(from: Bytes, which: Which): AsyncGenerator<Uint8Array> {
  for (let offset = 0; ; ) {
    const bytes = await from.read(which, { offset, bytesMax: PIECE_BYTES });
    if (bytes.byteLength === 0) return;
    yield bytes;
    offset += bytes.byteLength;
  }
}
