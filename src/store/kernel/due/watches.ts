// Signal watches and their events. An event is stored with its watch before the action begins, so that the next kernel
// repeats an action that this one did not finish.

import type { Cause } from "../../../abi/process/cause.ts";
import type { Watch, WatchAction, WatchedEvent, WatchStatus } from "../../../abi/watch.ts";
import type { Receipt } from "../../../objects/objects.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { putRequest } from "../requests.ts";
import { type Columns, numberOrNull, textOrNull } from "./columns.ts";
import type { Creator } from "./schedules.ts";

export interface WatchRow extends Watch {
  readonly id: string;
  readonly ownerUid: number;
  readonly creator: Creator;
  readonly state: object | null;
}

export interface Firing {
  readonly watchId: string;
  readonly event: WatchedEvent;
  /** The cause of the action: that of the event, plus this watch. */
  readonly cause: Cause;
  /** How often the action has begun. */
  readonly attempts: number;
}

export interface WatchRows {
  /** Replaces the watch of the owner with the same key. Returns the row as stored. */
  put(row: WatchRow, receipt: ((row: WatchRow) => Receipt) | null): Promise<WatchRow>;
  get(id: string): Promise<WatchRow | null>;
  named(ownerUid: number, key: string): Promise<WatchRow | null>;
  /** Ordered by key, without expired watches. */
  list(ownerUid: number, now: number): Promise<readonly WatchRow[]>;
  active(now: number): Promise<readonly WatchRow[]>;
  remove(id: string): Promise<void>;
  /** False if the watch already had the event or is not active. More than `perMinuteMax` events in a minute end the watch. */
  claim(firing: Firing, asked: { readonly now: number; readonly perMinuteMax: number }): Promise<boolean>;
  begun(firing: Firing): Promise<void>;
  /** A watch for one event is removed after success. */
  finish(firing: Firing, end: { readonly error: string | null; readonly now: number }): Promise<void>;
  /** Oldest first. */
  unfinished(): Promise<readonly Firing[]>;
}

const FIRINGS_KEPT = 100;
const MINUTE_MS = 60_000;

export function watchRows(kernel: KernelDb): WatchRows {
  const { db } = kernel;
  const one = (sql: string, ...values: (string | number)[]) => {
    const row = db.get<Columns>(sql, ...values);
    return row === null ? null : rowFrom(row);
  };
  const get = (id: string) => one("SELECT * FROM signal_watches WHERE watch_id = ?", id);
  return {
    async put(row, receipt) {
      return kernel.write("full", () => {
        const stored = put(db, row);
        if (receipt !== null) putRequest(db, receipt(stored));
        return stored;
      });
    },
    get: async (id) => get(id),
    named: async (ownerUid, key) => one("SELECT * FROM signal_watches WHERE uid = ? AND dedupe_key = ?", ownerUid, key),
    list: async (ownerUid, now) =>
      db
        .all<Columns>(
          "SELECT * FROM signal_watches WHERE uid = ? AND expires_at > ? ORDER BY dedupe_key",
          ownerUid,
          now,
        )
        .map(rowFrom),
    active: async (now) =>
      db.all<Columns>("SELECT * FROM signal_watches WHERE status = 'active' AND expires_at > ?", now).map(rowFrom),
    async remove(id) {
      kernel.write("full", () => db.run("DELETE FROM signal_watches WHERE watch_id = ?", id));
    },
    async claim(firing, asked) {
      return kernel.write("full", () => claim(db, firing, asked));
    },
    async begun({ watchId, event }) {
      kernel.write("full", () =>
        db.run(
          "UPDATE signal_firings SET attempts = attempts + 1 WHERE watch_id = ? AND event_id = ?",
          ...[watchId, event.id],
        ),
      );
    },
    async finish({ watchId, event }, { error, now }) {
      kernel.write("full", () => {
        const status = error === null ? "ok" : "error";
        db.run(
          "UPDATE signal_firings SET status = ?, error = ?, finished_at = ? WHERE watch_id = ? AND event_id = ?",
          ...[status, error, now, watchId, event.id],
        );
        if (error === null) db.run("DELETE FROM signal_watches WHERE watch_id = ? AND status = 'fired'", watchId);
        db.run(
          `UPDATE signal_watches SET error = ?, updated_at = ?, status = iif(status = 'fired', 'failed', status)
           WHERE watch_id = ? AND status <> 'failed'`,
          ...[error, now, watchId],
        );
        db.run(
          `DELETE FROM signal_firings WHERE watch_id = ?1 AND finished_at IS NOT NULL AND event_id NOT IN
           (SELECT event_id FROM signal_firings WHERE watch_id = ?1 ORDER BY at DESC, rowid DESC LIMIT ?2)`,
          ...[watchId, FIRINGS_KEPT],
        );
      });
    },
    unfinished: async () =>
      db.all<Columns>("SELECT * FROM signal_firings WHERE finished_at IS NULL ORDER BY at, rowid").map((row) => ({
        watchId: String(row.watch_id),
        event: JSON.parse(String(row.event_json)) as WatchedEvent,
        cause: JSON.parse(String(row.cause_json)) as Cause,
        attempts: Number(row.attempts),
      })),
  };
}

