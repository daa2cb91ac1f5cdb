// An object store on a real disk with a real kernel database, in a directory that is removed with it.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/lib/clock.ts";
import { diskObjects } from "../../src/objects/disk.ts";
import type { ObjectRows, Receipt, StoredObjects } from "../../src/objects/objects.ts";
import type { KernelDb } from "../../src/store/kernel/db.ts";
import { objectRows } from "../../src/store/kernel/objects.ts";
import { openKernelDb } from "../../src/store/kernel/open.ts";
import { type RequestRows, requestRows } from "../../src/store/kernel/requests.ts";
import { FakeClock } from "./clock.ts";
import { seeded } from "./random.ts";
import { scratchDirectory } from "./scratch.ts";

/** The receipt of a committed change. */
export const RECEIPT: Receipt = { uid: 1000, requestId: "r", bodyHash: "h", answer: { done: true }, now: 1 };

export interface DiskHome {
  readonly home: string;
  readonly directory: string;
  readonly rows: ObjectRows;
  readonly requests: RequestRows;
  readonly store: StoredObjects;
  readonly dispose: () => Promise<void>;
}

let empty: Uint8Array | null = null;

/** The kernel.db of a home. New ones are copies of one that was made once: making it is most of the cost of such a home. */
export function kernelDbOf(home: string, clock: Clock): KernelDb {
  const path = join(home, "kernel.db");
  empty ??= emptyKernelDb(clock);
  if (!existsSync(path)) writeFileSync(path, empty, { mode: 0o600 });
  const kernel = openKernelDb(path, { now: clock.now() });
  kernel.begin(clock.now());
  return kernel;
}

function emptyKernelDb(clock: Clock): Uint8Array {
  const directory = scratchDirectory("empty");
  const path = join(directory, "kernel.db");
  openKernelDb(path, { now: clock.now() }).db.close();
  const bytes = readFileSync(path);
  rmSync(directory, { recursive: true });
  return bytes;
}

export async function openDisk(home: string, clock: Clock = new FakeClock()): Promise<DiskHome> {
  const kernel = kernelDbOf(home, clock);
  const rows = objectRows(kernel);
  const directory = join(home, "objects");
  const random = seeded(process.pid * 7919 + Math.floor(performance.now())).bytes;
  return {
    home,
    directory,
    rows,
    requests: requestRows(kernel),
    store: diskObjects({ directory, rows, clock, random }),
    dispose: async () => kernel.db.close(),
  };
}

export async function newDisk(): Promise<DiskHome> {
  const home = await mkdtemp(join(tmpdir(), "gsv-objects-"));
  const disk = await openDisk(home);
  return {
    ...disk,
    dispose: async () => {
      await disk.dispose();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export function plain(key: string, mode = 0o644) {
  return { key, uid: 1000, gid: 1000, mode, type: "text/plain", mtimeMs: 1, dirmarker: false, symlink: null };
}

/** Keys that every driver refuses. */
export const BAD_KEYS: readonly (readonly [what: string, key: string])[] = [
  ["the empty one", ""],
  ["with a leading slash", "/a"],
  ["with a trailing slash", "a/"],
  ["with a doubled slash", "a//b"],
  ["that is a dot", "."],
  ["that is two dots", ".."],
  ["with two dots inside", "a/../b"],
  ["with a dot inside", "a/./b"],
  ["that climbs", "../escape"],
  ["among the temporaries", ".tmp/x"],
  ["among the temporaries on a host that folds case", ".TMP/x"],
  ["of the temporaries", ".tmp"],
  ["with a NUL", "a\0b"],
  ["with half a surrogate pair", "bad\ud800"],
  ["with a name of 256 letters", `a/${"n".repeat(256)}`],
  ["with a name of 256 bytes", "é".repeat(128)],
  ["of more than 4096 bytes", `${"d/".repeat(2048)}x`],
];
