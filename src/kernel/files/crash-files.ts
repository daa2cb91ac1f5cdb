// Files about failed runs, in crash/ of the home: a directory per account, a file per run, owner-only. Number and age are limited. Files
// with other names are left alone.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CORE_NAME, coreInstant } from "../../abi/process/crash.ts";
import { listDirectory } from "../../lib/directories.ts";
import { readPlainFile } from "../../lib/plain-file.ts";

export interface CoreFile {
  readonly name: string;
  readonly ownerUid: number;
  readonly at: number;
}

export interface CoreKeeping {
  /** Number kept per account; 0 for none. */
  readonly most: number;
  /** Days they are kept; 0 for ever. */
  readonly days: number;
}

/** Left by a kernel that died while writing. */
const HALF_WRITTEN = /^\..*\.json\.new$/;
const DAY_MS = 24 * 60 * 60 * 1000;

export class CoreFiles {
  constructor(private readonly directory: string) {}

  /** Newest first; of one account, or of all. */
  list(ownerUid: number | null): readonly CoreFile[] {
    const uids =
      ownerUid === null ? listDirectory(this.directory).filter((name) => /^\d{1,10}$/.test(name)) : [`${ownerUid}`];
    const all = uids.flatMap((uid) =>
      listDirectory(join(this.directory, uid)).flatMap((name): CoreFile[] => {
        const at = coreInstant(name);
        return at === null ? [] : [{ name, ownerUid: Number(uid), at }];
      }),
    );
    return all.sort((left, right) => right.at - left.at || (left.name < right.name ? -1 : 1));
  }

  /** Null if there is none. */
  read(ownerUid: number | null, name: string): string | null {
    const found = CORE_NAME.test(name) ? this.list(ownerUid).find((file) => file.name === name) : undefined;
    if (found === undefined) return null;
    try {
      return readPlainFile(join(this.directory, String(found.ownerUid), name));
    } catch {
      // Deleted in between.
      return null;
    }
  }

  /** Atomic. */
  write(ownerUid: number, name: string, text: string, keeping: CoreKeeping): void {
    if (keeping.most === 0) return;
    const directory = join(this.directory, String(ownerUid));
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const half = join(directory, `.${name}.new`);
    try {
      writeFileSync(half, text, { mode: 0o600 });
      renameSync(half, join(directory, name));
    } finally {
      rmSync(half, { force: true });
    }
    this.drop(this.list(ownerUid).slice(keeping.most));
  }

  sweep({ most, days }: CoreKeeping, now: number): void {
    for (const uid of listDirectory(this.directory))
      for (const name of listDirectory(join(this.directory, uid)))
        if (HALF_WRITTEN.test(name)) rmSync(join(this.directory, uid, name), { force: true });
    const byOwner = Map.groupBy(this.list(null), (file) => file.ownerUid);
    for (const files of byOwner.values())
      this.drop(files.filter(({ at }, index) => index >= most || (days > 0 && at < now - days * DAY_MS)));
  }

  private drop(files: readonly CoreFile[]): void {
    for (const { ownerUid, name } of files) rmSync(join(this.directory, String(ownerUid), name), { force: true });
  }
}
