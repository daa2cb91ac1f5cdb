// The way from a path of the whole tree into the mount that holds it, and the way of its errors back out.

import type { Caller } from "../src/abi/identity.ts";
import { FileError } from "./error.ts";
import type { Mount, Place, ReadOptions, ReadResult, ResolvedPath, Stat } from "./filesystem.ts";
import { split } from "./path.ts";
import { pathOf, SLASH } from "./steps.ts";

/** What stands there; null when nothing does. */
async function ownStat(caller: Caller, place: Place): Promise<Stat | null> {
  try {
    return await inside(place, place.mount.fs.stat(caller, place.inner));
  } catch (error) {
    if (error instanceof FileError && error.code === "ENOENT") return null;
    throw error;
  }
}

/** What a mount told at once of the rest of a walk. */
export class Ahead {
  private told: { readonly mount: Mount; readonly stats: ReadonlyMap<string, Stat> } | null = null;

  constructor(private readonly caller: Caller) {}

  /** What stands at a place from which the walk goes on by these names. */
  async stat(place: Place, rest: readonly string[]): Promise<Stat | null> {
    const { mount, inner, path } = place;
    if (rest.length > 0 && this.told?.mount !== mount && mount.fs.along !== undefined) {
      const end = rest.findIndex((name) => name === "." || name === ".." || name === SLASH);
      const whole = pathOf([...split(path), ...(end === -1 ? rest : rest.slice(0, end))]);
      this.told = { mount, stats: await mount.fs.along(this.caller, innerOf(mount, whole)) };
    }
    const told = this.told?.mount === mount ? this.told.stats.get(inner) : undefined;
    return told ?? (await ownStat(this.caller, place));
  }

  /** A link leads somewhere else. */
  turn(): void {
    this.told = null;
  }
}

export async function readInside(caller: Caller, place: Place, options: ReadOptions): Promise<ReadResult> {
  const piece = await inside(place, place.mount.fs.read(caller, place.inner, options));
  // Whoever goes on until the end would do so for ever.
  if (piece.bytes.byteLength === 0 && !piece.eof && options.bytesMax > 0)
    throw new FileError("EIO", place.path, "damaged: it ends before its end");
  return piece;
}

/** A mount speaks of its own paths; outside, the mount point belongs before them. */
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
