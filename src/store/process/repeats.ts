// Loop detection: the same tool with the same arguments, with nothing new in between. A new call counts as progress; two calls that
// alternate do not.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Db } from "../open.ts";

type Made = { readonly dispatch_id: string; readonly tool: string; readonly args_json: string };

/** Number of times the run made this call since its last new one. Below sameCallsMax the count is only approximate. */
export function repeats(db: Db, dispatchId: string): number {
  const alike = db.get<{ n: number }>(
    `SELECT count(*) AS n FROM pending_tool_calls c JOIN pending_tool_calls asked ON asked.dispatch_id = ?
       AND asked.run_id = c.run_id AND asked.tool = c.tool AND length(asked.args_json) = length(c.args_json)`,
    dispatchId,
  );
  if (alike === null || alike.n < LIMITS.sameCallsMax) return alike?.n ?? 0;
  const calls = db.all<Made>(
    `SELECT c.dispatch_id, c.tool, c.args_json FROM pending_tool_calls c
     JOIN pending_tool_calls asked ON asked.dispatch_id = ? AND asked.run_id = c.run_id
     WHERE (c.turn, c.position) <= (asked.turn, asked.position) ORDER BY c.turn, c.position`,
    dispatchId,
  );
  const keys = calls.map(({ tool, args_json }) => keyOf(tool, args_json));
  const seen = new Set<string>();
  let counts = new Map<string, number>();
  for (const key of keys) {
    if (!seen.has(key)) counts = new Map();
    seen.add(key);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts.get(keys.at(-1) ?? "") ?? 0;
}

/** Argument order does not matter. */
function keyOf(tool: string, argsJson: string): string {
  return `${tool} ${JSON.stringify(sorted(JSON.parse(argsJson)))}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
