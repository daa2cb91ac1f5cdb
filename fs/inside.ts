// From a path of the namespace to its mount, and back for errors.

import type { Caller } from "../src/abi/identity.ts";
import { isInside } from "../src/lib/inside.ts";
import { FileError } from "./error.ts";
import type { Mount, Place, ReadOptions, ReadResult, ResolvedPath, Stat } from "./filesystem.ts";
import { join, split } from "./path.ts";
import { pathOf, SLASH } from "./steps.ts";

/** Null if there is nothing. */
async function ownStat(caller: Caller, place: Place): Promise<Stat | null> {
  try {
    return await inside(place, place.mount.fs.stat(caller, place.inner));
  } catch (error) {
    if (error instanceof FileError && error.code === "ENOENT") return null;
    throw error;
  }
}

/** Stats that a mount returned in advance for a walk. */
export class WalkCache {
  private batch: { readonly mount: Mount; readonly stats: ReadonlyMap<string, Stat | null> } | null = null;

  constructor(private readonly caller: Caller) {}

  /** `rest`: the names that follow. */
  async stat(place: Place, rest: readonly string[]): Promise<Stat | null> {
    const { mount, inner, path } = place;
    if (rest.length > 0 && this.batch?.mount !== mount && mount.fs.along !== undefined) {
      const end = rest.findIndex((name) => name === "." || name === ".." || name === SLASH);
      const whole = pathOf([...split(path), ...(end === -1 ? rest : rest.slice(0, end))]);
      this.batch = { mount, stats: await mount.fs.along(this.caller, innerOf(mount, whole)) };
    }
    const known = this.batch?.mount === mount ? this.batch.stats.get(inner) : undefined;
    return known === undefined ? ownStat(this.caller, place) : known;
  }

  /** To be called after a symlink: the walk goes on elsewhere. */
  forget(): void {
    this.batch = null;
  }
}

/** Keeps the steps of a symlink of an attached directory within that directory. */
export class Fence {
  private link: { readonly path: string; readonly around: string; readonly left: number } | null = null;

  /** `left`: steps of the walk that do not belong to the link. */
  enter({ path, mount, stat }: Place, left: number): void {
    if (stat?.fence === undefined || this.link !== null) return;
    const around = mount.whole ? stat.fence : join(mount.at, stat.fence.slice(1)).replace(/(?<=.)\/$/, "");
    this.link = { path, around, left };
  }

  /** Ends the limit once the walk is past the steps of the link. */
  leaveIfPast(left: number): void {
    if (this.link !== null && left < this.link.left) this.link = null;
  }

  needInside(path: string): void {
    if (this.link === null || isInside(path, this.link.around)) return;
    const around = this.link.around.startsWith("/workspaces/") ? "the workspace" : this.link.around;
    throw new FileError("EACCES", this.link.path, `the link leads out of ${around}`);
  }
}

export async function readInside(caller: Caller, place: Place, options: ReadOptions): Promise<ReadResult> {
  const piece = await inside(place, place.mount.fs.read(caller, place.inner, options));
  // Otherwise a reader until EOF would loop for ever.
  if (piece.bytes.byteLength === 0 && !piece.eof && options.bytesMax > 0)
    throw new FileError("EIO", place.path, "damaged: shorter than expected");
  return piece;
}

/** Adds the mount point to paths in errors. */
export async function inside<T>(place: Place, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof FileError && !place.mount.whole ? error.under(place.mount.at) : error;
  }
}

export function innerOf(mount: Mount, path: string): ResolvedPath {
  if (mount.whole) return path as ResolvedPath;
  const inner = mount.at === "/" ? path : path.slice(mount.at.length);
  return (inner === "" ? "/" : inner) as ResolvedPath;
}
