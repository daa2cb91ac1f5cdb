// A mounted host directory (/mnt/host). Within gsv all its files belong to one account and its group; on the host they keep their owner.
// Nothing leads out: symlinks are read and never followed here, the Namespace walks them within the mount, and none that points outside can
// be created. gsv's home is invisible, under any name.

import {
  type BigIntStats,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Caller } from "../../src/abi/identity.ts";
import type { RandomBytes } from "../../src/abi/ids.ts";
import { type Clock, TimeSlice } from "../../src/lib/clock.ts";
import { Serial } from "../../src/lib/serial.ts";
import { need, needSetattr, READ, SEARCH, WRITE } from "../access.ts";
import { asFileErrors, FileError } from "../error.ts";
import type {
  Attributes,
  Entry,
  FileSystem,
  ReadOptions,
  ReadResult,
  RemoveOptions,
  ResolvedPath,
  Stat,
  WriteOptions,
} from "../filesystem.ts";
import { base, normalise, parent, split } from "../path.ts";
import { contentTypeOf } from "../read/contenttype.ts";
import { pathOf } from "../steps.ts";
import { Hidden } from "./hidden.ts";
import { createdMode, hostMode, sharedMode, staysWithin, targetFrom } from "./host-files.ts";
import { type HeldFile, holding, inDirectory, needHolding, opened, piece, Top } from "./no-follow.ts";

export interface DiskOptions {
  readonly directory: string;
  /** Owner within gsv. */
  readonly owner: () => Promise<{ readonly uid: number; readonly gid: number }>;
  /** The group has the owner's permissions, whatever the host's group bits are. */
  readonly shared?: true;
  /** Invisible directories: gsv's home. */
  readonly hidden: readonly string[];
  readonly clock: Clock;
  readonly random: RandomBytes;
}

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

export function diskFs(options: DiskOptions): FileSystem {
  needHolding();
  return new DiskFs(options, realpathSync(options.directory));
}

class DiskFs implements FileSystem {
  private readonly serial = new Serial();
  private readonly hidden: Hidden;
  private readonly top: Top;

  constructor(
    private readonly options: DiskOptions,
    private readonly root: string,
  ) {
    this.hidden = new Hidden(options.hidden, options.clock);
    this.top = new Top(root, options.clock);
  }

  stat(_caller: Caller, path: ResolvedPath): Promise<Stat> {
    return asFileErrors(path, () => this.at(path, (place) => this.look(place, path)));
  }

  async along(_caller: Caller, path: ResolvedPath): Promise<ReadonlyMap<string, Stat>> {
    const names = split(path);
    const along = new Map<string, Stat>();
    const passed: BigIntStats[] = [];
    // The error is reported when the caller stats the missing name.
    const ignored = () => undefined;
    await this.inside(
      parent(path),
      async (directory) => {
        if (names.length === 0) return;
        const last = await this.look({ path: `${directory.path}/${names.at(-1)}`, directory }, path).catch(ignored);
        if (last !== undefined) along.set(path, last);
      },
      (stat) => passed.push(stat),
    ).catch(ignored);
    for (const [at, stat] of passed.entries()) {
      const here = pathOf(names.slice(0, at));
      along.set(here, await this.view(stat, here));
    }
    return along;
  }

  list(caller: Caller, path: ResolvedPath): Promise<readonly Entry[]> {
    return asFileErrors(path, () =>
      this.inside(path, async (directory) => {
        need(caller, await this.view(directory.stat, path), READ, path);
        const entries: Entry[] = [];
        const hidden = this.hidden.now();
        const slice = new TimeSlice();
        for (const name of readdirSync(directory.path)) {
          await slice.step();
          const at = { path: `${directory.path}/${name}`, directory };
          const stat = await this.look(at, `${path}/${name}`, hidden).catch(() => null);
          if (stat !== null) entries.push({ name, stat });
        }
        return entries;
      }),
    );
  }

  read(caller: Caller, path: ResolvedPath, { offset = 0, bytesMax }: ReadOptions): Promise<ReadResult> {
    return asFileErrors(path, () =>
      this.file(path, async (file, stat) => {
        need(caller, stat, READ, path);
        const bytes = piece(file, { offset, length: Math.min(bytesMax, Math.max(0, stat.size - offset)) });
        const eof = bytes.byteLength === 0 || offset + bytes.byteLength >= stat.size;
        return { bytes, eof, version: stat.version };
      }),
    );
  }

