// Approvals as kernel.db knows them: a copy of what each process asked for, so that they can be listed across processes. The process's own
// database has the original and sends a new version of the row whenever it changes.

import { LIMITS } from "../../../abi/config/limits.ts";
import type { Approval } from "../../../abi/process/process.ts";
import { type AskedColumns, approvalOf } from "../../approval.ts";
import type { Db } from "../../open.ts";
import type { KernelDb } from "../db.ts";
import type { ListPlace } from "../list-place.ts";

export interface ApprovalRows {
  /** Oldest first, after a place in that order. */
  open(query: {
    readonly ownerUid?: number;
    readonly after?: ListPlace;
    readonly limit?: number;
  }): Promise<readonly Approval[]>;
  /** The latest of that id, open or decided, with whose it is. */
  find(id: string): Promise<{ readonly approval: Approval; readonly ownerUid: number } | null>;
  /** Closes what a process asked that cannot take an answer any more. */
  withdraw(pid: string, now: number): Promise<void>;
  /** Decided ones are kept for a while, to tell who decided. */
  sweep(now: number): Promise<void>;
}

/** Within a transaction. A process that is not there has none. */
export function storeApproval(db: Db, pid: string, approval: Approval): void {
  db.run(
    `INSERT INTO approvals (request_id, process_id, owner_uid, run_id, tool, call, args_json, why, created_at, decision, decided_by, decided_at,
       kind, about_json, hash, expires_at, said, edited)
     SELECT ?, process_id, owner_uid, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM processes WHERE process_id = ?
     ON CONFLICT (request_id, created_at) DO UPDATE SET
       args_json = excluded.args_json, hash = excluded.hash, said = excluded.said, edited = excluded.edited,
       decision = excluded.decision, decided_by = excluded.decided_by, decided_at = excluded.decided_at`,
    approval.id,
    approval.runId,
    approval.tool,
    approval.call,
    JSON.stringify(approval.args),
    approval.why,
    approval.createdAt,
    approval.decision,
    approval.by,
    approval.decidedAt,
    approval.kind,
    approval.about === null ? null : JSON.stringify(approval.about),
    approval.hash,
    approval.expiresAt,
    approval.said,
    approval.edited ? 1 : 0,
    pid,
  );
}

type ApprovalColumns = AskedColumns & {
  readonly process_id: string;
  readonly owner_uid: number;
  readonly tool: string;
  readonly call: string;
};

export function approvalRows(kernel: KernelDb): ApprovalRows {
  const { db } = kernel;
  return {
    async withdraw(pid, now) {
      kernel.write("full", () =>
        db.run(
          "UPDATE approvals SET decision = 'withdrawn', decided_by = 'kernel', decided_at = ? WHERE process_id = ? AND decision IS NULL",
          now,
          pid,
        ),
      );
    },
    async sweep(now) {
      kernel.write("normal", () =>
        db.run("DELETE FROM approvals WHERE decided_at < ?", now - LIMITS.decidedApprovalsKeptMs),
      );
    },
    async open({ ownerUid, after, limit }) {
      const rows = db.all<ApprovalColumns>(
        `SELECT * FROM approvals WHERE decision IS NULL AND (?1 IS NULL OR owner_uid = ?1) AND (created_at, request_id) > (?2, ?3)
         ORDER BY created_at, request_id LIMIT ?4`,
        ownerUid ?? null,
        after?.createdAt ?? -1,
        after?.id ?? "",
        limit ?? -1,
      );
      return rows.map(toApproval);
    },
    async find(id) {
      const row = db.get<ApprovalColumns>(
        "SELECT * FROM approvals WHERE request_id = ? ORDER BY decision IS NULL DESC, created_at DESC LIMIT 1",
        id,
      );
      return row === null ? null : { approval: toApproval(row), ownerUid: row.owner_uid };
    },
  };
}

function toApproval(row: ApprovalColumns): Approval {
  return approvalOf(row, { pid: row.process_id, tool: row.tool, call: row.call });
}
