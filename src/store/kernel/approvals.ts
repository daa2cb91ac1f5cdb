// The copy in kernel.db of an approval that a process asked for: one row, told again whenever the process has more to say of it.

import type { Approval } from "../../abi/process.ts";
import type { Db } from "../open.ts";

/** Within a transaction. A process that is not there has none. */
export function storeApproval(db: Db, pid: string, approval: Approval): void {
  db.run(
    `INSERT INTO approvals (request_id, process_id, owner_uid, run_id, tool, call, args_json, why, created_at, decision, decided_by, decided_at)
     SELECT ?, process_id, owner_uid, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM processes WHERE process_id = ?
     ON CONFLICT (request_id, created_at) DO UPDATE SET
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
    pid,
  );
}
