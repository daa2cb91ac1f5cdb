// The file services of the read-only view: the same mounts over read-only objects and databases.

import type { RandomBytes } from "../abi/ids.ts";
import { KernelNeeded, type Sys } from "../abi/sys.ts";
import { mountedFiles } from "../boot/mounts.ts";
import { homesOf, lazyRepos } from "../boot/repos.ts";
import { cronFiles } from "../due/cron-files.ts";
import { timezoneOf } from "../due/default-zone.ts";
import { CoreFiles } from "../kernel/files/crash-files.ts";
import type { HomeOf } from "../kernel/files/file-paths.ts";
import { filesByTarget } from "../kernel/files/file-targets.ts";
import { treeService } from "../kernel/files/file-tree.ts";
import { filesService } from "../kernel/files/files.ts";
import { storageService } from "../kernel/lifetime/storage.ts";
import { type StorageParts, storageIn } from "../kernel/storage/drivers.ts";
import { mountedWorkspaces } from "../kernel/workspaces/mounted-workspaces.ts";
import type { Clock } from "../lib/clock.ts";
import { keychainOf } from "../machine/keychain.ts";
import { machineOf } from "../machine/machine.ts";
import type { ObjectStore } from "../objects/objects.ts";
import { isAtRest } from "../objects/verify.ts";
import type { HomePaths } from "../paths.ts";
import { mediaReads } from "../process/media.ts";
import type { KernelDb } from "../store/kernel/db.ts";
import { objectRows } from "../store/kernel/objects.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { homeNamed, namesIn } from "./about.ts";
import type { ReadServices } from "./reads.ts";

interface ReadFiles extends Pick<ReadServices, "files" | "tree" | "storage" | "media"> {
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

export async function readFiles({ paths, clock, random, database, kernel, sys }: ReadFilesOptions): Promise<ReadFiles> {
  const keychain = keychainOf(paths.home, clock);
  const stored = await storageIn({ paths, clock, random, config: kernel.config, keychain }, objectRows(database));
  const objects = settled(stored);
  const repos = lazyRepos({ paths, clock });
  const homes = homesOf(kernel, paths, repos);
  const workspaces = mountedWorkspaces({ kernel, repos, paths, clock, random });
  const namespace = mountedFiles({
    objects,
    homes,
    workspaces,
    kernel,
    cronFiles: cronFiles({ kernel, clock, random, zone: timezoneOf(kernel.config), arm: async () => {} }),
    clock,
    random,
    sysFor: sys,
    actFor: sys,
    log: needsKernel,
    onLocked: () => {},
    machine: machineOf(paths.home),
    crashes: new CoreFiles(paths.crashDir),
  });
  const homeOf: HomeOf = (caller, username) => homeNamed(kernel, caller, username);
  return {
    objects,
    files: filesByTarget(filesService({ namespace, homeOf }), null),
    tree: treeService({ namespace, homeOf, names: namesIn(kernel), clock }),
    media: mediaReads({ kernel, objects }),
    storage: storageService({ ...stored, kernel, clock, emit: () => {} }),
  };
}

/** An unreadable object may be in the middle of a change. Then a kernel must answer. */
function settled({ objects, known }: Pick<StorageParts, "objects" | "known">): ObjectStore {
  return {
    head: (key) => objects.head(key),
    heads: (keys) => objects.heads(keys),
    page: (...query) => objects.page(...query),
    async read(key, range) {
      const row = await objects.head(key);
      return objects.read(key, range).catch(async (error: unknown) => {
        throw row === null || (await isAtRest(known, row)) ? error : new KernelNeeded();
      });
    },
    put: needsKernel,
    putEmpty: needsKernel,
    setMeta: needsKernel,
    remove: needsKernel,
    rename: needsKernel,
    recover: needsKernel,
  };
}

/** Only a kernel knows which secrets to redact. */
async function needsKernel(): Promise<never> {
  throw new KernelNeeded();
}
