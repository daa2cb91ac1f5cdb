// What is due next, of every kind that kernel.db stores with an instant.

import type { DueItem } from "../../../abi/schedule.ts";
import type { KernelDb } from "../db.ts";

export interface UpcomingRows {
  /** The earliest first; of all accounts if none is given. */
  next(query: { readonly ownerUid?: number; readonly limit: number }): Promise<readonly DueItem[]>;
}

/** Each with an index on its instant, or with few rows. */
const KINDS = [
  "SELECT 'schedule' AS kind, name AS what, next_run_at AS at, owner_uid FROM schedules WHERE next_run_at IS NOT NULL",
  "SELECT 'notification', title, announce_at, uid AS owner_uid FROM notifications WHERE announce_at IS NOT NULL",
  "SELECT 'request', request_id || ' of ' || process_id, expires_at, owner_uid FROM approvals WHERE decision IS NULL AND expires_at IS NOT NULL",
  "SELECT 'call', coalesce(source_pid || ' → ', '') || target_pid, deadline_at, uid AS owner_uid FROM ipc_calls WHERE status = 'open'",
  "SELECT 'run', process_id, waits_json ->> 'until', owner_uid FROM processes WHERE state = 'paused' AND waits_json ->> 'until' IS NOT NULL",
];

export function upcomingRows({ db }: KernelDb): UpcomingRows {
  const each = KINDS.map((kind) => `SELECT * FROM (${kind} AND (?1 IS NULL OR owner_uid = ?1) ORDER BY 3 LIMIT ?2)`);
  const query = `SELECT kind, what, at FROM (${each.join(" UNION ALL ")}) ORDER BY at, kind, what LIMIT ?2`;
  return {
    next: async ({ ownerUid, limit }) => db.all<{ [K in keyof DueItem]: DueItem[K] }>(query, ownerUid ?? null, limit),
  };
}
