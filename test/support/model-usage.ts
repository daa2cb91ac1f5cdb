// What a process has used, called and ended, for the model of it.

import type { RunEnd, Spent, UsageRow } from "../../src/abi/process/process.ts";
import type { ModelCall, ModelRun } from "./model-rows.ts";

export class ModelUsage {
  private readonly rows: UsageRow[] = [];
  private ever = 0;

  tell(): UsageRow[] {
    return this.rows.splice(0);
  }

  add(spent: Spent & Pick<UsageRow, "runId" | "turn" | "wasted">): void {
    const { runId, turn, model, usage, ms = 0, priced = true, wasted, now: at } = spent;
    this.rows.push({ id: ++this.ever, runId, turn, model, usage, ms, priced, wasted, at });
  }
}

/** The calls of a run, from the last one that was new to it on, and how many of them are this one. */
export function repeatsOf(calls: readonly ModelCall[], dispatchId: string): number {
  const asked = calls.find((call) => call.dispatchId === dispatchId);
  const run = calls.filter((call) => call.runId === asked?.runId);
  const keys = run.slice(0, run.indexOf(asked!) + 1).map(({ tool, args }) => JSON.stringify([tool, args]));
  const lastNew = keys.findLastIndex((key, at) => keys.indexOf(key) === at);
  return keys.slice(lastNew).filter((key) => key === keys.at(-1)).length;
}

export function endOf(run: ModelRun): RunEnd {
  const { runId, status, reason, text, error, mergedInto, usage } = run;
  if (status === null) throw new Error(`${runId} has not ended`);
  return { runId, status, reason, text, error, mergedInto, usage };
}
