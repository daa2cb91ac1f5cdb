// Read-only inspection of a home's databases, with or without a running kernel. Each look opens and closes its own connection and never
// migrates. Read errors are thrown with SQLite's message.

import { statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../abi/errno.ts";
import type { State } from "../abi/process/process.ts";
import { type Edition, schemaVersion } from "./edition.ts";
import { type HookRow, hooksIn } from "./kernel/hooks.ts";
import { KERNEL_EDITION, PROCESS_EDITION } from "./migrations/editions.ts";
import { Db, StoreCorrupt } from "./open.ts";
import { HeadRow } from "./process/head.ts";

/** State of a process, from its database or from kernel.db. */
export interface Activity {
  readonly state: State;
  readonly activeRunId: string | null;
  readonly queued: number;
  readonly lastActiveAt: number | null;
}

export interface Registered extends Activity {
  readonly pid: string;
  readonly phase: "creating" | "live" | "killing";
  /** The next kernel will look at it. */
  readonly dirty: boolean;
  readonly createdAt: number;
  readonly openApprovals: readonly string[];
}

export interface ProcessState extends Activity {
  readonly openApprovals: readonly string[];
  /** Outbox rows not yet copied to kernel.db. */
  readonly unsent: number;
  readonly closing: { readonly reason: "reset" | "kill"; readonly startedAt: number } | null;
}

export interface Stored {
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

export interface StoredArchive {
  readonly id: string;
  readonly pid: string;
  readonly key: string;
  readonly lines: number;
  readonly sha256: string;
}

export interface Versions {
  readonly version: number;
  readonly known: number;
}

const PAGE_ROWS = 1000;

export type Inspector = ReturnType<typeof inspector>;

export function inspector(paths: { readonly kernelDb: string; readonly procDir: string }) {
  const { kernelDb } = paths;
  const processDb = (pid: string) => join(paths.procDir, `${pid}.db`);
  return {
    kernelSchema: (): Versions => look(kernelDb, (db) => versionsOf(db, KERNEL_EDITION)),
    processSchema: (pid: string): Versions => look(processDb(pid), (db) => versionsOf(db, PROCESS_EDITION)),

    /** What SQLite finds wrong, or null. */
    fault(path: string, depth: "quick" | "full"): string | null {
      try {
        return look(path, (db) => {
          if (schemaVersion(db) === 0) return "empty, although it held data";
          return checkResult(db, depth === "quick" ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(100)");
        });
      } catch (error) {
        return messageOf(error);
      }
    },

    registered: (): readonly Registered[] => look(kernelDb, registeredIn),
    registeredProcess: (pid: string): Registered | null => look(kernelDb, (db) => registeredIn(db, pid)[0] ?? null),
    processState: (pid: string): ProcessState => look(processDb(pid), processStateIn),

    /** Stored settings by key. */
    settings: () =>
      look(kernelDb, (db) =>
        db.all<{ readonly key: string; readonly value: string }>("SELECT key, value FROM config_kv ORDER BY key"),
      ),
    /** By uid. */
    accounts: () =>
      look(kernelDb, (db) =>
        db.all<{ readonly uid: number; readonly username: string }>("SELECT uid, username FROM passwd ORDER BY uid"),
      ),

    /** Empty if the home is older than hooks. */
    hooks: (): readonly HookRow[] => look(kernelDb, (db) => (db.get(HAS_HOOKS) === null ? [] : hooksIn(db))),

    /** Those that are due some time, the earliest first, and those that gsv has paused. Empty if the home is older than schedules. */
    schedules: () => look(kernelDb, schedulesIn),

    /** Active ones. */
    workspaces: () =>
      look(kernelDb, (db) =>
        db.all<{ readonly id: string; readonly owner: string; readonly directory: string | null }>(
          `SELECT workspace_id AS id, username AS owner, directory FROM workspaces JOIN passwd ON uid = owner_uid
           WHERE state = 'active' ORDER BY created_at, workspace_id`,
        ),
      ),

    /** Newest first. */
    archives: (limit: number): readonly StoredArchive[] =>
      look(kernelDb, (db) =>
        db.all<StoredArchive & { [column: string]: unknown }>(
          `SELECT archive_id AS id, process_id AS pid, object_key AS key, lines, sha256 FROM archives
           ORDER BY created_at DESC, archive_id DESC LIMIT ?`,
          limit,
        ),
      ),
    object: (key: string): Stored | null =>
      look(kernelDb, (db) => db.get<Stored & { [column: string]: unknown }>(OBJECT, key)),
    /** By key. */
    objects: (after: string): readonly Stored[] =>
      look(kernelDb, (db) =>
        db.all<Stored & { [column: string]: unknown }>(
          "SELECT key, size, sha256 FROM objects WHERE key > ? ORDER BY key LIMIT ?",
          after,
          PAGE_ROWS,
        ),
      ),
    /** True if any object has this content. */
    holds: (sha256: string): boolean =>
      look(kernelDb, (db) => db.get("SELECT 1 AS one FROM objects WHERE sha256 = ? LIMIT 1", sha256) !== null),
    /** Keys with an unfinished change. */
    moving: (): readonly string[] =>
      look(kernelDb, (db) => db.all<{ body_json: string }>("SELECT body_json FROM object_intents").flatMap(keysIn)),
  };
}

function schedulesIn(db: Db) {
  if (db.get(HAS_SCHEDULES) === null) return [];
  return db.all<{ readonly name: string; readonly nextAt: number | null; readonly pausedWhy: string | null }>(
    `SELECT name, next_run_at AS nextAt, paused_why AS pausedWhy FROM schedules
     WHERE next_run_at IS NOT NULL OR failures > 0 AND enabled = 0 ORDER BY next_run_at IS NULL, next_run_at, name`,
  );
}

const HAS_HOOKS = "SELECT 1 AS one FROM sqlite_schema WHERE name = 'hooks'";
const HAS_SCHEDULES = "SELECT 1 AS one FROM sqlite_schema WHERE name = 'schedules'";
const OBJECT = "SELECT key, size, sha256 FROM objects WHERE key = ?";

function look<T>(path: string, body: (db: Db) => T): T {
  const stat = statSync(path, { throwIfNoEntry: false });
  // Opening a pipe would block.
  if (stat === undefined || !stat.isFile())
    throw new StoreCorrupt(`${path} is ${stat === undefined ? "missing" : "not a file"}`);
  // Without a WAL, mode "look" would leave an empty one behind.
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const db = new Db(path, { mode: hasLog ? "look" : "read" });
  try {
    return db.snapshot(() => body(db));
  } finally {
    db.close();
  }
}

function checkResult(db: Db, sql: string): string | null {
  const lines = db.all(sql).flatMap((row) => String(Object.values(row)[0]).split("\n"));
  const words = lines.filter((line) => line !== "" && !line.startsWith("***"));
  return words.length === 0 || words[0] === "ok" ? null : words.join("; ");
}

function versionsOf(db: Db, edition: Edition): Versions {
  const version = schemaVersion(db);
  const id = db.get<{ application_id: number }>("PRAGMA application_id")?.application_id;
  if (version > 0 && id !== edition.applicationId)
    throw new StoreCorrupt(`${db.path} is not a ${edition.component} database of gsv`);
  return { version, known: edition.version };
}

type RegistryColumns = {
  readonly [K in Exclude<keyof Registered, "openApprovals">]: K extends "dirty" ? number : Registered[K];
};

const REGISTRY_COLUMNS = `process_id AS pid, phase, dirty, created_at AS createdAt, state,
  active_run_id AS activeRunId, queued_count AS queued, last_active_at AS lastActiveAt`;

function registeredIn(db: Db, pid: string | null = null): Registered[] {
  const open = new Map<string, string[]>();
  for (const row of db.all<{ process_id: string; request_id: string }>(
    "SELECT process_id, request_id FROM approvals WHERE decision IS NULL AND (?1 IS NULL OR process_id = ?1) ORDER BY created_at, request_id",
    pid,
  ))
    open.set(row.process_id, [...(open.get(row.process_id) ?? []), row.request_id]);
  const rows = db.all<RegistryColumns>(
    `SELECT ${REGISTRY_COLUMNS} FROM processes WHERE ?1 IS NULL OR process_id = ?1 ORDER BY process_id`,
    pid,
  );
  return rows.map((row) => ({ ...row, dirty: row.dirty === 1, openApprovals: open.get(row.pid) ?? [] }));
}

function processStateIn(db: Db): ProcessState {
  const head = new HeadRow(db, "read");
  const { state, currentRun: activeRunId, queued, lastActiveAt, closing } = head;
  const open = db.all<{ request_id: string }>(
    "SELECT request_id FROM pending_hil WHERE decision IS NULL ORDER BY created_at, request_id",
  );
  return {
    state,
    activeRunId,
    queued,
    lastActiveAt,
    openApprovals: open.map((row) => row.request_id),
    unsent: db.get<{ n: number }>("SELECT count(*) AS n FROM outbox")?.n ?? 0,
    closing: closing === null ? null : { reason: closing.reason, startedAt: closing.startedAt },
  };
}

function keysIn({ body_json }: { readonly body_json: string }): string[] {
  const intent = JSON.parse(body_json) as { key?: string; from?: string; to?: string; meta?: { key: string } };
  return [intent.key, intent.from, intent.to, intent.meta?.key].filter((key) => key !== undefined);
}
