// Approvals across processes: a copy in kernel.db of each process's requests, for listing. The process's database has the original and
// sends every change.

import { LIMITS } from "../../../abi/config/limits.ts";
import type { Approval } from "../../../abi/process/process.ts";
import { type ApprovalColumns, approvalOf } from "../../approval.ts";
import type { Db } from "../../open.ts";
import type { KernelDb, ListCursor } from "../db.ts";

export interface ApprovalRows {
  /** Oldest first, after a cursor. */
  open(query: {
    readonly ownerUid?: number;
    readonly after?: ListCursor;
    readonly limit?: number;
  }): Promise<readonly Approval[]>;
  /** The latest with that id, open or decided, and its owner. */
  find(id: string): Promise<{ readonly approval: Approval; readonly ownerUid: number } | null>;
  /** Closes open requests that can no longer be answered. */
  withdraw(pid: string, now: number): Promise<void>;
  /** Decided ones are kept for a while: they show who decided. */
  sweep(now: number): Promise<void>;
}

/** Within a transaction. Does nothing for an unknown process. */
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

type KernelApprovalRow = ApprovalColumns & {
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
      const rows = db.all<KernelApprovalRow>(
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
      const row = db.get<KernelApprovalRow>(
        "SELECT * FROM approvals WHERE request_id = ? ORDER BY decision IS NULL DESC, created_at DESC LIMIT 1",
        id,
      );
      return row === null ? null : { approval: toApproval(row), ownerUid: row.owner_uid };
    },
  };
}

function toApproval(row: KernelApprovalRow): Approval {
  return approvalOf(row, { pid: row.process_id, tool: row.tool, call: row.call });
}
