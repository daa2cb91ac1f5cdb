// One approval at a time per process. The request is stored with the call it is about; the answer is compare-and-set, so of two people
// who answer at once one decides and the other is told who did.

import type { Approval } from "../../abi/process/process.ts";
import type { Db } from "../open.ts";
import type { AskRequest, GivenAnswer } from "./asked.ts";
import type { HeadRow } from "./head.ts";
import { approvalFromRow, type HilRow } from "./rows.ts";
import { endCall, openCall } from "./turns.ts";
import type { Refusal } from "./verbs.ts";

export function ask(db: Db, head: HeadRow, request: AskRequest): Approval | Refusal {
  const call = openCall(db, request.dispatchId);
  if (call === null || head.currentRun === null) return "fenced";
  db.run("UPDATE pending_tool_calls SET status = 'asking' WHERE dispatch_id = ?", request.dispatchId);
  const row = db.get<HilRow>(
    `INSERT INTO pending_hil (request_id, run_id, generation, dispatch_id, tool_name, syscall, args_json, why, created_at,
       kind, about_json, hash, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    request.approvalId,
    head.currentRun,
    head.generation,
    request.dispatchId,
    call.tool,
    call.call,
    JSON.stringify(call.args),
    request.why,
    request.now,
    request.kind,
    request.about === null ? null : JSON.stringify(request.about),
    request.hash,
    request.expiresAt,
  );
  if (row === null) throw new Error("the approval was not stored");
  const approval = approvalFromRow(row, head.pid());
  head.move("ask");
  head.tellApproval(approval);
  head.tellEnded({ runId: head.currentRun, text: `waits for ${endedWord(approval)} ${approval.id}: ${approval.why}` });
  return approval;
}

function endedWord({ kind }: Approval): string {
  return kind === "question" ? "an answer to question" : "approval";
}

export function answer(db: Db, head: HeadRow, given: GivenAnswer): Approval | null {
  const { instead } = given;
  const row = db.get<HilRow>(
    `UPDATE pending_hil SET decision = ?, decided_by = ?, decided_at = ?, said = ?, args_json = coalesce(?, args_json),
       hash = coalesce(?, hash), edited = ? WHERE request_id = ? AND decision IS NULL RETURNING *`,
    given.decision,
    given.by,
    given.now,
    given.said ?? null,
    instead === undefined ? null : JSON.stringify(instead.args),
    instead?.hash ?? null,
    instead === undefined ? 0 : 1,
    given.approvalId,
  );
  if (row === null) {
    const decided = db.get<HilRow>(
      "SELECT * FROM pending_hil WHERE request_id = ? ORDER BY created_at DESC LIMIT 1",
      given.approvalId,
    );
    return decided === null ? null : approvalFromRow(decided, head.pid());
  }
  if (given.decision === "approve") {
    db.run(
      "UPDATE pending_tool_calls SET status = 'approved', args_json = ? WHERE dispatch_id = ?",
      row.args_json,
      row.dispatch_id,
    );
  } else {
    const outcome = given.decision === "deny" ? "denied" : "completed";
    endCall(db, head, row.dispatch_id, { outcome, output: given.output ?? deniedText(given), now: given.now });
  }
  const approval = approvalFromRow(row, head.pid());
  head.move("answer");
  head.tellApproval(approval);
  return approval;
}

function deniedText({ by, said }: GivenAnswer): string {
  const why = said ? `: ${said}` : "";
  return `denied by ${by}${why}; do not try again, ask what to do instead.`;
}

export function approvedAs(db: Db, pid: string, dispatchId: string): Approval | null {
  const row = db.get<HilRow>(
    "SELECT * FROM pending_hil WHERE dispatch_id = ? AND decision = 'approve' ORDER BY created_at DESC LIMIT 1",
    dispatchId,
  );
  return row === null ? null : approvalFromRow(row, pid);
}
