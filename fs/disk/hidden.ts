// Host directories that no mount shows: gsv's home. Identified by device and inode, so that no symlink or other path leads to them. A
// directory that contains one cannot be moved or removed.

import { type BigIntStats, realpathSync } from "node:fs";
import type { Clock } from "../../src/lib/clock.ts";
import { isInside } from "../../src/lib/inside.ts";
import { FileError } from "../error.ts";
import { hardLinkedBelow, sameFile, statAt } from "./no-follow.ts";

/** Cache time for hard links into hidden directories. */
const KNOWN_MS = 1000;

export class Hidden {
  private linked: { readonly at: number; readonly stats: readonly BigIntStats[] } | null = null;

  constructor(
    private readonly directories: readonly string[],
    private readonly clock: Clock,
  ) {}

  /** Current identities, for walks through many directories. */
  now(): readonly BigIntStats[] {
    return this.directories.map(statAt).filter((stat) => stat !== null);
  }

  needShown(stat: BigIntStats, path: string, hidden: readonly BigIntStats[] = this.now()): void {
    if (hidden.some((each) => sameFile(each, stat))) throw new FileError("ENOENT", path);
  }

  /** Files in hidden directories may have hard links outside. */
  needNoName(stat: BigIntStats, path: string): void {
    if (stat.nlink === 1n) return;
    const now = this.clock.mono();
    if (this.linked === null || now - this.linked.at > KNOWN_MS)
      this.linked = { at: now, stats: this.directories.flatMap(hardLinkedBelow) };
    if (this.linked.stats.some((each) => sameFile(each, stat))) throw new FileError("ENOENT", path);
  }

  /** `real`: the host path of `path`. */
  needNoneBeneath(real: string, path: string): void {
    if (this.directories.some((each) => isInside(realOf(each), real))) throw new FileError("EBUSY", path);
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
