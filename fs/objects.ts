// A filesystem over an object store: `/home/sam/a.txt` is the object `home/sam/a.txt`; a directory has a `.dir` marker or contents, so
// the name `.dir` is reserved. A write replaces the whole object, so readers see the old or the new version; changes run one at a
// time, so that checks stay valid.

import { LIMITS } from "../src/abi/config/limits.ts";
import { SysError } from "../src/abi/errno.ts";
import { type Caller, isRoot } from "../src/abi/identity.ts";
import type { Clock } from "../src/lib/clock.ts";
import { isInside } from "../src/lib/inside.ts";
import { Serial } from "../src/lib/serial.ts";
import type { ObjectMeta, ObjectStore } from "../src/objects/objects.ts";
import { changed, createdAs, need, needRemove, needSetattr, READ, SEARCH, WRITE, written } from "./access.ts";
import { FileError } from "./error.ts";
import type {
  Attributes,
  Entry,
  FileSystem,
  LargeContent,
  ReadOptions,
  ReadResult,
  Receipted,
  RemoveOptions,
  ResolvedPath,
  Stat,
  WriteOptions,
} from "./filesystem.ts";
import { tooLarge } from "./large.ts";
import { parent, split } from "./path.ts";
import { contentTypeOf } from "./read/contenttype.ts";
import { pathOf } from "./steps.ts";
import { childrenOf, headOf, headsOf, keyOf, MARKER, markerOf, metasBeneath, versionOf } from "./tree.ts";

const COPY_BYTES = 1024 * 1024;

export interface ObjectsFsOptions {
  /** One store, or one per owner for /tmp. */
  readonly storeOf: (caller: Caller) => ObjectStore;
  readonly clock: Clock;
  /** Attributes of the root directory until they are changed. */
  readonly root: { readonly uid: number; readonly gid: number; readonly mode: number };
}

export function objectsFs(options: ObjectsFsOptions): FileSystem {
  return new ObjectsFs(options);
}

class ObjectsFs implements FileSystem {
  private readonly serial = new Serial();

  /** mtime of the root directory until it is changed. */
  private readonly since: number;

  constructor(private readonly options: ObjectsFsOptions) {
    this.since = options.clock.now();
  }

  async stat(caller: Caller, path: ResolvedPath): Promise<Stat> {
    return this.existing(this.options.storeOf(caller), path);
  }

  async along(caller: Caller, path: ResolvedPath): Promise<ReadonlyMap<string, Stat | null>> {
    const names = split(path);
    const heads = await headsOf(
      this.options.storeOf(caller),
      [...names.keys(), names.length].map((count) => pathOf(names.slice(0, count))),
    );
    return new Map([...heads, ["/", heads.get("/") ?? this.top]]);
  }

  async list(caller: Caller, path: ResolvedPath): Promise<readonly Entry[]> {
    const store = this.options.storeOf(caller);
    need(caller, await this.directory(store, path), READ, path);
    return childrenOf(store, path);
  }

  async read(caller: Caller, path: ResolvedPath, { offset = 0, bytesMax }: ReadOptions): Promise<ReadResult> {
    const store = this.options.storeOf(caller);
    for (;;) {
      const stat = await this.existing(store, path);
      if (stat.kind !== "file") throw new FileError(stat.kind === "directory" ? "EISDIR" : "ELOOP", path);
      need(caller, stat, READ, path);
      const bytes = await store.read(keyOf(path), { offset, bytesMax }).catch((error: unknown) => {
        throw error instanceof SysError && error.code === "ENOENT" ? new FileError("ENOENT", path) : error;
      });
      const after = await store.head(keyOf(path));
      if (after === null) throw new FileError("ENOENT", path);
      // Changed meanwhile: the bytes may be of either version.
      if (versionOf(after) !== stat.version) continue;
      return { bytes, eof: offset + bytes.byteLength >= stat.size, version: stat.version };
    }
  }

  write(
    caller: Caller,
    path: ResolvedPath,
    bytes: Uint8Array,
    options: WriteOptions,
  ): Promise<{ readonly version: string }> {
    const store = this.options.storeOf(caller);
    return this.serial.run(async () => {
      const { fresh, old } = await this.writable(caller, path, { ...options, size: bytes.byteLength });
      const keep = old !== null && options.at === "end" ? old.size : 0;
      if (keep + bytes.byteLength > LIMITS.fileBytesMax) throw tooLarge(path);
      if (keep > 0 && store.append !== undefined) return { version: versionOf(await store.append(fresh, bytes)) };
      const content = keep === 0 ? bytes : appended(store, keyOf(path), keep, bytes);
      return { version: versionOf(await store.put(fresh, content, options.receipt)) };
    });
  }