/** Within a transaction: removes the watches that have expired. */
export function claimExpired(db: Db, now: number): readonly { readonly id: string; readonly at: number }[] {
  return db.all<{ id: string; at: number }>(
    "DELETE FROM signal_watches WHERE expires_at <= ? RETURNING watch_id AS id, expires_at AS at",
    now,
  );
}

function put(db: Db, row: WatchRow): WatchRow {
  const known = db.get<{ watch_id: string }>(
    "SELECT watch_id FROM signal_watches WHERE uid = ? AND dedupe_key = ?",
    ...[row.ownerUid, row.key],
  );
  const stored = known === null ? row : { ...row, id: known.watch_id };
  // The events of the watch are kept: a repeated event must not fire again.
  db.run(
    `INSERT INTO signal_watches (watch_id, uid, creator_json, dedupe_key, signal, process_id, where_text, action_json, state_json,
       once_only, status, error, fired, last_at, created_at, updated_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'active', NULL, 0, NULL, ?, ?, ?)
     ON CONFLICT (watch_id) DO UPDATE SET creator_json = excluded.creator_json, signal = excluded.signal,
       process_id = excluded.process_id, where_text = excluded.where_text, action_json = excluded.action_json,
       state_json = excluded.state_json, once_only = excluded.once_only, status = 'active', error = NULL, fired = 0,
       last_at = NULL, created_at = excluded.created_at, updated_at = excluded.updated_at, expires_at = excluded.expires_at`,
    ...[stored.id, row.ownerUid, JSON.stringify(row.creator), row.key, row.signal, row.pid, row.where],
    ...[JSON.stringify(row.action), row.state === null ? null : JSON.stringify(row.state), row.once ? 1 : 0],
    ...[row.createdAt, row.createdAt, row.expiresAt],
  );
  return stored;
}

function claim(
  db: Db,
  { watchId, event, cause }: Firing,
  { now, perMinuteMax }: { readonly now: number; readonly perMinuteMax: number },
): boolean {
  const active = "watch_id = ? AND status = 'active' AND expires_at > ?";
  if (db.get(`SELECT 1 AS one FROM signal_watches WHERE ${active}`, watchId, now) === null) return false;
  const recent = db.get<{ n: number }>(
    "SELECT count(*) AS n FROM signal_firings WHERE watch_id = ? AND at > ?",
    ...[watchId, now - MINUTE_MS],
  );
  if ((recent?.n ?? 0) >= perMinuteMax) {
    const why = `fired ${perMinuteMax} times within a minute`;
    db.run("UPDATE signal_watches SET status = 'failed', error = ? WHERE watch_id = ?", why, watchId);
    return false;
  }
  const added = db.run(
    "INSERT OR IGNORE INTO signal_firings (watch_id, event_id, at, event_json, cause_json, status) VALUES (?, ?, ?, ?, ?, 'claimed')",
    ...[watchId, event.id, now, JSON.stringify(event), JSON.stringify(cause)],
  );
  if (added === 0) return false;
  db.run(
    `UPDATE signal_watches SET fired = fired + 1, last_at = ?, status = iif(once_only, 'fired', status) WHERE watch_id = ?`,
    ...[now, watchId],
  );
  return true;
}

function rowFrom(row: Columns): WatchRow {
  return {
    ...{ id: String(row.watch_id), ownerUid: Number(row.uid), key: String(row.dedupe_key), signal: String(row.signal) },
    ...{ creator: JSON.parse(String(row.creator_json)) as Creator, pid: textOrNull(row.process_id) },
    ...{ where: textOrNull(row.where_text), action: JSON.parse(String(row.action_json)) as WatchAction },
    ...{ state: row.state_json === null ? null : JSON.parse(String(row.state_json)), once: row.once_only === 1 },
    ...{ status: row.status as WatchStatus, error: textOrNull(row.error), fired: Number(row.fired) },
    ...{ lastAt: numberOrNull(row.last_at), createdAt: Number(row.created_at), expiresAt: Number(row.expires_at) },
  };
}
