// What a run writes: the turn with its calls, each call's dispatch and result, the end. Every tool call gets exactly one result,
// whatever happens to the run, so that history stays legal for every model.

import type { Message } from "../../abi/process/message.ts";
import { addUsage, NO_USAGE, type RunEnd, type Spent, type Usage } from "../../abi/process/process.ts";
import type { Db } from "../open.ts";
import type { HeadRow } from "./head.ts";
import { callFromRow, insertMessage, runEnd } from "./rows.ts";
import type { CallEnd, CallRow, Finish, Refusal, TurnCommit, TurnCommitted } from "./verbs.ts";

const OPEN = "status IN ('registered', 'asking', 'approved', 'dispatched')";

export function commitTurn(db: Db, head: HeadRow, turn: TurnCommit): TurnCommitted | Refusal {
  if (head.currentRun !== turn.runId) return "fenced";
  const seq = head.takeSeq();
  const number = (db.get<{ turn: number }>("SELECT turn FROM runs WHERE run_id = ?", turn.runId)?.turn ?? 0) + 1;
  insertMessage(db, head.generation, {
    id: seq,
    role: "assistant",
    runId: turn.runId,
    timestamp: turn.now,
    content: {
      text: turn.text,
      ...(turn.thinking === null ? {} : { thinking: turn.thinking }),
      ...(turn.seal === undefined ? {} : { seal: turn.seal }),
      ...(turn.calls.length === 0
        ? {}
        : { toolCalls: turn.calls.map((call) => ({ id: call.callId, name: call.tool, args: call.args })) }),
    },
  });
  turn.calls.forEach((call, position) => {
    insertCall(db, head, turn, number, position, call);
  });
  // A commit proves that this run makes progress: the count of deaths begins anew.
  db.run(
    "UPDATE runs SET turn = ?, deaths = 0, usage_json = ? WHERE run_id = ?",
    number,
    JSON.stringify(addUsage(usageSoFar(db, turn.runId), turn.usage)),
    turn.runId,
  );
  spend(db, head, { ...turn, turn: number, wasted: false });
  head.lastActiveAt = turn.now;
  head.retrying = null;
  if (turn.finish === null) return { seq, turn: number, ends: [] };
  cancelCalls(db, head, turn.runId, "cancelled: the run ended", turn.now);
  const ends = finishRun(db, head, { runId: turn.runId, text: turn.text, now: turn.now, ...turn.finish });
  return { seq, turn: number, ends };
}

function insertCall(
  db: Db,
  head: HeadRow,
  turn: TurnCommit,
  number: number,
  position: number,
  call: TurnCommit["calls"][number],
): void {
  db.run(
    `INSERT INTO pending_tool_calls (dispatch_id, run_id, generation, turn, position, call_id, tool, call, args_json, repeat, status, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'registered', ?)`,
    call.dispatchId,
    turn.runId,
    head.generation,
    number,
    position,
    call.callId,
    call.tool,
    call.call,
    JSON.stringify(call.args),
    call.repeat,
    turn.now,
  );
}

export function openCalls(db: Db, runId: string): CallRow[] {
  return db
    .all<Parameters<typeof callFromRow>[0]>(
      `SELECT * FROM pending_tool_calls WHERE run_id = ? AND block IS NULL AND ${OPEN} ORDER BY turn, position`,
      runId,
    )
    .map(callFromRow);
}

/** Those of the open calls' blocks of code too. */
function allOpenCalls(db: Db, runId: string): CallRow[] {
  return db
    .all<Parameters<typeof callFromRow>[0]>(
      `SELECT * FROM pending_tool_calls WHERE run_id = ? AND ${OPEN} ORDER BY turn, position`,
      runId,
    )
    .map(callFromRow);
}

/** What a call is that is about to begin, or null when it is not open any more. */
export function openCall(db: Db, dispatchId: string): CallRow | null {
  const row = db.get<Parameters<typeof callFromRow>[0]>(
    `SELECT * FROM pending_tool_calls WHERE dispatch_id = ? AND ${OPEN}`,
    dispatchId,
  );
  return row === null ? null : callFromRow(row);
}

export function beginCall(db: Db, head: HeadRow, dispatchId: string): void {
  db.run("UPDATE pending_tool_calls SET status = 'dispatched' WHERE dispatch_id = ?", dispatchId);
  head.move("tools");
}

