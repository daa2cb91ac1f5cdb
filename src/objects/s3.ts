// Objects in a bucket of an S3-compatible server: bytes under their checksum, a sidecar per key, metadata in rows.
// Guaranteed: an acknowledged put is in the bucket and its row on disk; a reader sees the old or the new version, whole; rename, append,
// exclusive and conditional writes are atomic for all users of this kernel, the only writer; after a crash a change is complete or
// undone, its sidecar included.
// Not guaranteed: any of this if someone else writes below the same prefix. Unused bytes may stay after a crash or an outage, until
// `gsv storage gc`.

import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { Clock } from "../lib/clock.ts";
import type { Bucket } from "./bucket.ts";
import { Changes, checkPlace, checkRename, present } from "./changes.ts";
import { emptyDirectory, hostError } from "./host.ts";
import { checkKey, isRealRename, TEMPORARIES } from "./keys.ts";
import type {
  Bytes,
  NewObject,
  ObjectIntent,
  ObjectMeta,
  ObjectRows,
  Receipt,
  StoredItem,
  StoredObjects,
} from "./objects.ts";
import { EMPTY_SHA256, putSidecar, s3Bytes, sidecarText } from "./s3-bytes.ts";
import { bytesName, sidecarName, sidecarOf } from "./s3-names.ts";
import { type Spooled, spooled } from "./spool.ts";

const PAGE_ROWS = 200;

export interface S3Options {
  /** Created at the first request. */
  readonly bucket: () => Promise<Bucket>;
  readonly place: string;
  /** Partial files go to `.tmp` in it. */
  readonly directory: string;
  readonly rows: ObjectRows;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export function s3Objects(options: S3Options): StoredObjects {
  return new S3Objects(options);
}

class S3Objects implements StoredObjects {
  readonly bytes: Bytes;
  private readonly rows: ObjectRows;
  private readonly changes: Changes;
  private readonly temporaries: string;
  /** Number of puts in progress, by checksum. */
  private readonly inUse = new Map<string, number>();
  private readonly uploads = new Map<string, Promise<void>>();
  /** Deletions in progress, by checksum: a put of the same bytes waits. */
  private readonly deletions = new Map<string, Promise<void>>();

  constructor(private readonly options: S3Options) {
    this.rows = options.rows;
    this.temporaries = join(options.directory, TEMPORARIES);
    this.bytes = s3Bytes({ bucket: options.bucket, place: options.place, temporaries: this.temporaries });
    this.changes = new Changes(options.rows, (intent) => this.isComplete(intent));
  }

  head(key: string): Promise<ObjectMeta | null> {
    return this.rows.get(key);
  }

  heads(keys: readonly string[]): Promise<readonly ObjectMeta[]> {
    return this.rows.some(keys);
  }

  page(prefix: string, after: string | null, limit: number): Promise<readonly ObjectMeta[]> {
    return this.rows.page(prefix, after, limit);
  }

  async read(key: string, range: { readonly offset: number; readonly bytesMax: number }): Promise<Uint8Array> {
    checkKey(key);
    for (;;) {
      const meta = await present(this.rows, key);
      const { offset } = range;
      const bytesMax = Math.min(range.bytesMax, meta.size - offset);
      if (bytesMax <= 0) return new Uint8Array();
      const bytes = await (await this.options.bucket()).get(bytesName(meta.sha256), { offset, bytesMax });
      if (bytes?.byteLength === bytesMax) return bytes;
      if (bytes !== null) throw new SysError("EIO", `the content of ${key} is incomplete in ${this.options.place}`);
      // Replaced meanwhile, and its bytes deleted.
      if ((await this.rows.get(key))?.sha256 === meta.sha256)
        throw new SysError("EIO", `the content of ${key} is missing from ${this.options.place}`);
    }
  }

  async put(object: NewObject, bytes: Uint8Array | AsyncIterable<Uint8Array>, receipt?: Receipt): Promise<ObjectMeta> {
    checkKey(object.key);
    const id = this.newId();
    return spooled(bytes, join(this.temporaries, id), async ({ size, sha256, body }) => {
      const meta = { ...object, size, sha256 };
      const bucket = await this.options.bucket();
      this.inUse.set(sha256, (this.inUse.get(sha256) ?? 0) + 1);
      const before: string[] = [sha256];
      try {
        await this.upload(meta, body);
        await this.changes.run(
          { id, kind: "put", meta, temporary: "", ...(receipt && { receipt }) },
          {
            allowed: async () => {
              await checkPlace(this.rows, meta.key);
              before.push((await this.rows.get(meta.key))?.sha256 ?? sha256);
            },
            move: () => putSidecar(bucket, meta),
          },
        );
        return meta;
      } finally {
        this.inUse.set(sha256, (this.inUse.get(sha256) ?? 1) - 1);
        if (this.inUse.get(sha256) === 0) this.inUse.delete(sha256);
        await this.release(before);
      }
    }).catch((error) => {
      throw hostError(error, `cannot store ${object.key}`);
    });
  }

  async putEmpty(objects: readonly NewObject[]): Promise<void> {
    for (const object of objects) await this.put(object, new Uint8Array());
  }