  writeLarge(
    caller: Caller,
    path: ResolvedPath,
    content: LargeContent,
    options: WriteOptions,
  ): Promise<{ readonly version: string }> {
    return this.serial.run(async () => {
      if (content.size > LIMITS.uploadBytesMax) throw tooLarge(path, LIMITS.uploadBytesMax);
      const { fresh } = await this.writable(caller, path, { ...options, size: content.size });
      const meta = await this.options.storeOf(caller).put(fresh, content.pieces(), options.receipt);
      return { version: versionOf(meta) };
    });
  }

  remove(caller: Caller, path: ResolvedPath, { recursive, receipt }: RemoveOptions): Promise<void> {
    const store = this.options.storeOf(caller);
    return this.serial.run(async () => {
      const stat = await this.existing(store, path);
      needRemove(caller, await this.directory(store, parent(path)), stat, path);
      if (stat.kind !== "directory") return store.remove(keyOf(path), receipt);
      const metas = await metasBeneath(store, path);
      if (metas.some((meta) => meta.key !== markerOf(path))) {
        if (!recursive) throw new FileError("ENOTEMPTY", path);
        // Check everything before the first removal.
        if (!isRoot(caller)) await this.needEmpty(caller, store, path);
      }
      const [last, ...before] = metas;
      for (const meta of before.reverse()) await store.remove(meta.key);
      if (last !== undefined) await store.remove(last.key, receipt);
    });
  }

  rename(caller: Caller, from: ResolvedPath, to: ResolvedPath, { receipt }: Receipted = {}): Promise<void> {
    const store = this.options.storeOf(caller);
    return this.serial.run(async () => {
      if (from === to) return;
      const moved = await this.existing(store, from);
      if (isInside(to, from)) throw new FileError("EINVAL", to, "cannot move a directory into itself");
      if (isInside(from, to)) throw new FileError("ENOTEMPTY", to);
      needRemove(caller, await this.directory(store, parent(from)), moved, from);
      const target = await this.find(store, to);
      await this.needPlace(caller, store, { path: to, target, moved });
      // A moved directory's `..` changes, which needs write permission.
      if (moved.kind === "directory" && parent(from) !== parent(to)) need(caller, moved, WRITE, from);
      if (target?.kind === "directory") await this.clear(store, to);
      await store.rename(keyOf(from), keyOf(to), receipt);
    });
  }

  mkdir(caller: Caller, path: ResolvedPath, options: Receipted & { readonly mode?: number }): Promise<void> {
    const store = this.options.storeOf(caller);
    return this.serial.run(async () => {
      const directory = await this.needNew(caller, store, path);
      await this.putMarker(store, path, createdAs(caller, directory, "directory", options.mode), options);
    });
  }

  link(caller: Caller, path: ResolvedPath, target: string, { receipt }: Receipted = {}): Promise<void> {
    const store = this.options.storeOf(caller);
    return this.serial.run(async () => {
      if (target === "") throw new FileError("ENOENT", path, "a link needs a target");
      const owned = { ...createdAs(caller, await this.needNew(caller, store, path), "file"), mode: 0o777 };
      await store.put({ ...this.fresh(path, owned, "inode/symlink"), symlink: target }, Buffer.from(target), receipt);
    });
  }

  setattr(caller: Caller, path: ResolvedPath, attributes: Attributes): Promise<void> {
    const store = this.options.storeOf(caller);
    return this.serial.run(async () => {
      const stat = await this.existing(store, path);
      needSetattr(caller, stat, attributes, path);
      const owned = changed(caller, stat, attributes);
      const { mtimeMs = stat.mtimeMs } = attributes;
      const key = stat.kind === "directory" ? markerOf(path) : keyOf(path);
      const meta = await store.head(key);
      // A directory without a marker gets one.
      if (meta === null) await this.putMarker(store, path, owned, { mtimeMs });
      else await store.setMeta({ ...meta, ...owned, mtimeMs });
    });
  }

  /** What a write stores beside the bytes. Throws if the caller may not write there. */
  private async writable(caller: Caller, path: string, options: WriteOptions & { readonly size: number }) {
    const around = await this.around(this.options.storeOf(caller), path);
    const { old } = around;
    const allowed = needWrite(caller, path, around, options);
    const isChanged = options.size > 0 || (old !== null && options.at === "start");
    const owned = isChanged ? { ...allowed, mode: written(caller, allowed) } : allowed;
    return { fresh: this.fresh(path, owned, contentTypeOf(path)), old };
  }

  private async find(store: ObjectStore, path: string): Promise<Stat | null> {
    const found = await headOf(store, path);
    return found !== null || path !== "/" ? found : this.top;
  }

  private get top(): Stat {
    return { kind: "directory", ...this.options.root, size: 0, mtimeMs: this.since, version: "0" };
  }

  private async existing(store: ObjectStore, path: string): Promise<Stat> {
    const stat = await this.find(store, path);
    if (stat === null) throw new FileError("ENOENT", path);
    return stat;
  }