/** Null when the call has its result already: a late one changes nothing. */
export function endCall(db: Db, head: HeadRow, dispatchId: string, result: CallEnd): number | null {
  const row = db.get<{ run_id: string; call_id: string; tool: string; block: string | null }>(
    `UPDATE pending_tool_calls SET status = ? WHERE dispatch_id = ? AND ${OPEN} RETURNING run_id, call_id, tool, block`,
    result.outcome,
    dispatchId,
  );
  if (row === null) return null;
  if (row.block !== null) {
    const { outcome, output } = result;
    const json = JSON.stringify({ outcome, output });
    db.run("UPDATE pending_tool_calls SET result_json = ? WHERE dispatch_id = ?", json, dispatchId);
    db.run("UPDATE runs SET deaths = 0 WHERE run_id = ?", row.run_id);
    return 0;
  }
  const seq = head.takeSeq();
  const message: Message = {
    id: seq,
    role: "toolResult",
    runId: row.run_id,
    timestamp: result.now,
    content: {
      toolName: row.tool,
      toolCallId: row.call_id,
      isError: result.outcome !== "completed",
      outcome: result.outcome,
      output: result.output,
      ...(result.media === undefined ? {} : { media: result.media }),
    },
  };
  insertMessage(db, head.generation, message);
  db.run("UPDATE runs SET deaths = 0 WHERE run_id = ?", row.run_id);
  return seq;
}

/** Approved where a person has said so, else as if it had never been looked at. */
const AS_DECIDED = `CASE WHEN EXISTS (SELECT 1 FROM pending_hil WHERE dispatch_id = ?1 AND decision = 'approve')
  THEN 'approved' ELSE 'registered' END`;

// Nobody runs this run at the moment of a claim, so a call that is still marked dispatched was cut off. A read may be done again;
// whether an effect happened nobody knows, and the model is told exactly that.
export function settleLeftovers(db: Db, head: HeadRow, runId: string, now: number): void {
  for (const call of allOpenCalls(db, runId)) {
    if (call.status !== "dispatched") continue;
    if (call.repeat === "read")
      db.run("UPDATE pending_tool_calls SET status = 'approved' WHERE dispatch_id = ?", call.dispatchId);
    else if (call.repeat === "resume")
      db.run(`UPDATE pending_tool_calls SET status = ${AS_DECIDED} WHERE dispatch_id = ?1`, call.dispatchId);
    else endCall(db, head, call.dispatchId, unknownResult(call, now));
  }
}

/** Gives every open call of the run the same result; returns how many there were. */
export function cancelCalls(db: Db, head: HeadRow, runId: string, why: string, now: number): number {
  const open = openCalls(db, runId);
  for (const call of open) {
    // An effect that had begun may be done: saying "cancelled" would have it done once more.
    const begun = call.status === "dispatched" && call.repeat !== "read";
    endCall(db, head, call.dispatchId, begun ? unknownResult(call, now) : { outcome: "cancelled", output: why, now });
  }
  return open.length;
}

function unknownResult(call: CallRow, now: number) {
  const output = `${call.tool} was interrupted and may have run; check before repeating it.`;
  return { outcome: "unknown", output, now } as const;
}

/** Ends the run and every run that was merged into it, each with a finish of its own. */
export function finishRun(
  db: Db,
  head: HeadRow,
  run: Finish & { readonly runId: string; readonly text: string | null; readonly now: number },
): RunEnd[] {
  const values = [run.status, run.reason, run.text, run.error, run.now] as const;
  db.run(
    "UPDATE runs SET status = ?, reason = ?, text = ?, error = ?, finished_at = ? WHERE run_id = ? AND status IS NULL",
    ...values,
    run.runId,
  );
  db.run(
    "UPDATE runs SET status = ?, reason = ?, text = ?, error = ?, finished_at = ? WHERE merged_into = ? AND status IS NULL",
    ...values,
    run.runId,
  );
  const merged = db.all<{ run_id: string }>("SELECT run_id FROM runs WHERE merged_into = ? ORDER BY rowid", run.runId);
  const ends = [run.runId, ...merged.map((row) => row.run_id)].map((id) => runEnd(db, id));
  db.run("DELETE FROM pending_tool_calls WHERE run_id = ?", run.runId);
  head.runOver(run.runId);
  head.lastActiveAt = run.now;
  head.move("end");
  return ends.filter((end): end is RunEnd => end !== null && end !== "open");
}

function usageSoFar(db: Db, runId: string): Usage {
  const row = db.get<{ usage_json: string | null }>("SELECT usage_json FROM runs WHERE run_id = ?", runId);
  return row?.usage_json ? (JSON.parse(row.usage_json) as Usage) : NO_USAGE;
}

/** Written down here, and sent to be charged. */
export function spend(
  db: Db,
  head: HeadRow,
  spent: Spent & { readonly runId: string; readonly turn: number; readonly wasted: boolean },
): null {
  const { runId, turn, model, usage, ms = 0, priced = true, wasted, now } = spent;
  const row = db.get<{ id: number }>(
    "INSERT INTO usage (run_id, turn, model, usage_json, wasted, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
    runId,
    turn,
    model,
    JSON.stringify(usage),
    wasted ? 1 : 0,
    now,
  );
  head.tellSpent({ id: row?.id ?? 0, runId, turn, model, usage, ms, priced, wasted, at: now });
  return null;
}
