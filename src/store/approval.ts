// An approval as a row. The process that asks has it in its own database and kernel.db a copy: they name who asks in columns of their own,
// and say what is asked and how it was answered in the same ones.

import type { Approval } from "../abi/process/process.ts";

export type AskedColumns = {
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

export function approvalOf(row: AskedColumns, by: Pick<Approval, "pid" | "tool" | "call">): Approval {
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