  async setMeta(meta: ObjectMeta): Promise<void> {
    const bucket = await this.options.bucket();
    const { size, sha256, dirmarker, symlink } = await present(this.rows, meta.key);
    const wanted = { ...meta, size, sha256, dirmarker, symlink };
    await this.changes.run(
      { id: this.newId(), kind: "put", meta: wanted, temporary: "" },
      {
        allowed: async () => {
          // Changed meanwhile.
          if ((await present(this.rows, meta.key)).sha256 !== sha256)
            throw new SysError("EAGAIN", `${meta.key} was being written to`, ["try again"]);
        },
        move: () => putSidecar(bucket, wanted),
      },
    );
  }

  async remove(key: string, receipt?: Receipt): Promise<void> {
    checkKey(key);
    const bucket = await this.options.bucket();
    const before: string[] = [];
    await this.changes.run(
      { id: this.newId(), kind: "remove", key, ...(receipt && { receipt }) },
      {
        allowed: async () => void before.push((await present(this.rows, key)).sha256),
        move: () => bucket.remove(sidecarName(key)),
      },
    );
    await this.release(before);
  }

  async rename(from: string, to: string, receipt?: Receipt): Promise<void> {
    if (!isRealRename(from, to)) return;
    const before: string[] = [];
    await this.changes.run(
      { id: this.newId(), kind: "rename", from, to, ...(receipt && { receipt }) },
      {
        allowed: async () => {
          await checkRename(this.rows, from, to);
          await checkPlace(this.rows, to);
          const replaced = await this.rows.get(to);
          if (replaced !== null) before.push(replaced.sha256);
        },
        move: () => this.moveSidecars(from, to),
      },
    );
    await this.release(before);
  }

  /** A server that is down must not block the start: open intents are settled before the next change. */
  async recover(): Promise<number> {
    const open = (await this.rows.intents()).length;
    await this.changes.between(async () => {
      if (open > 0) await this.changes.settle().catch(() => undefined);
      await emptyDirectory(this.temporaries);
    });
    return open;
  }

  discard(item: StoredItem, beforeMs: number): Promise<boolean> {
    if (item.mtimeMs >= beforeMs) return Promise.resolve(false);
    return this.changes.between(async () => {
      if (await this.isClaimed(item)) return false;
      await this.bytes.discard(item);
      return true;
    });
  }

  private async isClaimed({ key, sha256 }: Pick<StoredItem, "key" | "sha256">): Promise<boolean> {
    if ((await this.rows.intents()).length > 0) return true;
    if (key !== undefined && (await this.rows.get(key)) !== null) return true;
    return sha256 !== undefined && ((await this.rows.holds(sha256)) || this.inUse.has(sha256));
  }

  /** Does not rewrite existing bytes: some servers do not isolate readers from a writer. */
  private async upload(meta: ObjectMeta, body: Spooled["body"]): Promise<void> {
    const { sha256, size } = meta;
    await this.deletions.get(sha256);
    if (size === 0 || ((await this.rows.holds(sha256)) && (await this.bytes.has(meta)))) return;
    const bucket = await this.options.bucket();
    const coming =
      this.uploads.get(sha256) ?? bucket.put(bytesName(sha256), body).finally(() => this.uploads.delete(sha256));
    this.uploads.set(sha256, coming);
    await coming;
  }

  /** A rename is completed: its sidecars can be rebuilt from the rows. */
  private async isComplete(intent: ObjectIntent): Promise<boolean> {
    const bucket = await this.options.bucket();
    switch (intent.kind) {
      case "put":
        return (await sidecarText(bucket, intent.meta.key)) === sidecarOf(intent.meta);
      case "remove":
        await bucket.remove(sidecarName(intent.key));
        return true;
      case "rename":
        await this.moveSidecars(intent.from, intent.to);
        return true;
    }
  }

  private async moveSidecars(from: string, to: string): Promise<void> {
    const bucket = await this.options.bucket();
    const move = async (meta: ObjectMeta) => {
      await putSidecar(bucket, { ...meta, key: to + meta.key.slice(from.length) });
      await bucket.remove(sidecarName(meta.key));
    };
    const itself = await this.rows.get(from);
    if (itself !== null) return move(itself);
    for (let after: string | null = null; ; ) {
      const page: readonly ObjectMeta[] = await this.rows.page(`${from}/`, after, PAGE_ROWS);
      for (const meta of page) await move(meta);
      after = page.at(-1)?.key ?? null;
      if (after === null) return;
    }
  }

  /** Deletes bytes that no object uses. Decided between changes, so that no object can just have got them. Failures are left to gc. */
  private async release(hashes: readonly string[]): Promise<void> {
    for (const sha256 of new Set(hashes)) {
      const gone = await this.changes.between(async () => {
        if (sha256 === EMPTY_SHA256 || (await this.isClaimed({ sha256 }))) return null;
        const going = this.deleteBytes(sha256).finally(() => this.deletions.delete(sha256));
        this.deletions.set(sha256, going);
        return { going };
      });
      await gone?.going;
    }
  }

  private async deleteBytes(sha256: string): Promise<void> {
    try {
      await (await this.options.bucket()).remove(bytesName(sha256));
    } catch {
      // Left to gc.
    }
  }

  private newId(): string {
    return uuidv7(this.options.clock.now(), this.options.random);
  }
}
