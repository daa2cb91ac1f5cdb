// Nested tool calls, made by a code block. Stored beside the model's calls, with their results in the row: they do not enter
// history. Deleted when the run ends.

import type { ToolOutcome } from "../../abi/process/message.ts";
import type { Db } from "../open.ts";
import type { HeadRow } from "./head.ts";
import type { Outcome, Refusal } from "./outcome.ts";
import { type CallRow, callFromRow, insertCall } from "./rows.ts";

export interface NestedCall {
  readonly position: number;
  readonly call: CallRow;
  readonly result: { readonly outcome: ToolOutcome; readonly output: string } | null;
}

export interface NestRequest {
  /** Dispatch id of the call that runs the block. */
  readonly block: string;
  readonly position: number;
  readonly call: Omit<CallRow, "status">;
  readonly now: number;
}

export interface NestVerbs {
  /** Registers a call of a block before it is judged. */
  nest(pid: string, epoch: number, request: NestRequest): Promise<Outcome<null>>;
  /** Calls of a block, in order. */
  nested(pid: string, block: string): Promise<readonly NestedCall[]>;
}

/** Fenced unless the block is running. */
export function nest(db: Db, head: HeadRow, { block, position, call, now }: NestRequest): null | Refusal {
  const outer = db.get<{ run_id: string; turn: number }>(
    "SELECT run_id, turn FROM pending_tool_calls WHERE dispatch_id = ? AND status = 'dispatched'",
    block,
  );
  if (outer === null) return "fenced";
  const { run_id, turn } = outer;
  insertCall(db, call, { run_id, generation: head.generation, turn, position, created_at: now, block });
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
