// Columns shared by the two approval tables: the original in the process database and the copy in kernel.db.

import type { Approval } from "../abi/process/process.ts";

export type ApprovalColumns = {
  readonly request_id: string;
  readonly run_id: string;
  readonly args_json: string;
  readonly why: string;
  readonly created_at: number;
  readonly decision: Approval["decision"];
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  readonly kind: Approval["kind"];
  readonly about_json: string | null;
  readonly hash: string;
  readonly expires_at: number | null;
  readonly said: string | null;
  readonly edited: number;
};

export function approvalOf(row: ApprovalColumns, by: Pick<Approval, "pid" | "tool" | "call">): Approval {
  return {
    ...by,
    id: row.request_id,
    kind: row.kind,
    runId: row.run_id,
    args: JSON.parse(row.args_json) as Approval["args"],
    why: row.why,
    about: row.about_json === null ? null : (JSON.parse(row.about_json) as Approval["about"]),
    hash: row.hash,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    decision: row.decision,
    by: row.decided_by,
    decidedAt: row.decided_at,
    said: row.said,
    edited: row.edited === 1,
  };
}
