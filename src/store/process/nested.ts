// The calls that a block of code makes: rows beside those of the model's own calls, with their results in them, because these enter no
// history. They go when the run ends.

import type { ToolOutcome } from "../../abi/process/message.ts";
import type { Db } from "../open.ts";
import type { HeadRow } from "./head.ts";
import { callFromRow } from "./rows.ts";
import type { CallRow, Outcome, Refusal } from "./verbs.ts";

/** A call that a block makes, by its place among the calls of that block. */
export interface NestedCall {
  readonly position: number;
  readonly call: CallRow;
  readonly result: { readonly outcome: ToolOutcome; readonly output: string } | null;
}

export interface NestRequest {
  /** The call that runs the block. */
  readonly block: string;
  readonly position: number;
  readonly call: Omit<CallRow, "status">;
  readonly now: number;
}

export interface NestVerbs {
  /** A call of a block of code, before anything is done about it; its result enters no history. */
  nest(pid: string, epoch: number, request: NestRequest): Promise<Outcome<null>>;
  /** The calls of a block so far, in the order in which it made them. */
  nested(pid: string, block: string): Promise<readonly NestedCall[]>;
}

/** Refused where the block is not being carried out by now. */
export function nest(db: Db, head: HeadRow, { block, position, call, now }: NestRequest): null | Refusal {
  const outer = db.get<{ run_id: string; turn: number }>(
    "SELECT run_id, turn FROM pending_tool_calls WHERE dispatch_id = ? AND status = 'dispatched'",
    block,
  );
  if (outer === null) return "fenced";
  db.run(
    `INSERT INTO pending_tool_calls
       (dispatch_id, run_id, generation, turn, position, call_id, tool, call, args_json, repeat, status, created_at, block)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'registered', ?, ?)`,
    call.dispatchId,
    outer.run_id,
    head.generation,
    outer.turn,
    position,
    call.callId,
    call.tool,
    call.call,
    JSON.stringify(call.args),
    call.repeat,
    now,
    block,
  );
  return null;
}

export function nested(db: Db, block: string): NestedCall[] {
  type Row = Parameters<typeof callFromRow>[0] & { readonly position: number; readonly result_json: string | null };
  const rows = db.all<Row>("SELECT * FROM pending_tool_calls WHERE block = ? ORDER BY position", block);
  return rows.map((row) => ({
    position: row.position,
    call: callFromRow(row),
    result: row.result_json === null ? null : (JSON.parse(row.result_json) as NestedCall["result"]),
  }));
}
