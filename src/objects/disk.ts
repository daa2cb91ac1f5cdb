// Objects on the local disk: bytes at <directory>/<key>, partial files in <directory>/.tmp, metadata in rows. Order of a change:
// bytes durable and intent stored, bytes moved, directory durable, then one transaction ends the intent and stores the row. After a crash
// an intent is completed if the bytes are in place, else rolled back. Changes run one at a time; only the slow part, writing the
// temporary file, runs concurrently.

import { renameSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { Clock } from "../lib/clock.ts";
import { syncDirectory } from "../lib/directories.ts";
import { sha256Hex } from "../lib/hash.ts";
import { Changes, checkPlace, checkRename, present } from "./changes.ts";
import { diskBytes } from "./disk-bytes.ts";
import {
  checkParents,
  createEmpty,
  emptyDirectory,
  hostError,
  isHostCode,
  kindAt,
  makeDirectory,
  makeParents,
  makeParentsOfAll,
  openPlainFile,
  parentsArePlain,
  pruneParents,
  readRange,
  removeEmptyDirectories,
  sha256Of,
  syncDirectories,
  writeSyncing,
} from "./host.ts";
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

export interface DiskOptions {
  readonly directory: string;
  readonly rows: ObjectRows;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export function diskObjects(options: DiskOptions): StoredObjects {
  return new DiskObjects(options);
}

class DiskObjects implements StoredObjects {
  readonly bytes: Bytes;
  private readonly directory: string;
  private readonly rows: ObjectRows;
  private readonly changes: Changes;

  constructor(private readonly options: DiskOptions) {
    this.directory = options.directory;
    this.rows = options.rows;
    this.bytes = diskBytes(options.directory);
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
    // Opened between changes, so that row and bytes match. An open file stays readable whatever happens to its name.
    const { handle, size } = await this.changes.between(() => this.open(key));
    try {
      const bytes = await readRange(handle, range.offset, range.bytesMax);
      // A reader until EOF would loop for ever, and an append would hide the damage.
      if (bytes.byteLength < Math.min(range.bytesMax, size - range.offset))
        throw cutShort(key, (await handle.stat()).size, size);
      return bytes;
    } finally {
      await handle.close();
    }
  }

  async put(object: NewObject, bytes: Uint8Array | AsyncIterable<Uint8Array>, receipt?: Receipt): Promise<ObjectMeta> {
    checkKey(object.key);
    const temporary = uuidv7(this.options.clock.now(), this.options.random);
    const path = this.temporaryPath(temporary);
    try {
      await makeDirectory(this.directory);
      await makeDirectory(dirname(path));
      const { durable, ...written } = await writeSyncing(path, bytes);
      const meta: ObjectMeta = { ...object, ...written };
      await this.changes.run(
        { id: temporary, kind: "put", meta, temporary, ...(receipt && { receipt }) },
        {
          allowed: () => this.checkPlace(meta.key),
          // The intent is stored while the file is synced.
          move: async () => {
            await durable;
            await this.moveInto(path, meta.key);
          },
        },
      );
      return meta;
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw hostError(error, `cannot store ${object.key}`);
    }
  }

  async putEmpty(objects: readonly NewObject[]): Promise<void> {
    for (const { key } of objects) checkKey(key);
    const empty = { size: 0, sha256: sha256Hex("") };
    const intents = objects.map((object) => {
      const id = this.newId();
      return { id, kind: "put" as const, meta: { ...object, ...empty }, temporary: id };
    });
    const moves = intents.map(({ id, meta }) => ({ from: this.temporaryPath(id), key: meta.key }));
    try {
      await makeDirectory(this.directory);
      await makeDirectory(join(this.directory, TEMPORARIES));
      for (const { from } of moves) createEmpty(from);
      await this.changes.runAll(intents, {
        allowed: async () => {
          for (const { key } of moves) await this.checkPlace(key);
        },
        move: () => this.moveAllInto(moves),
      });
    } catch (error) {
      for (const { from } of moves) await unlink(from).catch(() => undefined);
      throw hostError(error, `cannot store ${moves.map(({ key }) => key).join(", ")}`);
    }
  }

  setMeta(meta: ObjectMeta): Promise<void> {
    return this.changes.between(async () => {
      const { size, sha256, dirmarker, symlink } = await present(this.rows, meta.key);
      await this.rows.put({ ...meta, size, sha256, dirmarker, symlink });
    });
  }

  async remove(key: string, receipt?: Receipt): Promise<void> {
    checkKey(key);
    await this.changes
      .run(
        { id: this.newId(), kind: "remove", key, ...(receipt && { receipt }) },
        {
          allowed: async () => void (await present(this.rows, key)),
          move: () => this.unlinkBytes(key),
          after: () => pruneParents(this.directory, key),
        },
      )
      .catch((error) => {
        throw hostError(error, `cannot remove ${key}`);
      });
  }

  async rename(from: string, to: string, receipt?: Receipt): Promise<void> {
    if (!isRealRename(from, to)) return;
    await this.changes
      .run(
        { id: this.newId(), kind: "rename", from, to, ...(receipt && { receipt }) },
        {
          allowed: () => this.checkRename(from, to),
          move: () => this.moveKey(from, to),
          after: () => pruneParents(this.directory, from),
        },
      )
      .catch((error) => {
        throw hostError(error, `cannot move ${from} to ${to}`);
      });
  }

  recover(): Promise<number> {
    return this.changes.between(async () => {
      const met = await this.changes.settle();
      await emptyDirectory(join(this.directory, TEMPORARIES));
      return met;
    });
  }

  discard(item: StoredItem, beforeMs: number): Promise<boolean> {
    return this.changes.between(async () => {
      if (item.mtimeMs >= beforeMs || (await this.rows.intents()).length > 0) return false;
      if (item.key !== undefined && (await this.rows.get(item.key)) !== null) return false;
      // It may have been written since the listing.
      if (!(await this.bytes.isUnchanged(item))) return false;
      await this.bytes.discard(item);
      return true;
    });
  }

  /** True if the bytes are where the intent wants them; they are then durable. */
  private async isComplete(intent: ObjectIntent): Promise<boolean> {
    const key = intent.kind === "put" ? intent.meta.key : intent.kind === "remove" ? intent.key : intent.to;
    // A foreign file in the way must not keep gsv from starting; reading the object reports it.
    if (!(await parentsArePlain(this.directory, key))) return false;
    switch (intent.kind) {
      case "put": {
        const path = this.path(intent.meta.key);
        if ((await sha256Of(path)) !== intent.meta.sha256) return false;
        await syncDirectory(dirname(path));
        return true;
      }
      case "remove":
        await this.unlinkBytes(intent.key);
        return true;
      case "rename": {
        if ((await kindAt(this.path(intent.from))) !== null) return false;
        if ((await kindAt(this.path(intent.to))) === null) return false;
        await syncDirectory(dirname(this.path(intent.to)));
        return true;
      }
    }
  }

  private async open(key: string) {
    const { size } = await present(this.rows, key);
    try {
      await checkParents(this.directory, key);
      return { handle: await openPlainFile(this.path(key)), size };
    } catch (error) {
      if (isHostCode(error, "ENOENT"))
        throw new SysError("EIO", `the content of ${key} is missing from ${this.directory}`);
      throw hostError(error, `cannot read ${key}`);
    }
  }

  private async moveInto(temporary: string, key: string): Promise<void> {
    await makeParents(this.directory, key);
    await this.renameInto(temporary, key);
    await syncDirectory(dirname(this.path(key)));
  }

  private async moveAllInto(moves: readonly { readonly from: string; readonly key: string }[]): Promise<void> {
    const keys = moves.map(({ key }) => key);
    const grown = await makeParentsOfAll(this.directory, keys);
    for (const { from, key } of moves) await this.renameInto(from, key);
    await syncDirectories([...grown, ...keys.map((key) => dirname(this.path(key)))]);
  }

  private async renameInto(temporary: string, key: string): Promise<void> {
    const path = this.path(key);
    if ((await kindAt(path)) === "directory") await removeEmptyDirectories(path);
    renameSync(temporary, path);
  }

  private async moveKey(from: string, to: string): Promise<void> {
    await checkParents(this.directory, from);
    await makeParents(this.directory, to);
    if ((await kindAt(this.path(to))) === "directory") await removeEmptyDirectories(this.path(to));
    renameSync(this.path(from), this.path(to));
    await syncDirectory(dirname(this.path(to)));
    await syncDirectory(dirname(this.path(from)));
  }

  private async unlinkBytes(key: string): Promise<void> {
    await checkParents(this.directory, key);
    const path = this.path(key);
    if ((await kindAt(path)) === null) return;
    await unlink(path);
    await syncDirectory(dirname(path));
  }

  /** Never overwrites bytes without a row: on a case-insensitive host they may be another key's. */
  private async checkPlace(key: string): Promise<void> {
    await checkPlace(this.rows, key);
    await checkParents(this.directory, key);
    const kind = await kindAt(this.path(key));
    if (kind === "other" || (kind === "file" && (await this.rows.get(key)) === null)) {
      throw new SysError("EEXIST", `${this.path(key)} exists on the host but is not an object`, [
        "move it away, or use a name that differs in more than case",
      ]);
    }
  }

  private async checkRename(from: string, to: string): Promise<void> {
    await checkRename(this.rows, from, to);
    await this.checkPlace(to);
  }

  private newId(): string {
    return uuidv7(this.options.clock.now(), this.options.random);
  }

  private path(key: string): string {
    return join(this.directory, key);
  }

  private temporaryPath(name: string): string {
    return join(this.directory, TEMPORARIES, basename(name));
  }
}

function cutShort(key: string, bytes: number, size: number): SysError {
  return new SysError("EIO", `/${key}: damaged: only ${bytes} of ${size} bytes`, [
    "check all files: gsv storage verify. Restore a backup: gsv restore",
  ]);
}
