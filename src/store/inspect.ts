// A home's databases as they are looked at from outside, while a kernel may be using them or after something broke: read-only
// connections, opened for one look and closed again. Looking never migrates. What cannot be read is thrown in SQLite's words.

import { statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../abi/errno.ts";
import type { State } from "../abi/process/process.ts";
import { type Edition, schemaVersion } from "./edition.ts";
import { type HookRow, hooksIn } from "./kernel/hooks.ts";
import { KERNEL_EDITION, PROCESS_EDITION } from "./migrations/editions.ts";
import { Db, StoreCorrupt } from "./open.ts";
import { HeadRow } from "./process/head.ts";

/** What a process is doing, as its database or the copy in kernel.db says. */
export interface Doing {
  readonly state: State;
  readonly activeRunId: string | null;
  readonly queued: number;
  readonly lastActiveAt: number | null;
}

export interface Registered extends Doing {
  readonly pid: string;
  readonly phase: "creating" | "live" | "killing";
  /** A start of the kernel will look at it. */
  readonly dirty: boolean;
  readonly createdAt: number;
  readonly openApprovals: readonly string[];
}

export interface OwnWord extends Doing {
  readonly openApprovals: readonly string[];
  /** Changes that were not copied into kernel.db. */
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

    /** What SQLite finds wrong with a file, or null. */
    fault(path: string, depth: "quick" | "full"): string | null {
      try {
        return look(path, (db) => {
          if (schemaVersion(db) === 0) return "it is empty although it held data";
          return wordOf(db, depth === "quick" ? "PRAGMA quick_check(1)" : "PRAGMA integrity_check(100)");
        });
      } catch (error) {
        return messageOf(error);
      }
    },

    registered: (): readonly Registered[] => look(kernelDb, registeredIn),
    registeredAs: (pid: string): Registered | null => look(kernelDb, (db) => registeredIn(db, pid)[0] ?? null),
    ownWord: (pid: string): OwnWord => look(processDb(pid), ownWordIn),

    /** Settings as they are stored, by stored key. */
    settings: () =>
      look(kernelDb, (db) =>
        db.all<{ readonly key: string; readonly value: string }>("SELECT key, value FROM config_kv ORDER BY key"),
      ),
    /** The lowest numbers first. */
    accounts: () =>
      look(kernelDb, (db) =>
        db.all<{ readonly uid: number; readonly username: string }>("SELECT uid, username FROM passwd ORDER BY uid"),
      ),

    /** What was decided about hooks; nothing in a home that is older than these. */
    hooks: (): readonly HookRow[] => look(kernelDb, (db) => (db.get(HAS_HOOKS) === null ? [] : hooksIn(db))),

    /** Those in use. */
    workspaces: () =>
      look(kernelDb, (db) =>
        db.all<{ readonly id: string; readonly owner: string; readonly directory: string | null }>(
          `SELECT workspace_id AS id, username AS owner, directory FROM workspaces JOIN passwd ON uid = owner_uid
           WHERE state = 'active' ORDER BY created_at, workspace_id`,
        ),
      ),

    /** The newest first. */
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
    /** In the order of their keys. */
    objects: (after: string): readonly Stored[] =>
      look(kernelDb, (db) =>
        db.all<Stored & { [column: string]: unknown }>(
          "SELECT key, size, sha256 FROM objects WHERE key > ? ORDER BY key LIMIT ?",
          after,
          PAGE_ROWS,
        ),
      ),
    /** Whether any object has these bytes. */
    holds: (sha256: string): boolean =>
      look(kernelDb, (db) => db.get("SELECT 1 AS one FROM objects WHERE sha256 = ? LIMIT 1", sha256) !== null),
    /** Keys whose bytes are being moved, or were when a kernel died. */
    moving: (): readonly string[] =>
      look(kernelDb, (db) => db.all<{ body_json: string }>("SELECT body_json FROM object_intents").flatMap(keysIn)),
  };
}

const HAS_HOOKS = "SELECT 1 AS one FROM sqlite_schema WHERE name = 'hooks'";
const OBJECT = "SELECT key, size, sha256 FROM objects WHERE key = ?";

function look<T>(path: string, body: (db: Db) => T): T {
  const stat = statSync(path, { throwIfNoEntry: false });
  // A pipe in its place would keep whoever opens it waiting.
  if (stat === undefined || !stat.isFile())
    throw new StoreCorrupt(`${path} is ${stat === undefined ? "missing" : "not a file"}`);
  // Without a log there is nothing to keep, and looking at the file would leave an empty one beside it.
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const db = new Db(path, { mode: hasLog ? "look" : "read" });
  try {
    return db.snapshot(() => body(db));
  } finally {
    db.close();
  }
}

function wordOf(db: Db, sql: string): string | null {
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
  readonly process_id: string;
  readonly phase: Registered["phase"];
  readonly dirty: number;
  readonly created_at: number;
  readonly state: State;
  readonly active_run_id: string | null;
  readonly queued_count: number;
  readonly last_active_at: number | null;
};

function registeredIn(db: Db, pid: string | null = null): Registered[] {
  const open = new Map<string, string[]>();
  for (const row of db.all<{ process_id: string; request_id: string }>(
    "SELECT process_id, request_id FROM approvals WHERE decision IS NULL AND (?1 IS NULL OR process_id = ?1) ORDER BY created_at, request_id",
    pid,
  ))
    open.set(row.process_id, [...(open.get(row.process_id) ?? []), row.request_id]);
  return db
    .all<RegistryColumns>("SELECT * FROM processes WHERE ?1 IS NULL OR process_id = ?1 ORDER BY process_id", pid)
    .map((row) => ({
      pid: row.process_id,
      phase: row.phase,
      dirty: row.dirty === 1,
      createdAt: row.created_at,
      state: row.state,
      activeRunId: row.active_run_id,
      queued: row.queued_count,
      lastActiveAt: row.last_active_at,
      openApprovals: open.get(row.process_id) ?? [],
    }));
}

function ownWordIn(db: Db): OwnWord {
  const head = new HeadRow(db);
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
