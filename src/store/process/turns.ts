// Turns: commit of a model's answer with its calls, start and result of each call, end of the run. Every call gets exactly one result,
// so a history is valid for every model.

import type { MediaRef, Message, Seal, ToolOutcome } from "../../abi/process/message.ts";
import {
  addUsage,
  NO_USAGE,
  type Retrying,
  type RunEnd,
  type RunStatus,
  type Spent,
  type Usage,
} from "../../abi/process/process.ts";
import type { Db } from "../open.ts";
import type { HeadRow } from "./head.ts";
import type { Outcome, Refusal } from "./outcome.ts";
import { type CallRow, callFromRow, insertCall, insertMessage, OPEN_CALL, runEnd } from "./rows.ts";

export interface TurnCommit extends Spent {
  readonly runId: string;
  readonly text: string;
  readonly thinking: string | null;
  readonly seal?: Seal;
  readonly calls: readonly Omit<CallRow, "status">[];
  /** Set if the turn has no tool calls: the run ends with it. */
  readonly finish: Finish | null;
}

export interface Finish {
  readonly status: RunStatus;
  readonly reason: string;
  readonly error: string | null;
}

export interface TurnCommitted {
  readonly seq: number;
  readonly turn: number;
  readonly ends: readonly RunEnd[];
}

export interface CallEnd {
  readonly outcome: ToolOutcome;
  readonly output: string;
  /** Images and other attachments of the result. */
  readonly media?: readonly MediaRef[];
  readonly now: number;
}

export interface TurnVerbs {
  commitTurn(pid: string, epoch: number, turn: TurnCommit): Promise<Outcome<TurnCommitted>>;
  /** Calls without a result, in source order. */
  openCalls(pid: string, runId: string): Promise<readonly CallRow[]>;
  /** Must be on disk before the effect starts. */
  beginCall(pid: string, epoch: number, dispatchId: string): Promise<Outcome<null>>;
  endCall(pid: string, epoch: number, dispatchId: string, result: CallEnd): Promise<Outcome<{ readonly seq: number }>>;
  /** After a failed turn. `isPaused` pauses the process until the wait is over. */
  retry(
    pid: string,
    epoch: number,
    options: { readonly runId: string; readonly retrying: Retrying; readonly isPaused: boolean; readonly now: number },
  ): Promise<Outcome<null>>;
  finish(
    pid: string,
    epoch: number,
    run: Finish & { readonly runId: string; readonly note: string | null; readonly now: number },
  ): Promise<Outcome<readonly RunEnd[]>>;
  runEnd(pid: string, runId: string): Promise<RunEnd | "open" | null>;
  /** When a run began, restarts of the kernel included; null if there is no such run. */
  runBegan(pid: string, runId: string): Promise<number | null>;
  /** Usage of an answer that was not kept. */
  waste(pid: string, spent: Spent & { readonly runId: string }): Promise<void>;
  /** Number of times the run made this call since its last new one. */
  repeats(pid: string, dispatchId: string): Promise<number>;
}

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
    insertCall(db, call, {
      run_id: turn.runId,
      generation: head.generation,
      turn: number,
      position,
      created_at: turn.now,
    });
  });
  // A commit is progress: reset the count of kernel deaths.
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

export function openCalls(db: Db, runId: string): CallRow[] {
  return db
    .all<Parameters<typeof callFromRow>[0]>(
      `SELECT * FROM pending_tool_calls WHERE run_id = ? AND block IS NULL AND ${OPEN_CALL} ORDER BY turn, position`,
      runId,
    )
    .map(callFromRow);
}

/** Including calls made by code blocks. */
function allOpenCalls(db: Db, runId: string): CallRow[] {
  return db
    .all<Parameters<typeof callFromRow>[0]>(
      `SELECT * FROM pending_tool_calls WHERE run_id = ? AND ${OPEN_CALL} ORDER BY turn, position`,
      runId,
    )
    .map(callFromRow);
}

