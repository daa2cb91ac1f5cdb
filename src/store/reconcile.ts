// Makes copied or restored databases consistent before a kernel opens them: copies each process's state into the registry, marks
// unfinished processes for the next kernel, and raises the generation to fence earlier kernels. Requires exclusive access. Refuses
// damaged, foreign and newer files.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BackupCounts } from "../abi/backup.ts";
import type { Approval } from "../abi/process/process.ts";
import { WORKING_STATES } from "../abi/process/process.ts";
import type { ObjectIntent } from "../objects/objects.ts";
import type { DatabasePlaces } from "./copy.ts";
import { isOlder, refuseNewer, schemaVersion } from "./edition.ts";
import { applyIntent, intentsIn } from "./kernel/objects.ts";
import { storeApproval } from "./kernel/processes/approvals.ts";
import { PROJECTED, projected } from "./kernel/processes/processes.ts";
import { KERNEL_EDITION, PROCESS_EDITION } from "./migrations/editions.ts";
import { Db, StoreCorrupt } from "./open.ts";
import { HeadRow } from "./process/head.ts";
import type { Projection } from "./process/verbs.ts";

export interface CopiedObject {
  readonly key: string;
  readonly sha256: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface Reconciled {
  readonly generation: number;
  readonly counts: BackupCounts;
  readonly pids: readonly string[];
  /** Processes without a database. */
  readonly missing: readonly string[];
  readonly objects: readonly CopiedObject[];
  /** Unfinished object changes: the bytes may already match the rows after the change. */
  readonly changes: readonly ObjectIntent[];
}

type ProcessColumns = { readonly pid: string; readonly phase: string };

export function reconcile({ kernelDb, procDir }: DatabasePlaces): Reconciled {
  const kernel = new Db(kernelDb, { mode: "write" });
  try {
    requireHealthy(kernel);
    // An older schema is fine: the next kernel migrates it.
    isOlder(kernel, KERNEL_EDITION);
    return kernel.write("full", () => reconcileRows(kernel, procDir));
  } finally {
    kernel.close();
  }
}

function reconcileRows(kernel: Db, procDir: string): Reconciled {
  const missing: string[] = [];
  let messages = 0;
  let generation = kernel.get<{ generation: number }>("SELECT generation FROM kernel")?.generation ?? 0;
  // The copy includes the bytes, so the copied home stores them on disk.
  kernel.run("DELETE FROM config_kv WHERE key IN ('config/storage/driver', 'config/storage/home')");
  const rows = kernel.all<ProcessColumns>("SELECT process_id AS pid, phase FROM processes");
  for (const { pid, phase } of rows) {
    const path = join(procDir, `${pid}.db`);
    if (!existsSync(path)) {
      // A process that is being created has no database yet, one that is being killed may have none any more.
      if (phase === "live") missing.push(pid);
      kernel.run("UPDATE processes SET dirty = 1 WHERE process_id = ?", pid);
      continue;
    }
    const process = readProcess(path, pid);
    generation = Math.max(generation, process.kernelGeneration);
    messages += process.messages;
    putState(kernel, pid, process);
  }
  // No crash handling: the run in flight did not die with its kernel. No open intents: the bytes are copied by these rows.
  kernel.run("UPDATE kernel SET generation = ?, ended_cleanly = 1", generation);
  const changes = intentsIn(kernel);
  kernel.run("DELETE FROM object_intents");
  const pids = rows.map(({ pid }) => pid);
  const { objects, ...counts } = filesIn(kernel);
  return { generation, pids, missing, objects, changes, counts: { processes: rows.length, messages, ...counts } };
}

function filesIn(kernel: Db): Pick<BackupCounts, "archives" | "files"> & Pick<Reconciled, "objects"> {
  // Archives whose files were deleted for good.
  kernel.run("DELETE FROM archives WHERE object_key NOT IN (SELECT key FROM objects)");
  const archives = kernel.get<{ archives: number }>("SELECT count(*) AS archives FROM archives")?.archives ?? 0;
  const objects = kernel.all<CopiedObject & { [column: string]: string | number }>(
    "SELECT key, sha256, size, mtime_ms AS mtimeMs FROM objects ORDER BY key",
  );
  const files = kernel.get<{ files: number }>("SELECT count(*) AS files FROM objects WHERE dirmarker = 0")?.files ?? 0;
  return { objects, archives, files };
}

/** Completes unfinished object changes in the copy. */
export function completeChanges(kernelDb: string, before: Reconciled, changes: readonly ObjectIntent[]): Reconciled {
  const kernel = new Db(kernelDb, { mode: "write" });
  try {
    return kernel.write("full", () => {
      for (const change of changes) applyIntent(kernel, change);
      const { objects, ...counts } = filesIn(kernel);
      return { ...before, objects, counts: { ...before.counts, ...counts } };
    });
  } finally {
    kernel.close();
  }
}

interface CopiedProcess {
  readonly projection: Projection;
  readonly approval: Approval | null;
  readonly kernelGeneration: number;
  readonly unfinished: boolean;
  readonly messages: number;
}

function readProcess(path: string, pid: string): CopiedProcess {
  const db = new Db(path, { mode: "read" });
  try {
    requireHealthy(db);
    const version = schemaVersion(db);
    refuseNewer(db, PROCESS_EDITION, version);
    if (isOlder(db, PROCESS_EDITION) && version === 0) throw new StoreCorrupt(`${path} holds no process`);
    const head = new HeadRow(db);
    if (head.pid() !== pid) throw new StoreCorrupt(`${path} is not the database of ${pid}`);
    const unsent = db.get<{ n: number }>("SELECT count(*) AS n FROM outbox")?.n ?? 0;
    const messages = db.get<{ n: number }>("SELECT count(*) AS n FROM messages")?.n ?? 0;
    return {
      projection: head.projection(),
      approval: head.openApproval(),
      kernelGeneration: head.kernelGeneration,
      unfinished: unsent > 0 || head.closing !== null || WORKING_STATES.includes(head.state),
      messages,
    };
  } finally {
    db.close();
  }
}

function putState(kernel: Db, pid: string, { projection, approval, unfinished }: CopiedProcess): void {
  kernel.run(
    `UPDATE processes SET ${PROJECTED}, dirty = CASE WHEN phase = 'live' THEN ? ELSE 1 END WHERE process_id = ?`,
    ...projected(projection),
    unfinished ? 1 : 0,
    pid,
  );
  // An answer that did not reach the process is dropped.
  kernel.run("DELETE FROM approvals WHERE process_id = ? AND decision IS NULL", pid);
  if (approval !== null) storeApproval(kernel, pid, approval);
}

function requireHealthy(db: Db): void {
  const found = db.get<{ quick_check: string }>("PRAGMA quick_check(1)")?.quick_check;
  if (found !== undefined && found !== "ok") throw new StoreCorrupt(`the database ${db.path} is damaged: ${found}`);
}
