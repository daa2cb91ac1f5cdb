// An object store on a real disk with a real kernel database, in a directory that goes away with it.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/lib/clock.ts";
import { diskObjects } from "../../src/objects/disk.ts";
import type { ObjectRows, Receipt, StoredObjects } from "../../src/objects/objects.ts";
import { objectRows } from "../../src/store/kernel/objects.ts";
import { openKernelDb } from "../../src/store/kernel/open.ts";
import { type RequestRows, requestRows } from "../../src/store/kernel/requests.ts";
import { FakeClock } from "./clock.ts";
import { seeded } from "./random.ts";

/** What somebody is told once a change is true. */
export const RECEIPT: Receipt = { uid: 1000, requestId: "r", bodyHash: "h", answer: { done: true }, now: 1 };

export interface DiskHome {
  readonly home: string;
  readonly directory: string;
  readonly rows: ObjectRows;
  readonly requests: RequestRows;
  readonly store: StoredObjects;
  readonly dispose: () => Promise<void>;
}

export async function openDisk(home: string, clock: Clock = new FakeClock()): Promise<DiskHome> {
  const kernel = openKernelDb(join(home, "kernel.db"), { now: clock.now() });
  kernel.begin(clock.now());
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
