// The files of a home as the read-only view sees them.

import { Namespace } from "../fs/namespace.ts";
import { objectsFs } from "../fs/objects.ts";
import { procFs } from "../fs/proc.ts";
import type { RandomBytes } from "./abi/ids.ts";
import type { Sys } from "./abi/sys.ts";
import { homeNamed } from "./boot-about.ts";
import { filesService } from "./kernel/files.ts";
import type { Clock } from "./lib/clock.ts";
import { diskObjects } from "./objects/disk.ts";
import type { ObjectStore } from "./objects/objects.ts";
import type { HomePaths } from "./paths.ts";
import type { KernelDb } from "./store/kernel/db.ts";
import { objectRows } from "./store/kernel/objects.ts";
import type { KernelStore } from "./store/kernel/sqlite.ts";
import { messageLine, waitsForText } from "./syscalls/format.ts";
import type { Files } from "./syscalls/services.ts";

export interface ReadFiles {
  readonly files: Files;
  readonly objects: Pick<ObjectStore, "read">;
}

export interface ReadFilesOptions {
  readonly paths: HomePaths;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly database: KernelDb;
  readonly kernel: KernelStore;
  readonly sys: () => Sys;
}

export function readFiles({ paths, clock, random, database, kernel, sys }: ReadFilesOptions): ReadFiles {
  const objects = diskObjects({ directory: paths.objectsDir, rows: objectRows(database), clock, random });
  const namespace = new Namespace([
    { at: "/", fs: objectsFs({ storeOf: () => objects, clock, root: { uid: 0, gid: 0, mode: 0o755 } }) },
    { at: "/proc", fs: procFs({ sysFor: sys, clock, messageLine, waitsForText }) },
  ]);
  return {
    objects,
    files: filesService({ namespace, homeOf: (caller, username) => homeNamed(kernel, caller, username) }),
  };
}
