// The audit log: refused calls, and calls of privileged accounts. Bounded: old rows are deleted.

import { LIMITS } from "../../abi/config/limits.ts";
import type { KernelDb } from "./db.ts";

export interface AuditRow {
  readonly at: number;
  readonly uid: number;
  readonly pid: string | null;
  readonly call: string;
  readonly outcome: string;
  readonly detail: string;
}

export interface AuditQuery {
  /** All accounts if absent. */
  readonly uids?: readonly number[];
  readonly denied: boolean;
  readonly since: number;
  readonly limit: number;
}

export interface AuditRows {
  add(row: AuditRow): Promise<void>;
  /** The newest matching rows, oldest first. */
  list(query: AuditQuery): Promise<readonly (AuditRow & { readonly id: number })[]>;
  /** Keeps the newest auditRowsMax rows; `old` deletes up to rowsMax older ones, too. */
  sweep(old?: { readonly before: number; readonly rowsMax: number }): Promise<void>;
}

export function auditRows(kernel: KernelDb): AuditRows {
  const { db } = kernel;
  return {
    async list({ uids, denied, since, limit }) {
      const rows = db.all<{ [K in keyof AuditRow]: AuditRow[K] } & { id: number }>(
        `SELECT id, at, uid, pid, call, outcome, detail FROM audit
         WHERE at >= ?1 AND (?2 = 0 OR outcome <> 'ok') AND (?3 IS NULL OR uid IN (SELECT value FROM json_each(?3)))
         ORDER BY id DESC LIMIT ?4`,
        since,
        denied ? 1 : 0,
        uids === undefined ? null : JSON.stringify(uids),
        limit,
      );
      return rows.reverse();
    },
    async sweep(old) {
      kernel.write("normal", () => {
        db.run("DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?", LIMITS.auditRowsMax);
        if (old === undefined) return;
        const oldest = "SELECT id FROM audit WHERE at < ? ORDER BY id LIMIT ?";
        db.run(`DELETE FROM audit WHERE id IN (${oldest})`, old.before, old.rowsMax);
      });
    },
    async add(row) {
      kernel.write("normal", () =>
        db.insert("audit", {
          at: row.at,
          uid: row.uid,
          pid: row.pid,
          call: row.call,
          outcome: row.outcome,
          detail: row.detail,
        }),
      );
    },
  };
}
