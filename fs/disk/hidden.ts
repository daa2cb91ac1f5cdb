// Directories of the host that no mount may show: gsv's own home. They are recognised by device and inode and not by path, so that neither
// a link nor another path leads to them. A directory that contains one of them cannot be moved away with it.

import { type BigIntStats, realpathSync } from "node:fs";
import type { Clock } from "../../src/lib/clock.ts";
import { isInside } from "../../src/lib/inside.ts";
import { FileError } from "../error.ts";
import { linkedBeneath, sameFile, standing } from "./no-follow.ts";

/** For how long it is known which files of the hidden directories have other names. */
const KNOWN_MS = 1000;

export class Hidden {
  private linked: { readonly at: number; readonly stats: readonly BigIntStats[] } | null = null;

  constructor(
    private readonly directories: readonly string[],
    private readonly clock: Clock,
  ) {}

  /** What they are at this moment, for a walk that passes many directories. */
  now(): readonly BigIntStats[] {
    return this.directories.map(standing).filter((stat) => stat !== null);
  }

  needShown(stat: BigIntStats, path: string, hidden: readonly BigIntStats[] = this.now()): void {
    if (hidden.some((each) => sameFile(each, stat))) throw new FileError("ENOENT", path);
  }

  /** A file in one of them may have another name outside. */
  needNoName(stat: BigIntStats, path: string): void {
    if (stat.nlink === 1n) return;
    const now = this.clock.mono();
    if (this.linked === null || now - this.linked.at > KNOWN_MS)
      this.linked = { at: now, stats: this.directories.flatMap(linkedBeneath) };
    if (this.linked.stats.some((each) => sameFile(each, stat))) throw new FileError("ENOENT", path);
  }

  /** `real` is where `path` is on the host. */
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