/** Null if the call has its result. */
export function openCall(db: Db, dispatchId: string): CallRow | null {
  const row = db.get<Parameters<typeof callFromRow>[0]>(
    `SELECT * FROM pending_tool_calls WHERE dispatch_id = ? AND ${OPEN_CALL}`,
    dispatchId,
  );
  return row === null ? null : callFromRow(row);
}

export function beginCall(db: Db, head: HeadRow, dispatchId: string): void {
  db.run("UPDATE pending_tool_calls SET status = 'dispatched' WHERE dispatch_id = ?", dispatchId);
  head.move("tools");
}

/** Null if the call already has a result: a late one is dropped. */
export function endCall(db: Db, head: HeadRow, dispatchId: string, result: CallEnd): number | null {
  const row = db.get<{ run_id: string; call_id: string; tool: string; block: string | null }>(
    `UPDATE pending_tool_calls SET status = ? WHERE dispatch_id = ? AND ${OPEN_CALL} RETURNING run_id, call_id, tool, block`,
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
  endAnswered(db, head, row.run_id, result.now);
  return seq;
}

/** Ends a call that a person decided. Its result waits if earlier calls of the run have none yet: history keeps the order of the calls. */
export function endAsDecided(
  db: Db,
  head: HeadRow,
  call: { readonly dispatchId: string; readonly runId: string },
  end: CallEnd,
) {
  const { dispatchId, runId } = call;
  const open = openCalls(db, runId).map((each) => each.dispatchId);
  if (open.indexOf(dispatchId) <= 0) return void endCall(db, head, dispatchId, end);
  const json = JSON.stringify({ outcome: end.outcome, output: end.output });
  db.run("UPDATE pending_tool_calls SET status = 'answered', result_json = ? WHERE dispatch_id = ?", json, dispatchId);
}

/** Stores the results that waited for the one before them. */
function endAnswered(db: Db, head: HeadRow, runId: string, now: number): void {
  const [next] = openCalls(db, runId);
  if (next?.status !== "answered") return;
  const row = db.get<{ result_json: string }>(
    "SELECT result_json FROM pending_tool_calls WHERE dispatch_id = ?",
    next.dispatchId,
  );
  const { outcome, output } = JSON.parse(row?.result_json ?? "{}") as Pick<CallEnd, "outcome" | "output">;
  endCall(db, head, next.dispatchId, { outcome, output, now });
}

/** Approved if a person approved it, else registered. */
const AS_DECIDED = `CASE WHEN EXISTS (SELECT 1 FROM pending_hil WHERE dispatch_id = ?1 AND decision = 'approve')
  THEN 'approved' ELSE 'registered' END`;

// At a claim no one executes the run, so a dispatched call was cut off. A read may be repeated. For an effect the outcome is
// unknown, and the model gets that as the result.
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

/** Gives every open call of the run the same result; returns their number. */
export function cancelCalls(db: Db, head: HeadRow, runId: string, why: string, now: number): number {
  const open = openCalls(db, runId);
  for (const call of open) {
    // A started effect may have happened: "cancelled" would invite the model to repeat it.
    const begun = (call.status === "dispatched" && call.repeat !== "read") || call.isHeld === true;
    endCall(db, head, call.dispatchId, begun ? unknownResult(call, now) : { outcome: "cancelled", output: why, now });
  }
  return open.length;
}

function unknownResult(call: CallRow, now: number) {
  const output = `${call.tool} was interrupted and may have run; check before repeating it.`;
  return { outcome: "unknown", output, now } as const;
}

export function addNote(
  db: Db,
  head: HeadRow,
  { runId, note, now }: { readonly runId: string; readonly note: string; readonly now: number },
): void {
  const message = { id: head.takeSeq(), role: "system", content: note, runId, timestamp: now } as const;
  insertMessage(db, head.generation, message);
}

/** Ends the run and the runs merged into it, each with its own finish row. */
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

/** Stores usage and sends it to kernel.db to be charged. */
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
  head.publishUsage({ id: row?.id ?? 0, runId, turn, model, usage, ms, priced, wasted, at: now });
  return null;
}