  private async directory(store: ObjectStore, path: string): Promise<Stat> {
    const stat = await this.existing(store, path);
    if (stat.kind !== "directory") throw new FileError("ENOTDIR", path);
    return stat;
  }

  private async around(store: ObjectStore, path: string): Promise<Around> {
    const above = parent(path);
    const heads = await headsOf(store, [above, path]);
    const at = (place: string) => heads.get(place) ?? (place === "/" ? this.top : null);
    return { old: at(path), directory: at(above) };
  }

  private async needNew(caller: Caller, store: ObjectStore, path: string): Promise<Stat> {
    return needNew(caller, path, await this.around(store, path));
  }

  /** Every nonempty directory must allow the caller to remove its entries. */
  private async needEmpty(caller: Caller, store: ObjectStore, path: string): Promise<void> {
    const entries = await childrenOf(store, path);
    if (entries.length === 0) return;
    const directory = await this.directory(store, path);
    need(caller, directory, READ, path);
    for (const { name, stat } of entries) {
      needRemove(caller, directory, stat, `${path}/${name}`);
      if (stat.kind === "directory") await this.needEmpty(caller, store, `${path}/${name}`);
    }
  }

  /** Checks the target of a move. */
  private async needPlace(
    caller: Caller,
    store: ObjectStore,
    { path, target, moved }: { readonly path: string; readonly target: Stat | null; readonly moved: Stat },
  ): Promise<void> {
    refuseMarker(path);
    const directory = await this.directory(store, parent(path));
    if (target === null) return need(caller, directory, WRITE | SEARCH, path);
    needRemove(caller, directory, target, path);
    if (target.kind === "directory" && moved.kind !== "directory") throw new FileError("EISDIR", path);
    if (target.kind !== "directory" && moved.kind === "directory") throw new FileError("ENOTDIR", path);
  }

  /** Throws if the directory is not empty. */
  private async clear(store: ObjectStore, path: string): Promise<void> {
    const metas = await metasBeneath(store, path);
    if (metas.some((meta) => meta.key !== markerOf(path))) throw new FileError("ENOTEMPTY", path);
    for (const meta of metas) await store.remove(meta.key);
  }

  private async putMarker(
    store: ObjectStore,
    path: string,
    owned: Pick<Stat, "uid" | "gid" | "mode">,
    { mtimeMs = this.options.clock.now(), receipt }: Receipted & { readonly mtimeMs?: number } = {},
  ): Promise<void> {
    const marker = {
      ...this.fresh(path, owned, "application/x-directory"),
      key: markerOf(path),
      dirmarker: true,
      mtimeMs,
    };
    await store.put(marker, new Uint8Array(), receipt);
  }

  private fresh(
    path: string,
    owned: Pick<Stat, "uid" | "gid" | "mode">,
    type: string,
  ): Omit<ObjectMeta, "size" | "sha256"> {
    const { uid, gid, mode } = owned;
    return {
      key: keyOf(path),
      uid,
      gid,
      mode,
      type,
      mtimeMs: this.options.clock.now(),
      dirmarker: false,
      symlink: null,
    };
  }
}

interface Around {
  readonly old: Stat | null;
  readonly directory: Stat | null;
}

/** Owner and mode of the file; throws if the caller may not write it. */
function needWrite(caller: Caller, path: string, around: Around, options: WriteOptions) {
  const { old } = around;
  if (old === null) {
    if (options.ifVersion !== undefined) throw new FileError("ECONFLICT", path);
    return createdAs(caller, needNew(caller, path, around), "file", options.mode);
  }
  if (options.exclusive) throw new FileError("EEXIST", path);
  if (old.kind !== "file") throw new FileError(old.kind === "directory" ? "EISDIR" : "ELOOP", path);
  need(caller, old, WRITE, path);
  if (options.ifVersion !== undefined && options.ifVersion !== old.version) throw new FileError("ECONFLICT", path);
  return old;
}

/** The parent directory, if the caller may create a file in it. */
function needNew(caller: Caller, path: string, { old, directory }: Around): Stat {
  if (old !== null) throw new FileError("EEXIST", path);
  refuseMarker(path);
  if (directory === null) throw new FileError("ENOENT", parent(path));
  if (directory.kind !== "directory") throw new FileError("ENOTDIR", parent(path));
  need(caller, directory, WRITE | SEARCH, path);
  return directory;
}

function refuseMarker(path: string): void {
  if (path.endsWith(`/${MARKER}`)) throw new FileError("EPERM", path, "this name is reserved by gsv");
}

async function* appended(store: ObjectStore, key: string, size: number, bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < size; offset += COPY_BYTES)
    yield await store.read(key, { offset, bytesMax: COPY_BYTES });
  yield bytes;
}