  write(
    caller: Caller,
    path: ResolvedPath,
    bytes: Uint8Array,
    options: WriteOptions,
  ): Promise<{ readonly version: string }> {
    return this.changing(path, async () =>
      this.at(path, async ({ path: at, directory }) => {
        const old = await this.look({ path: at, directory }, path).catch(ifMissing);
        await this.needWrite(caller, { path, directory, old }, bytes, options);
        const mode = old === null ? createdMode(caller, options.mode ?? 0o666) : hostMode(at);
        if (old !== null && options.at === "end")
          await this.file(path, (file) => opened(file, O_WRONLY | O_APPEND, (handle) => handle.appendFile(bytes)));
        else await this.put({ at, directory, mode, exclusive: old === null && options.exclusive === true }, bytes);
        return { version: (await this.look({ path: at, directory }, path)).version };
      }),
    );
  }

  remove(caller: Caller, path: ResolvedPath, { recursive }: RemoveOptions): Promise<void> {
    return this.changing(path, async () => {
      this.hidden.needNoneBeneath(this.real(path), path);
      await this.at(path, async (place) => {
        await this.needChange(caller, place, path);
        const stat = await this.look(place, path);
        if (stat.kind === "directory" && recursive) await this.empty(path);
        removeOnHost(place.path, stat);
      });
    });
  }

  rename(caller: Caller, from: ResolvedPath, to: ResolvedPath): Promise<void> {
    return this.changing(to, async () => {
      this.hidden.needNoneBeneath(this.real(from), from);
      this.hidden.needNoneBeneath(this.real(to), to);
      await this.at(from, (source) =>
        this.at(to, async (target) => {
          await this.look(source, from);
          await this.needChange(caller, source, from);
          await this.needChange(caller, target, to);
          renameSync(source.path, target.path);
        }),
      );
    });
  }

  mkdir(caller: Caller, path: ResolvedPath, { mode = 0o777 }: { readonly mode?: number }): Promise<void> {
    return this.changing(path, () =>
      this.at(path, async (place) => {
        await this.needChange(caller, place, path);
        mkdirSync(place.path, { mode: createdMode(caller, mode) });
      }),
    );
  }

  link(caller: Caller, path: ResolvedPath, target: string): Promise<void> {
    return this.changing(path, () =>
      this.at(path, async (place) => {
        await this.needChange(caller, place, path);
        if (!staysWithin(path, target)) throw new FileError("EPERM", path, "leads out of the mounted directory");
        symlinkSync(target, place.path);
      }),
    );
  }

  setattr(caller: Caller, path: ResolvedPath, attributes: Attributes): Promise<void> {
    return this.changing(path, () =>
      this.at(path, ({ path: at }) =>
        holding(at, async (file) => {
          const stat = await this.view(file.stat, path);
          needSetattr(caller, stat, attributes, path);
          if (stat.kind === "symlink") throw new FileError("ELOOP", path);
          const { uid = stat.uid, gid = stat.gid, mode, mtimeMs } = attributes;
          if (uid !== stat.uid || gid !== stat.gid) throw new FileError("EPERM", path);
          if (mode !== undefined) chmodSync(file.path, mode & 0o777);
          if (mtimeMs !== undefined) utimesSync(file.path, mtimeMs / 1000, mtimeMs / 1000);
        }),
      ),
    );
  }

  /** Looks a name up in a held directory. The mount root has no parent. */
  private at<T>(path: string, work: (place: Place) => Promise<T>): Promise<T> {
    if (path === "/") return this.inside("/", (directory) => work({ path: directory.path, directory }));
    return this.inside(parent(path), (directory) => work({ path: `${directory.path}/${base(path)}`, directory }));
  }

  private async inside<T>(
    path: string,
    work: (directory: HeldFile) => Promise<T>,
    /** Called with the mount root and every directory on the way. */
    passed: (stat: BigIntStats) => void = () => {},
  ): Promise<T> {
    const hidden = this.hidden.now();
    const needShown = (stat: BigIntStats) => this.hidden.needShown(stat, path, hidden);
    const top = this.top.held(needShown);
    passed(top.stat);
    const passes = (stat: BigIntStats) => {
      needShown(stat);
      passed(stat);
    };
    return await inDirectory(top, split(path), passes, work);
  }

  private async look({ path: at, directory }: Place, path: string, hidden = this.hidden.now()): Promise<Stat> {
    const stat = at === directory.path ? directory.stat : lstatSync(at, { bigint: true });
    this.hidden.needShown(stat, path, hidden);
    return await this.view(
      stat,
      path,
      stat.isSymbolicLink() ? targetFrom(path, readlinkSync(at), this.root) : undefined,
    );
  }

