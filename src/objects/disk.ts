// Objects on the local disk: bytes at <directory>/<key>, half-written bytes in <directory>/.tmp, metadata in rows.
// Order of every change: bytes durable, intent stored, bytes moved, directory durable, then one transaction ends the intent and
// stores the row. So after a crash each intent is either true on disk (rolled forward) or not (rolled back). Changes go one at a
// time; the slow part, writing the temporary, goes beside them.

import { readdir, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { Clock } from "../lib/clock.ts";
import { Changes, mayRename, mayStand, present } from "./changes.ts";
import { diskBytes } from "./disk-bytes.ts";
import {
  checkParents,
  hostError,
  isHostCode,
  kindAt,
  makeDirectory,
  makeParents,
  openPlainFile,
  parentsArePlain,
  pruneParents,
  readRange,
  removeEmptyDirectories,
  sha256Of,
  syncDirectory,
  writeDurably,
} from "./host.ts";
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
    // Opened between changes, so that row and bytes are of one version; an open file stays whole whatever happens to its name.
    const { handle, size } = await this.changes.between(() => this.open(key));
    try {
      const bytes = await readRange(handle, range.offset, range.bytesMax);
      // Whoever goes on until all was read would do so for ever, and whoever appends would lose that anything is missing.
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
      const meta: ObjectMeta = { ...object, ...(await writeDurably(path, bytes)) };
      await this.changes.run(
        { id: temporary, kind: "put", meta, temporary, ...(receipt && { receipt }) },
        {
          allowed: () => this.mayStand(meta.key),
          move: () => this.moveInto(path, meta.key),
        },
      );
      return meta;
    } catch (error) {
      await unlink(path).catch(() => undefined);
      throw hostError(error, `cannot store ${object.key}`);
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
          allowed: () => this.mayRename(from, to),
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
      const temporaries = join(this.directory, TEMPORARIES);
      if ((await kindAt(temporaries)) === "directory") {
        for (const name of await readdir(temporaries)) await unlink(join(temporaries, name)).catch(() => undefined);
      }
      return met;
    });
  }

  discard(lying: Lying, beforeMs: number): Promise<boolean> {
    return this.changes.between(async () => {
      if (lying.mtimeMs >= beforeMs || (await this.rows.intents()).length > 0) return false;
      if (lying.key !== undefined && (await this.rows.get(lying.key)) !== null) return false;
      // It may have been written since it was listed.
      if (!(await this.bytes.lies(lying))) return false;
      await this.bytes.discard(lying);
      return true;
    });
  }

  /** Whether the bytes are where the intent wanted them; if so they are also durable there when this returns. */
  private async cameTrue(intent: ObjectIntent): Promise<boolean> {
    const key = intent.kind === "put" ? intent.meta.key : intent.kind === "remove" ? intent.key : intent.to;
    // What someone else put in the way must not keep gsv from starting; the object itself says so when it is read.
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
        throw new SysError("EIO", `the bytes of ${key} are missing from ${this.directory}`);
      throw hostError(error, `cannot read ${key}`);
    }
  }

  private async moveInto(temporary: string, key: string): Promise<void> {
    await makeParents(this.directory, key);
    const path = this.path(key);
    if ((await kindAt(path)) === "directory") await removeEmptyDirectories(path);
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  }

  private async moveKey(from: string, to: string): Promise<void> {
    await checkParents(this.directory, from);
    await makeParents(this.directory, to);
    if ((await kindAt(this.path(to))) === "directory") await removeEmptyDirectories(this.path(to));
    await rename(this.path(from), this.path(to));
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

  /** Bytes on the host that no row knows are never overwritten: on a host that folds case they are another key's. */
  private async mayStand(key: string): Promise<void> {
    await mayStand(this.rows, key);
    await checkParents(this.directory, key);
    const kind = await kindAt(this.path(key));
    if (kind === "stranger" || (kind === "file" && (await this.rows.get(key)) === null)) {
      throw new SysError("EEXIST", `${this.path(key)} exists on the host and belongs to no object`, [
        "move it away, or choose a name that differs in more than case",
      ]);
    }
  }

  private async mayRename(from: string, to: string): Promise<void> {
    await mayRename(this.rows, from, to);
    await this.mayStand(to);
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
  return new SysError("EIO", `/${key}: damaged: ${bytes} of ${size} bytes are there`, [
    "gsv storage verify tells what else is damaged, gsv restore brings back a backup",
  ]);
}
