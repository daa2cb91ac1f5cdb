// The namespace: a table of mounts, longest prefix first. Mounts get resolved paths (walk.ts); `..` never leaves `/`. Mount points are listed
// in their parents even if nothing else exists there.

import type { Caller } from "../src/abi/identity.ts";
import { isInside } from "../src/lib/inside.ts";
import { leadsToAllowed, need, needAllowed, needRemove, READ, SEARCH, WRITE } from "./access.ts";
import { type Aliases, NO_ALIASES } from "./alias.ts";
import { FileError } from "./error.ts";
import {
  type Attributes,
  BARE_DIRECTORY,
  type Directory,
  type Entry,
  type LargeContent,
  type Mount,
  type Place,
  type ReadOptions,
  type ReadResult,
  type Receipted,
  type RemoveOptions,
  type Stat,
  type WriteOptions,
} from "./filesystem.ts";
import { innerOf, inside, readInside, WalkCache } from "./inside.ts";
import { writtenTo } from "./large.ts";
import { normalise, parent, split } from "./path.ts";
import { needChangeable, type Standing, standingOf } from "./standing.ts";
import { checkLength, endsInDots, pathOf, waysTo } from "./steps.ts";
import { type Tree, type WalkRequest, walk } from "./walk.ts";

type Present = Place & { readonly stat: Stat };

export class Namespace {
  /** Longest mount point first. */
  private readonly mounts: readonly Mount[];
  /** Names that lead to mount points, by directory. Used at every step of a walk. */
  private readonly ways: ReadonlyMap<string, ReadonlySet<string>>;

  /** Stat of directories that exist only as parents of mount points. */
  private readonly bare: Stat;

  private readonly tree: Tree;

  /** `sinceMs`: mtime of such directories. */
  constructor(
    mounts: readonly Mount[],
    sinceMs = 0,
    private readonly aliases: Aliases = NO_ALIASES,
  ) {
    this.bare = { ...BARE_DIRECTORY, mtimeMs: sinceMs };
    this.mounts = [...mounts].sort((left, right) => right.at.length - left.at.length);
    this.ways = waysTo(mounts.map(({ at }) => at));
    this.tree = {
      aliases,
      rootStat: (caller) => this.rootStat(caller),
      lookup: (...given) => this.lookup(...given),
      place: (names, stat) => this.place(names, stat),
    };
  }

  /** The path with the mount instead of its other name. Text only: links stay. */
  async named(caller: Caller, path: string): Promise<string> {
    const alias = await this.aliases.around(caller, normalise(path));
    return alias === null ? path : alias.at + normalise(path).slice(alias.path.length);
  }

  /** The path as a person knows it: with the other name of its mount, if it has one that leads back to it. */
  async shown(caller: Caller, path: string): Promise<string> {
    const whole = normalise(path);
    const alias = await this.aliases.ofMounted(caller, whole);
    const shown = alias === null ? path : alias.path + whole.slice(alias.at.length);
    return alias !== null && (await this.named(caller, shown)) === whole ? shown : path;
  }

  /** The path without symlinks. Its last name may not exist. */
  async resolve(caller: Caller, path: string): Promise<string> {
    return (await this.walk(caller, path, "follow")).path;
  }

  /** Like resolve(), but parents may be missing, too. */
  async locate(caller: Caller, path: string, last: "follow" | "keep" = "follow"): Promise<string> {
    return (await this.walk(caller, path, last, "imagine")).path;
  }

  /** Target of a write, and the missing directories, outermost first. Throws if they could not be created. */
  async destination(
    caller: Caller,
    path: string,
  ): Promise<{ readonly path: string; readonly missing: readonly string[] }> {
    const place = await this.walk(caller, path, "follow", "imagine");
    if (place.stat?.kind === "directory" || place.forDirectory) throw new FileError("EISDIR", place.path);
    checkLength(place.path);
    needAllowed(caller, place.path);
    const missing: string[] = [];
    if (place.stat !== null) return { path: place.path, missing };
    for (let above = parent(place.path); ; above = parent(above)) {
      const stat = above === "/" ? await this.rootStat(caller) : await this.lookup(caller, split(above));
      if (stat === null) missing.unshift(above);
      else {
        needChangeable(this.place(split(missing[0] ?? place.path), null));
        need(caller, stat, WRITE | SEARCH, missing[0] ?? place.path);
        return { path: place.path, missing };
      }
    }
  }

  /** Throws what a write would throw because of modes; returns the file without symlinks. */
  async needWritable(caller: Caller, path: string): Promise<string> {
    const { path: place } = await this.destination(caller, path);
    const { mount, stat } = await this.walk(caller, place, "keep", "imagine");
    if (stat !== null) needChangeable({ mount, path: place });
    if (stat !== null) need(caller, stat, WRITE, place);
    return place;
  }