  private file<T>(path: string, work: (file: HeldFile, stat: Stat) => Promise<T>): Promise<T> {
    return this.at(path, ({ path: at }) =>
      holding(at, async (file) => {
        this.hidden.needShown(file.stat, path);
        if (file.stat.isDirectory()) throw new FileError("EISDIR", path);
        if (file.stat.isSymbolicLink()) throw new FileError("ELOOP", path);
        if (!file.stat.isFile()) throw new FileError("EACCES", path, "not a regular file");
        this.hidden.needNoName(file.stat, path);
        return await work(file, await this.view(file.stat, path));
      }),
    );
  }

  /** Replaces the content atomically; an exclusive write creates the file in place. */
  private async put(
    { at, directory, mode, exclusive }: { at: string; directory: HeldFile; mode: number; exclusive: boolean },
    bytes: Uint8Array,
  ): Promise<void> {
    const beside = `${directory.path}/.${Buffer.from(this.options.random(9)).toString("hex")}.tmp`;
    const path = exclusive ? at : beside;
    const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    try {
      await handle.chmod(mode);
      await handle.writeFile(bytes);
      if (!exclusive) renameSync(path, at);
    } catch (error) {
      unlinkSync(path);
      throw error;
    } finally {
      await handle.close();
    }
  }

  private async empty(path: string): Promise<void> {
    await this.inside(path, async (directory) => {
      for (const name of readdirSync(directory.path)) {
        const place = { path: `${directory.path}/${name}`, directory };
        const stat = await this.look(place, `${path}/${name}`);
        if (stat.kind === "directory") await this.empty(`${path}/${name}`);
        removeOnHost(place.path, stat);
      }
    });
  }

  private async needWrite(
    caller: Caller,
    { path, directory, old }: { path: string; directory: HeldFile; old: Stat | null },
    bytes: Uint8Array,
    { at, ifVersion, exclusive }: WriteOptions,
  ): Promise<void> {
    if (old !== null && exclusive) throw new FileError("EEXIST", path);
    if (old !== null && old.kind !== "file") throw new FileError(old.kind === "directory" ? "EISDIR" : "ELOOP", path);
    // Also refuses anything but regular files, and gsv's own files.
    if (old !== null) await this.file(path, async (_file, stat) => need(caller, stat, WRITE, path));
    else need(caller, await this.view(directory.stat, path), WRITE | SEARCH, path);
    if (ifVersion !== undefined && ifVersion !== old?.version) throw new FileError("ECONFLICT", path);
    const size = bytes.byteLength + (at === "end" ? (old?.size ?? 0) : 0);
    if (size > LIMITS.fileBytesMax) throw new FileError("EFBIG", path);
  }

  private async needChange(caller: Caller, { directory, path: at }: Place, path: string): Promise<void> {
    if (at === directory.path) throw new FileError("EBUSY", path);
    need(caller, await this.view(directory.stat, path), WRITE | SEARCH, path);
  }

  private async view(stat: BigIntStats, path: string, target?: string): Promise<Stat> {
    const kind = stat.isDirectory() ? "directory" : stat.isSymbolicLink() ? "symlink" : "file";
    const { uid, gid } = await this.options.owner();
    // Devices, pipes and sockets are visible but inaccessible.
    const isOdd = kind === "file" && !stat.isFile();
    const bits = Number(stat.mode) & 0o770;
    const mode = kind === "symlink" ? 0o777 : isOdd ? 0 : this.options.shared ? sharedMode(bits) : bits;
    const size = kind === "directory" || isOdd ? 0 : Number(stat.size);
    const version = `${stat.ino.toString(36)}.${stat.mtimeNs.toString(36)}.${stat.size.toString(36)}`;
    const common = { kind, uid, gid, mode, size, mtimeMs: Number(stat.mtimeMs), version } as const;
    if (target !== undefined) return { ...common, target, fence: "/" };
    return kind === "file" ? { ...common, contentType: contentTypeOf(path) } : common;
  }

  private real(path: string): string {
    return normalise(`${this.root}/${path}`);
  }

  private changing<T>(path: string, work: () => Promise<T>): Promise<T> {
    return this.serial.run(() => asFileErrors(path, work));
  }
}

interface Place {
  readonly path: string;
  readonly directory: HeldFile;
}

function removeOnHost(path: string, { kind }: Stat): void {
  if (kind === "directory") rmdirSync(path);
  else unlinkSync(path);
}

function ifMissing(error: unknown): null {
  const { code } = error as { code?: string };
  if (code === "ENOENT") return null;
  throw error;
}
