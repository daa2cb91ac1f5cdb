// Notifications of all accounts. Expired ones are never read, and removed when another is added.

import type { Level, Notification, NotificationAction, NotificationSource } from "../../../abi/notification.ts";
import type { Receipt } from "../../../objects/objects.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import { putRequest } from "../requests.ts";

export interface NotificationRow extends Notification {
  readonly uid: number;
  /** When people get it, if it waits: after quiet hours, or with others. */
  readonly announceAt: number | null;
}

export interface NotificationQuery {
  readonly uid: number;
  readonly now: number;
  readonly limit: number;
  readonly unread?: boolean;
  readonly dismissed?: boolean;
  /** Only those that this process has sent. */
  readonly sentBy?: string;
}

export interface AddNotification {
  /** Most rows of an account: dismissed, read and old ones give way first. */
  readonly max: number;
  /** Nothing is added while an unread one has the same source. */
  readonly once?: boolean;
  readonly receipt?: Receipt;
}

interface Mark {
  readonly uid: number;
  /** Null for all. */
  readonly ids: readonly string[] | null;
  readonly now: number;
  readonly expiresAt: number;
}

export interface NotificationRows {
  /** False if it was not added. */
  add(row: NotificationRow, options: AddNotification): Promise<boolean>;
  /** Newest first. */
  list(query: NotificationQuery): Promise<readonly NotificationRow[]>;
  has(id: string): Promise<boolean>;
  unread(uid: number, now: number): Promise<number>;
  /** The number of those that agents of the account, or one of them, have sent since. */
  sentSince(uid: number, since: number, pid?: string): Promise<number>;
  /** The ids that were unread, or not dismissed, before. */
  read(mark: Mark): Promise<readonly string[]>;
  dismiss(mark: Mark): Promise<readonly string[]>;
  /** The unread ones about an approval or question. */
  about(uid: number, approvalId: string): Promise<readonly string[]>;
}

type Columns = {
  readonly notification_id: string;
  readonly uid: number;
  readonly title: string;
  readonly body: string | null;
  readonly level: string;
  readonly source_json: string;
  readonly actions_json: string;
  readonly created_at: number;
  readonly read_at: number | null;
  readonly dismissed_at: number | null;
  readonly expires_at: number;
  readonly announce_at: number | null;
};

export function notificationRows(kernel: KernelDb): NotificationRows {
  const { db } = kernel;
  const marked = (column: "read_at" | "dismissed_at", { uid, ids, now, expiresAt }: Mark) =>
    kernel
      .write("full", () =>
        db.all<{ notification_id: string }>(
          `UPDATE notifications SET ${column} = ?1, read_at = coalesce(read_at, ?1), expires_at = ?2, announce_at = NULL
            WHERE uid = ?3 AND ${column} IS NULL AND dismissed_at IS NULL AND expires_at > ?1
            AND (?4 IS NULL OR notification_id IN (SELECT value FROM json_each(?4))) RETURNING notification_id`,
          ...[now, expiresAt, uid, ids === null ? null : JSON.stringify(ids)],
        ),
      )
      .map(({ notification_id }) => notification_id);
  return {
    async add(row, { max, once = false, receipt }) {
      return kernel.write("full", () => {
        db.run("DELETE FROM notifications WHERE expires_at <= ?", row.createdAt);
        if (receipt !== undefined) putRequest(db, receipt);
        if (once && isKnown(row)) return false;
        db.run(
          `DELETE FROM notifications WHERE notification_id IN (SELECT notification_id FROM notifications WHERE uid = ?1
            ORDER BY dismissed_at IS NULL, read_at IS NULL, created_at
            LIMIT max(0, (SELECT count(*) FROM notifications WHERE uid = ?1) - ?2))`,
          ...[row.uid, max - 1],
        );
        put(row);
        return true;
      });
    },
    list: async ({ uid, now, limit, unread = false, dismissed = false, sentBy }) =>
      db
        .all<Columns>(
          `SELECT * FROM notifications WHERE uid = ?1 AND expires_at > ?2 AND (dismissed_at IS NOT NULL) = ?3
            AND (?4 = 0 OR read_at IS NULL)
            AND (?5 IS NULL OR (source_json ->> 'kind' = 'process' AND source_json ->> 'pid' = ?5))
            ORDER BY created_at DESC, rowid DESC LIMIT ?6`,
          ...[uid, now, dismissed ? 1 : 0, unread ? 1 : 0, sentBy ?? null, limit],
        )
        .map(rowFrom),
    has: async (id) => db.get("SELECT 1 AS n FROM notifications WHERE notification_id = ?", id) !== null,
    unread: async (uid, now) =>
      db.get<{ n: number }>(
        "SELECT count(*) AS n FROM notifications WHERE uid = ? AND read_at IS NULL AND expires_at > ?",
        ...[uid, now],
      )?.n ?? 0,
    sentSince: async (uid, since, pid) =>
      db.get<{ n: number }>(
        `SELECT count(*) AS n FROM notifications WHERE uid = ?1 AND created_at > ?2
          AND source_json ->> 'kind' = 'process' AND (?3 IS NULL OR source_json ->> 'pid' = ?3)`,
        ...[uid, since, pid ?? null],
      )?.n ?? 0,
    read: async (mark) => marked("read_at", mark),
    dismiss: async (mark) => marked("dismissed_at", mark),
    about: async (uid, approvalId) =>
      db
        .all<{ id: string }>(
          `SELECT notification_id AS id FROM notifications WHERE uid = ? AND read_at IS NULL
            AND source_json ->> 'kind' IN ('approval', 'question') AND source_json ->> 'id' = ?`,
          ...[uid, approvalId],
        )
        .map(({ id }) => id),
  };

  function isKnown({ uid, source }: NotificationRow): boolean {
    const known = "SELECT 1 AS n FROM notifications WHERE uid = ? AND read_at IS NULL AND source_json = ?";
    return db.get(known, uid, JSON.stringify(source)) !== null;
  }

  function put(row: NotificationRow): void {
    db.run(
      `INSERT INTO notifications (notification_id, uid, title, body, level, source_json, actions_json, created_at,
        read_at, dismissed_at, expires_at, announce_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[row.id, row.uid, row.title, row.body, row.level, JSON.stringify(row.source), JSON.stringify(row.actions)],
      ...[row.createdAt, row.readAt, row.dismissedAt, row.expiresAt, row.announceAt],
    );
  }
}

/** Within a transaction: those to announce now, each once, the oldest first. An expired one is not announced. */
export function claimAnnouncements(db: Db, now: number) {
  const due = db.all<Columns & { announce_at: number }>(
    "SELECT * FROM notifications WHERE announce_at <= ? ORDER BY created_at, rowid",
    now,
  );
  if (due.length > 0) db.run("UPDATE notifications SET announce_at = NULL WHERE announce_at <= ?", now);
  const claims = due.map((row) => ({ id: row.notification_id, at: row.announce_at, row: rowFrom(row) }));
  return claims.filter(({ row }) => row.expiresAt > now);
}

function rowFrom(row: Columns): NotificationRow {
  return {
    ...{ id: row.notification_id, uid: row.uid, title: row.title, body: row.body, level: row.level as Level },
    source: JSON.parse(row.source_json) as NotificationSource,
    actions: JSON.parse(row.actions_json) as NotificationAction[],
    ...{ createdAt: row.created_at, readAt: row.read_at, dismissedAt: row.dismissed_at },
    ...{ expiresAt: row.expires_at, announceAt: row.announce_at },
  };
}
