// Objects in a bucket of an S3-compatible server: bytes under their checksum, a sidecar for each key, metadata in rows.
// Promised: what a put acknowledged is in the bucket, and its row is on disk; a reader sees the old or the new content, whole; rename,
// append, exclusive and conditional writes hold for everyone who comes through this kernel, because it alone writes and does so one
// change at a time; after a crash each change is true or undone, its sidecar with it.
// Not promised: any of that against somebody else who writes below the same prefix. And bytes that nobody needs any more may outlive a
// crash or a server that was away, until `gsv storage gc`.

import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { Clock } from "../lib/clock.ts";
import type { Bucket } from "./bucket.ts";
import { Changes, mayRename, mayStand, present } from "./changes.ts";
import { hostError, kindAt } from "./host.ts";
import { checkKey, isRealRename, TEMPORARIES } from "./keys.ts";
import type {
  Bytes,
  Lying,
  NewObject,
  ObjectIntent,
  ObjectMeta,
  ObjectRows,
  Receipt,
  StoredObjects,
} from "./objects.ts";
import { NOTHING, putSidecar, s3Bytes, sidecarText } from "./s3-bytes.ts";
import { bytesName, sidecarName, sidecarOf } from "./s3-names.ts";
import { type Spooled, spooled } from "./spool.ts";

const PAGE_ROWS = 200;

export interface S3Options {
  /** Made at the first request. */
  readonly bucket: () => Promise<Bucket>;
  readonly place: string;
  /** For bytes on their way, in `.tmp`. */
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
  /** Bytes on their way: how many puts need each. */
  private readonly wanted = new Map<string, number>();
  private readonly coming = new Map<string, Promise<void>>();
  /** Bytes being taken away; who wants the same ones waits. */
  private readonly going = new Map<string, Promise<void>>();

  constructor(private readonly options: S3Options) {
    this.rows = options.rows;
    this.temporaries = join(options.directory, TEMPORARIES);
    this.bytes = s3Bytes({ bucket: options.bucket, place: options.place, temporaries: this.temporaries });
    this.changes = new Changes(options.rows, (intent) => this.cameTrue(intent));
  }

  head(key: string): Promise<ObjectMeta | null> {
    return this.rows.get(key);
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
      if (bytes !== null) throw new SysError("EIO", `the bytes of ${key} are cut short in ${this.options.place}`);
      // Replaced since, and its bytes taken away.
      if ((await this.rows.get(key))?.sha256 === meta.sha256)
        throw new SysError("EIO", `the bytes of ${key} are missing from ${this.options.place}`);
    }
  }

  async put(object: NewObject, bytes: Uint8Array | AsyncIterable<Uint8Array>, receipt?: Receipt): Promise<ObjectMeta> {
    checkKey(object.key);
    const id = this.newId();
    return spooled(bytes, join(this.temporaries, id), async ({ size, sha256, body }) => {
      const meta = { ...object, size, sha256 };
      const bucket = await this.options.bucket();
      this.wanted.set(sha256, (this.wanted.get(sha256) ?? 0) + 1);
      const before: string[] = [sha256];
      try {
        await this.bring(meta, body);
        await this.changes.run(
          { id, kind: "put", meta, temporary: "", ...(receipt && { receipt }) },
          {
            allowed: async () => {
              await mayStand(this.rows, meta.key);
              before.push((await this.rows.get(meta.key))?.sha256 ?? sha256);
            },
            move: () => putSidecar(bucket, meta),
          },
        );
        return meta;
      } finally {
        this.wanted.set(sha256, (this.wanted.get(sha256) ?? 1) - 1);
        if (this.wanted.get(sha256) === 0) this.wanted.delete(sha256);
        await this.release(before);
      }
    }).catch((error) => {
      throw hostError(error, `cannot store ${object.key}`);
    });
  }

  async setMeta(meta: ObjectMeta): Promise<void> {
    const bucket = await this.options.bucket();
    const { size, sha256, dirmarker, symlink } = await present(this.rows, meta.key);
    const wanted = { ...meta, size, sha256, dirmarker, symlink };
    await this.changes.run(
      { id: this.newId(), kind: "put", meta: wanted, temporary: "" },
      {
        allowed: async () => {
          // Written to since: whoever asked looks again.
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
          await mayRename(this.rows, from, to);
          await mayStand(this.rows, to);
          const replaced = await this.rows.get(to);
          if (replaced !== null) before.push(replaced.sha256);
        },
        move: () => this.moveSidecars(from, to),
      },
    );
    await this.release(before);
  }

  /** A server that is away keeps nobody from starting: what is open is settled before the next change. */
  async recover(): Promise<number> {
    const open = (await this.rows.intents()).length;
    await this.changes.between(async () => {
      if (open > 0) await this.changes.settle().catch(() => undefined);
      if ((await kindAt(this.temporaries)) !== "directory") return;
      for (const name of await readdir(this.temporaries))
        await unlink(join(this.temporaries, name)).catch(() => undefined);
    });
    return open;
  }

  discard(lying: Lying, beforeMs: number): Promise<boolean> {
    if (lying.mtimeMs >= beforeMs) return Promise.resolve(false);
    return this.changes.between(async () => {
      if (await this.isClaimed(lying)) return false;
      await this.bytes.discard(lying);
      return true;
    });
  }

  private async isClaimed({ key, sha256 }: Pick<Lying, "key" | "sha256">): Promise<boolean> {
    if ((await this.rows.intents()).length > 0) return true;
    if (key !== undefined && (await this.rows.get(key)) !== null) return true;
    return sha256 !== undefined && ((await this.rows.holds(sha256)) || this.wanted.has(sha256));
  }

  /** What is there already is not written again: not every server keeps its readers apart from a writer. */
  private async bring(meta: ObjectMeta, body: Spooled["body"]): Promise<void> {
    const { sha256, size } = meta;
    await this.going.get(sha256);
    if (size === 0 || ((await this.rows.holds(sha256)) && (await this.bytes.has(meta)))) return;
    const bucket = await this.options.bucket();
    const coming =
      this.coming.get(sha256) ?? bucket.put(bytesName(sha256), body).finally(() => this.coming.delete(sha256));
    this.coming.set(sha256, coming);
    await coming;
  }

  /** A rename is rolled forward: all its sidecars can be made again from the rows. */
  private async cameTrue(intent: ObjectIntent): Promise<boolean> {
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

  /** Takes bytes away that no object has any more. Whether they may go is decided between changes, so that no object can just have got
   * them; what cannot be taken away now is left to gc. */
  private async release(hashes: readonly string[]): Promise<void> {
    for (const sha256 of new Set(hashes)) {
      const gone = await this.changes.between(async () => {
        if (sha256 === NOTHING || (await this.isClaimed({ sha256 }))) return null;
        const going = this.takeAway(sha256).finally(() => this.going.delete(sha256));
        this.going.set(sha256, going);
        return { going };
      });
      await gone?.going;
    }
  }

  private async takeAway(sha256: string): Promise<void> {
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
