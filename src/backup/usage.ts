// The numbers of `gsv df`: databases by process, archives and files by account, and everything else in a home. Databases are opened through the
// store only.

import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { HomeUsage, Usage } from "../abi/backup.ts";
import { isWorkspaceId } from "../abi/ids.ts";
import { listDirectory } from "../lib/directories.ts";
import type { ObjectSums } from "../store/sums.ts";

export interface UsagePlaces {
  readonly home: string;
  readonly kernelDb: string;
  readonly indexDb: string;
  readonly procDir: string;
  readonly logDir: string;
  readonly reposDir: string;
  readonly quarantineDir: string;
  readonly backupDir: string;
  readonly crashDir: string;
  readonly spoolDir: string;
  /** Objects on disk that no row counts, because the storage is elsewhere now. */
  readonly leftDir?: string;
}

export function usageOf(places: UsagePlaces, sums: readonly ObjectSums[]): HomeUsage {
  const rows: Usage[] = [
    { kind: "kernel", name: "kernel.db", ...databaseAt(places.kernelDb) },
    { kind: "other", name: "index.db", ...databaseAt(places.indexDb) },
    ...processes(places.procDir),
    ...sums,
    ...repositories(places.reposDir),
    { kind: "logs", name: "log", ...treeAt(places.logDir) },
    { kind: "quarantine", name: "quarantine", ...treeAt(places.quarantineDir) },
    { kind: "backups", name: "backup", ...treeAt(places.backupDir) },
    { kind: "other", name: "crash", ...treeAt(places.crashDir) },
    { kind: "other", name: "spool", ...treeAt(places.spoolDir) },
    ...(places.leftDir === undefined ? [] : [{ kind: "other" as const, name: "objects", ...treeAt(places.leftDir) }]),
  ];
  const { bavail, bsize } = statfsSync(places.home);
  return {
    home: places.home,
    rows: rows.filter(({ count }) => count > 0).sort((a, b) => b.bytes - a.bytes),
    usedBytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    freeBytes: bavail * bsize,
  };
}

/** Workspaces by name, everything else together. */
function repositories(directory: string): Usage[] {
  const rest = { kind: "repos", name: "repos", ...EMPTY } as const;
  const rows: Usage[] = [];
  let together: Size = EMPTY;
  for (const owner of listDirectory(directory)) {
    for (const name of listDirectory(join(directory, owner))) {
      const path = join(directory, owner, name);
      const size = treeAt(path);
      if (isWorkspaceId(name)) rows.push({ kind: "workspace", name: `${owner}/${name}`, ...size });
      else together = { bytes: together.bytes + size.bytes, count: together.count + size.count };
    }
  }
  return [{ ...rest, ...together }, ...rows];
}

const EMPTY = { bytes: 0, count: 0 };

type Size = Pick<Usage, "bytes" | "count">;

function processes(directory: string): Usage[] {
  const names = listDirectory(directory).filter((name) => name.endsWith(".db"));
  return names.map((name) => ({
    kind: "process",
    name: name.slice(0, -".db".length),
    ...databaseAt(join(directory, name)),
  }));
}

/** A database with its WAL and its index. */
function databaseAt(path: string): Size {
  const sizes = ["", "-wal", "-shm"].flatMap((suffix) => sizeOf(`${path}${suffix}`) ?? []);
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), count: Math.min(sizes.length, 1) };
}

function treeAt(directory: string): Size {
  let [bytes, count] = [0, 0];
  for (const entry of listDirectory(directory)) {
    const path = join(directory, entry);
    const size = sizeOf(path);
    const inner = size === null ? treeAt(path) : { bytes: size, count: 1 };
    bytes += inner.bytes;
    count += inner.count;
  }
  return { bytes, count };
}

function sizeOf(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? stats.size : null;
}
