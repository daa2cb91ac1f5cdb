// Restores objects from the sidecars of a bucket, for a home that lost its rows. Only reads the bucket. An object that is here and not older
// stays; each restored object is compared with its checksum first.

import { SysError } from "../abi/errno.ts";
import { pieces } from "./move.ts";
import type { Bytes, ObjectMeta, ObjectStore } from "./objects.ts";

export interface Unread {
  readonly name: string;
  readonly why: string;
}

export interface Rebuilt {
  readonly found: number;
  readonly restored: number;
  readonly same: number;
  /** Objects that are newer here. */
  readonly kept: number;
  readonly bytes: number;
  readonly unread: readonly Unread[];
}

export interface Rebuild {
  readonly from: Bytes;
  readonly to: Pick<ObjectStore, "head" | "put">;
  readonly dryRun: boolean;
}

export async function rebuild({ from, to, dryRun }: Rebuild): Promise<Rebuilt> {
  const sum = { found: 0, restored: 0, same: 0, kept: 0, bytes: 0, unread: [] as Unread[] };
  for await (const { name, meta } of from.recorded()) {
    sum.found++;
    const here = meta === null ? null : await to.head(meta.key);
    if (meta !== null && here !== null && here.sha256 === meta.sha256) sum.same++;
    else if (meta !== null && here !== null && here.mtimeMs >= meta.mtimeMs) sum.kept++;
    else {
      const why = meta === null ? "not a sidecar of gsv" : await restored({ from, to, dryRun }, meta);
      if (why !== null) sum.unread.push({ name: meta === null ? name : `/${meta.key}`, why });
      else if (meta !== null) {
        sum.restored++;
        sum.bytes += meta.size;
      }
    }
  }
  return { ...sum, unread: sum.unread.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** Null if restored, or why not. */
async function restored({ from, to, dryRun }: Rebuild, meta: ObjectMeta): Promise<string | null> {
  const sha256 = await from.sha256(meta);
  if (sha256 !== meta.sha256) return sha256 === null ? "its content is missing" : "its content is damaged";
  if (dryRun) return null;
  try {
    await to.put(meta, pieces(from, meta));
    return null;
  } catch (error) {
    // A file here stands where the object needs a directory, or the other way round.
    if (error instanceof SysError && (error.code === "EISDIR" || error.code === "ENOTDIR")) return error.message;
    throw error;
  }
}