  /** What stands there, and whether a write is known to be allowed. */
  standing(caller: Caller, path: string): Promise<Standing> {
    return standingOf(caller, this.look(caller, path, "follow"));
  }

  /** Throws what a removal would throw because of modes. */
  async needRemovable(caller: Caller, path: string): Promise<void> {
    const place = await this.walk(caller, path, "keep", "imagine");
    if (place.stat === null) return;
    needChangeable(place);
    this.needUnmounted(place.path);
    needRemove(caller, await this.stat(caller, parent(place.path)), place.stat, place.path);
  }

  async stat(caller: Caller, path: string): Promise<Stat> {
    return (await this.found(caller, path)).stat;
  }

  /** With the path without symlinks. */
  async found(caller: Caller, path: string): Promise<Pick<Present, "path" | "stat">> {
    return await this.seen(caller, path, "follow");
  }

  /** Does not follow a final symlink. */
  async lstat(caller: Caller, path: string): Promise<Stat> {
    return (await this.seen(caller, path, "keep")).stat;
  }

  /** Sorted by name. */
  async list(caller: Caller, path: string): Promise<readonly Entry[]> {
    return (await this.directory(caller, path)).entries;
  }

  /** A directory with its sorted entries, whose files can be read without another walk. */
  async directory(caller: Caller, path: string): Promise<Directory> {
    const place = await this.seen(caller, path, "follow");
    if (place.stat.kind !== "directory") throw new FileError("ENOTDIR", place.path);
    const entries = await this.entriesOf(caller, place);
    const here = split(place.path);
    const files = new Map(entries.flatMap(({ name, stat }) => (stat.kind === "file" ? [[name, stat] as const] : [])));
    return {
      entries,
      read: async (name, options) => {
        if (!files.has(name)) return this.read(caller, pathOf([...here, name]), options);
        need(caller, place.stat, SEARCH, place.path);
        return readInside(caller, this.place([...here, name], null), options);
      },
      needReadable: (name) => {
        need(caller, place.stat, SEARCH, place.path);
        const stat = files.get(name);
        if (stat !== undefined) need(caller, stat, READ, pathOf([...here, name]));
      },
    };
  }

