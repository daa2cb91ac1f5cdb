// Objects on the local disk: bytes at <directory>/<key>, half-written bytes in <directory>/.tmp, metadata in rows.
// Order of every change: bytes durable, intent stored, bytes moved, directory durable, then one transaction ends the intent and
// stores the row. So after a crash each intent is either true on disk (rolled forward) or not (rolled back). Changes go one at a
// time; the slow part, writing the temporary, goes beside them.

import { readdir, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SysError } from "../abi/errno.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { Clock } from "../lib/clock.ts";
import { Serial } from "../lib/serial.ts";
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
import { checkKey, parentsOf, TEMPORARIES } from "./keys.ts";
import type { NewObject, ObjectIntent, ObjectMeta, ObjectRows, ObjectStore, Receipt } from "./objects.ts";

export interface DiskOptions {
  readonly directory: string;
  readonly rows: ObjectRows;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export function diskObjects(options: DiskOptions): ObjectStore {
  return new DiskObjects(options);
}

class DiskObjects implements ObjectStore {
  private readonly directory: string;
  private readonly rows: ObjectRows;
  private readonly serial = new Serial();
  /** An intent may be stored that nobody has ended: a change failed half-way. The next change settles it first. */
  private unsettled = false;

  constructor(private readonly options: DiskOptions) {
    this.directory = options.directory;
    this.rows = options.rows;
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
    const handle = await this.serial.run(() => this.open(key));
    try {
      return await readRange(handle, range.offset, range.bytesMax);
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
      await this.change(
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
    return this.serial.run(async () => {
      const { size, sha256, dirmarker, symlink } = await this.present(meta.key);
      await this.rows.put({ ...meta, size, sha256, dirmarker, symlink });
    });
  }

  async remove(key: string, receipt?: Receipt): Promise<void> {
    checkKey(key);
    await this.change(
      { id: this.newId(), kind: "remove", key, ...(receipt && { receipt }) },
      {
        allowed: async () => void (await this.present(key)),
        move: () => this.unlinkBytes(key),
      },
    ).catch((error) => {
      throw hostError(error, `cannot remove ${key}`);
    });
  }

  async rename(from: string, to: string, receipt?: Receipt): Promise<void> {
    checkKey(from);
    checkKey(to);
    if (from === to) return;
    if (to.startsWith(`${from}/`)) throw new SysError("EINVAL", `cannot move ${from} into itself`);
    await this.change(
      { id: this.newId(), kind: "rename", from, to, ...(receipt && { receipt }) },
      {
        allowed: () => this.mayRename(from, to),
        move: () => this.moveKey(from, to),
      },
    ).catch((error) => {
      throw hostError(error, `cannot move ${from} to ${to}`);
    });
  }

  recover(): Promise<number> {
    return this.serial.run(async () => {
      const met = await this.settle();
      const temporaries = join(this.directory, TEMPORARIES);
      if ((await kindAt(temporaries)) === "directory") {
        for (const name of await readdir(temporaries)) await unlink(join(temporaries, name)).catch(() => undefined);
      }
      return met;
    });
  }

  private change(intent: ObjectIntent, step: { allowed(): Promise<void>; move(): Promise<void> }): Promise<void> {
    return this.serial.run(async () => {
      if (this.unsettled) await this.settle();
      await step.allowed();
      this.unsettled = true;
      let moved = false;
      try {
        await this.rows.intend(intent);
        await step.move();
        moved = true;
        await this.rows.fulfil(intent, "done");
        this.unsettled = false;
      } catch (error) {
        // When even this fails (a full disk), the next change or the next start does it.
        const settled = await this.settle().then(
          () => true,
          () => false,
        );
        if (!moved) throw error;
        if (!settled) throw unended(error);
      }
      if (intent.kind !== "put")
        await pruneParents(this.directory, intent.kind === "remove" ? intent.key : intent.from);
    });
  }

  private async settle(): Promise<number> {
    const intents = await this.rows.intents();
    for (const intent of intents) await this.rows.fulfil(intent, (await this.cameTrue(intent)) ? "done" : "undone");
    this.unsettled = false;
    return intents.length;
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
    await this.present(key);
    try {
      await checkParents(this.directory, key);
      return await openPlainFile(this.path(key));
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

  /** Neither a directory nor beneath a file. Bytes on the host that no row knows are never overwritten: on a host that folds
   * case they are another key's. */
  private async mayStand(key: string): Promise<void> {
    if (await this.hasChildren(key)) throw new SysError("EISDIR", `${key} is a directory`);
    for (const parent of parentsOf(key)) {
      if ((await this.rows.get(parent)) !== null) throw new SysError("ENOTDIR", `${parent} is not a directory`);
    }
    await checkParents(this.directory, key);
    const kind = await kindAt(this.path(key));
    if (kind === "stranger" || (kind === "file" && (await this.rows.get(key)) === null)) {
      throw new SysError("EEXIST", `${this.path(key)} exists on the host and belongs to no object`, [
        "move it away, or choose a name that differs in more than case",
      ]);
    }
  }

  private async mayRename(from: string, to: string): Promise<void> {
    if ((await this.rows.get(from)) === null) {
      if (!(await this.hasChildren(from))) throw new SysError("ENOENT", `no such object: ${from}`);
      if (await this.hasChildren(to)) throw new SysError("ENOTEMPTY", `${to} is a directory and not empty`);
      if ((await this.rows.get(to)) !== null) throw new SysError("ENOTDIR", `${to} is not a directory`);
    }
    await this.mayStand(to);
  }

  private async hasChildren(key: string): Promise<boolean> {
    return (await this.rows.page(`${key}/`, null, 1)).length > 0;
  }

  private async present(key: string): Promise<ObjectMeta> {
    const meta = await this.rows.get(key);
    if (meta === null) throw new SysError("ENOENT", `no such object: ${key}`);
    return meta;
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

/** Nobody may be told that nothing was saved: the bytes are where they belong, and stay there. */
function unended(why: unknown): SysError {
  const message = why instanceof Error ? why.message.replace(/^not saved: /, "") : String(why);
  return new SysError("EIO", `it was done, but could not be noted yet: ${message}`, [
    "it shows as soon as something can be stored again",
  ]);
}
