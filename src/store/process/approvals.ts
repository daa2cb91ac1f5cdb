// Approvals: open requests of one turn, stored with their tool calls. An answer is compare-and-set, so of two people who answer at once the
// second gets the first decision. The run resumes when all have their answers.

import type { Approval, DecisionWord } from "../../abi/process/process.ts";
import type { Db } from "../open.ts";
import type { HeadRow } from "./head.ts";
import type { Outcome, Refusal } from "./outcome.ts";
import { approvalFromRow, type CallRow, type HilRow } from "./rows.ts";
import { endAsDecided, openCall } from "./turns.ts";

export interface AskRequest extends Pick<Approval, "kind" | "why" | "about" | "hash" | "expiresAt"> {
  readonly dispatchId: string;
  readonly approvalId: string;
  readonly now: number;
  /** A question of a server under its call: the question, and what continues the call. Its answer resumes the call. */
  readonly ofServer?: { readonly args: Approval["args"]; readonly held: string };
}

/** A call whose server asked, and the answer; null if nobody answered. */
export interface HeldCall {
  readonly held: string;
  readonly said: string | null;
}

export interface GivenAnswer {
  readonly approvalId: string;
  readonly decision: Exclude<DecisionWord, "withdrawn">;
  readonly by: string;
  readonly now: number;
  /** The reason for a denial, or the answer to a question. */
  readonly said?: string | null;
  /** The result of the call, unless it was approved. */
  readonly output?: string;
  /** With an approval: the edited call to run instead. */
  readonly instead?: Pick<Approval, "args" | "hash">;
}

export interface ApprovalVerbs {
  /** All together or none, in the order of the calls. */
  ask(pid: string, epoch: number, requests: readonly AskRequest[]): Promise<Outcome<readonly Approval[]>>;
  /** Compare-and-set: returns the earlier decision if there is one. Null: no such approval. */
  answer(pid: string, answer: GivenAnswer): Promise<Outcome<Approval | null>>;
  /** The first one. */
  openApproval(pid: string): Promise<Approval | null>;
  /** The call as the person saw it before approving; null if it was not approved. */
  approvedAs(pid: string, dispatchId: string): Promise<Approval | null>;
  /** null if no server has asked under the call. */
  heldCall(pid: string, dispatchId: string): Promise<HeldCall | null>;
}

export function ask(db: Db, head: HeadRow, requests: readonly AskRequest[]): readonly Approval[] | Refusal {
  const runId = head.currentRun;
  const calls = requests.map(({ dispatchId }) => openCall(db, dispatchId));
  if (runId === null || calls.includes(null)) return "fenced";
  const approvals = requests.map((request, index) => {
    const call = calls[index];
    if (!call) throw new Error("the call to ask about is not open");
    return askAbout(db, head, { request, call, runId });
  });
  head.move("ask");
  for (const approval of approvals) head.publishApproval(approval);
  const [first] = approvals;
  const more = approvals.length > 1 ? `; and ${approvals.length - 1} more` : "";
  if (first !== undefined)
    head.publishEnd({ runId, text: `waits for ${endedWord(first)} ${first.id}: ${first.why}${more}` });
  return approvals;
}

function askAbout(
  db: Db,
  head: HeadRow,
  { request, call, runId }: { readonly request: AskRequest; readonly call: CallRow; readonly runId: string },
): Approval {
  const { ofServer } = request;
  db.run(
    "UPDATE pending_tool_calls SET status = 'asking', held_json = ? WHERE dispatch_id = ?",
    ofServer?.held ?? null,
    request.dispatchId,
  );
  const row = db.get<HilRow>(
    `INSERT INTO pending_hil (request_id, run_id, generation, dispatch_id, tool_name, syscall, args_json, why, created_at,
       kind, about_json, hash, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    request.approvalId,
    runId,
    head.generation,
    request.dispatchId,
    call.tool,
    call.call,
    JSON.stringify(ofServer?.args ?? call.args),
    request.why,
    request.now,
    request.kind,
    request.about === null ? null : JSON.stringify(request.about),
    request.hash,
    request.expiresAt,
  );
  if (row === null) throw new Error("the approval was not stored");
  return approvalFromRow(row, head.pid());
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
  } else if (heldCall(db, row.dispatch_id) !== null)
    db.run("UPDATE pending_tool_calls SET status = 'approved' WHERE dispatch_id = ?", row.dispatch_id);
  else {
    const outcome = given.decision === "deny" ? "denied" : "completed";
    const call = { dispatchId: row.dispatch_id, runId: row.run_id };
    endAsDecided(db, head, call, { outcome, output: given.output ?? deniedText(given), now: given.now });
  }
  const approval = approvalFromRow(row, head.pid());
  head.move("answer");
  head.publishApproval(approval);
  return approval;
}

function deniedText({ by, said }: GivenAnswer): string {
  const why = said ? `: ${said}` : "";
  return `denied by ${by}${why}; do not try again, ask what to do instead.`;
}

export function approvedAs(db: Db, pid: string, dispatchId: string): Approval | null {
  const row = db.get<HilRow>(
    "SELECT * FROM pending_hil WHERE dispatch_id = ? AND decision = 'approve' ORDER BY created_at DESC, rowid DESC LIMIT 1",
    dispatchId,
  );
  return row === null ? null : approvalFromRow(row, pid);
}

export function heldCall(db: Db, dispatchId: string): HeldCall | null {
  return db.get<{ readonly held: string; readonly said: string | null }>(
    `SELECT c.held_json AS held, h.said FROM pending_tool_calls c JOIN pending_hil h USING (dispatch_id)
     WHERE dispatch_id = ? AND c.held_json IS NOT NULL AND h.kind = 'question' ORDER BY h.created_at DESC, h.rowid DESC LIMIT 1`,
    dispatchId,
  );
}