  private async entriesOf(caller: Caller, place: Present): Promise<readonly Entry[]> {
    const entries = new Map<string, Entry>();
    if (place.stat !== this.bare) {
      for (const entry of await inside(place, place.mount.fs.list(caller, place.inner))) entries.set(entry.name, entry);
    } else {
      need(caller, place.stat, READ, place.path);
      for (const name of await this.aliases.below(caller, place.path)) entries.set(name, { name, stat: this.bare });
    }
    for (const name of this.ways.get(place.path) ?? []) {
      const stat = await this.lookup(caller, [...split(place.path), name]);
      if (stat !== null) entries.set(name, { name, stat });
    }
    return [...entries.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  async read(caller: Caller, path: string, options: ReadOptions): Promise<ReadResult> {
    const place = await this.existing(caller, path, "follow");
    if (place.stat.kind === "directory") {
      need(caller, place.stat, READ, place.path);
      throw new FileError("EISDIR", place.path);
    }
    return readInside(caller, place, options);
  }

  async write(
    caller: Caller,
    path: string,
    content: Uint8Array | LargeContent,
    options: WriteOptions,
  ): Promise<{ readonly version: string }> {
    const place = await this.walk(caller, path, options.exclusive ? "keep" : "follow");
    if (options.exclusive && place.stat !== null) throw new FileError("EEXIST", place.path);
    if (place.stat?.kind === "directory" || place.forDirectory) throw new FileError("EISDIR", place.path);
    needChangeable(place);
    needAllowed(caller, place.path);
    return inside(place, writtenTo(place, caller, content, options));
  }

  async remove(caller: Caller, path: string, options: RemoveOptions): Promise<void> {
    const place = await this.existing(caller, path, "keep");
    if (endsInDots(path)) throw new FileError("EINVAL", place.path, "cannot be . or ..: use its name");
    this.needUnmounted(place.path);
    needChangeable(place);
    // A directory created for the approved file may be removed again.
    if (!leadsToAllowed(caller, place.path)) needAllowed(caller, await this.locate(caller, place.path));
    await inside(place, place.mount.fs.remove(caller, place.inner, options));
  }

  async rename(caller: Caller, from: string, to: string, options: Receipted = {}): Promise<void> {
    const { source, target } = await this.both(caller, from, to);
    if (endsInDots(from) || endsInDots(to))
      throw new FileError("EBUSY", source.path, "cannot be . or ..: use its name");
    this.needUnmounted(source.path);
    this.needUnmounted(target.path);
    if (target.forDirectory && source.stat.kind !== "directory") throw new FileError("ENOTDIR", target.path);
    if (source.mount !== target.mount) throw new FileError("EXDEV", target.path);
    needChangeable(source);
    await inside(source, source.mount.fs.rename(caller, source.inner, target.inner, options));
  }

  async mkdir(
    caller: Caller,
    path: string,
    options: Receipted & { readonly parents: boolean; readonly mode?: number },
  ): Promise<void> {
    const bare = path.replace(/(?<=.)\/+$/, "");
    const place = await this.walk(caller, bare, options.parents ? "follow" : "keep").catch(async (error: unknown) => {
      const above = bare.slice(0, bare.lastIndexOf("/"));
      if (!options.parents || above === "" || !(error instanceof FileError) || error.code !== "ENOENT") throw error;
      await this.mkdir(caller, above, { parents: true });
      return this.walk(caller, bare, "follow");
    });
    if (place.stat?.kind === "directory" && options.parents) return;
    if (place.stat !== null) throw new FileError("EEXIST", place.path);
    needChangeable(place);
    await inside(place, place.mount.fs.mkdir(caller, place.inner, options)).catch(async (error: unknown) => {
      // Created concurrently.
      const made = options.parents && error instanceof FileError && error.code === "EEXIST";
      if (!made || (await this.stat(caller, place.path)).kind !== "directory") throw error;
    });
  }

  /** Creates a directory that `destination` reported missing, without walking again. */
  async mkdirAt(caller: Caller, path: string): Promise<void> {
    const names = split(path);
    const place = this.place(names, null);
    try {
      await inside(place, place.mount.fs.mkdir(caller, place.inner, {}));
    } catch (error) {
      // Created concurrently.
      if (!(error instanceof FileError) || error.code !== "EEXIST") throw error;
      if ((await this.lookup(caller, names))?.kind !== "directory") throw error;
    }
  }

  async link(caller: Caller, path: string, target: string, options: Receipted = {}): Promise<void> {
    const place = await this.walk(caller, path, "keep");
    if (place.stat !== null) throw new FileError("EEXIST", place.path);
    if (place.forDirectory) throw new FileError("ENOENT", place.path);
    checkLength(target);
    needChangeable(place);
    await inside(place, place.mount.fs.link(caller, place.inner, target, options));
  }

  async setattr(caller: Caller, path: string, attributes: Attributes): Promise<void> {
    const place = await this.existing(caller, path, "follow");
    needChangeable(place);
    await inside(place, place.mount.fs.setattr(caller, place.inner, attributes));
  }

  /** Resolves both paths before anything is reported about either. */
  private async both(caller: Caller, from: string, to: string): Promise<{ source: Present; target: Place }> {
    const source = await this.walk(caller, from, "keep");
    const target = await this.walk(caller, to, "keep");
    if (source.stat === null) throw new FileError("ENOENT", source.path);
    return { source: { ...source, stat: source.stat }, target };
  }

  /** A parent of an alias that gsv does not have counts as a bare directory. */
  private async seen(caller: Caller, path: string, last: "follow" | "keep"): Promise<Present> {
    const place = await this.look(caller, path, last);
    if (place.stat === null) throw new FileError("ENOENT", place.path);
    return { ...place, stat: place.stat };
  }

  private async look(caller: Caller, path: string, last: "follow" | "keep"): Promise<Place> {
    const place = await this.walk(caller, path, last, "ways");
    const isWay = place.stat === null && (await this.aliases.below(caller, place.path)).length > 0;
    return isWay ? { ...place, stat: this.bare } : place;
  }

  private async existing(caller: Caller, path: string, last: "follow" | "keep"): Promise<Present> {
    const place = await this.walk(caller, path, last);
    if (place.stat === null) throw new FileError("ENOENT", place.path);
    return { ...place, stat: place.stat };
  }

  private walk(caller: Caller, path: string, last: "follow" | "keep", missing: WalkRequest["missing"] = "refuse") {
    return walk(this.tree, caller, { path, last, missing });
  }

  private place(names: readonly string[], stat: Stat | null): Place {
    const path = pathOf(names);
    const mount = this.mountOf(path);
    return { path, mount, inner: innerOf(mount, path), stat };
  }

  private async rootStat(caller: Caller): Promise<Stat> {
    return (await this.lookup(caller, [])) ?? this.bare;
  }

  private async lookup(
    caller: Caller,
    names: readonly string[],
    ahead = new WalkCache(caller),
    rest: readonly string[] = [],
  ): Promise<Stat | null> {
    const place = this.place(names, null);
    const stat = await ahead.stat(place, rest);
    const leadsToMount = this.ways.has(place.path);
    const mustStand = leadsToMount || (place.mount.whole === true && place.path === place.mount.at);
    return mustStand && stat?.kind !== "directory" ? this.bare : stat;
  }

  private mountOf(path: string): Mount {
    const mount = this.mounts.find(({ at }) => isInside(path, at));
    if (mount === undefined) throw new FileError("ENOENT", path);
    return mount;
  }

  private needUnmounted(path: string): void {
    if (this.mounts.some(({ at }) => isInside(at, path))) throw new FileError("EBUSY", path);
  }
}
