// What becomes of a run that an earlier kernel was carrying: it goes on. A run during which kernel after kernel died without progress is
// most likely what kills them, and is ended.

import { LIMITS } from "../../abi/config/limits.ts";
import type { RunEnd } from "../../abi/process/process.ts";
import type { Db } from "../open.ts";
import { withdrawApprovals } from "./closing.ts";
import type { HeadRow } from "./head.ts";
import { cancelCalls, finishRun } from "./turns.ts";

export function recoverRun(
  db: Db,
  head: HeadRow,
  { now, crashed }: { readonly now: number; readonly crashed: boolean },
): RunEnd[] {
  const runId = head.currentRun;
  // A run that waits for a person, an instant or is held did not die: nobody carried it.
  const waits = head.retrying !== null && head.retrying.waitsFor !== null;
  const carried = (head.state === "running" && !waits) || head.state === "waiting_tool";
  head.move("recover");
  if (runId === null || !carried || !crashed) return [];
  const row = db.get<{ deaths: number }>(
    "UPDATE runs SET deaths = deaths + 1 WHERE run_id = ? RETURNING deaths",
    runId,
  );
  if (row === null || row.deaths < LIMITS.runDeathsMax) return [];
  head.epoch++;
  withdrawApprovals(db, head, now);
  cancelCalls(db, head, runId, "cancelled: the run was given up", now);
  const error = `given up: the kernel died ${row.deaths} times within this run without progress`;
  return finishRun(db, head, { runId, status: "error", reason: "kernel.deaths", error, text: null, now });
}
