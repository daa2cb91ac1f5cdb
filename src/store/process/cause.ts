// The causes of runs, taken from their messages, and the ends of runs since an instant, for a reader that may have missed them.

import { both, type Cause, NO_CAUSE } from "../../abi/process/cause.ts";
import type { Origin } from "../../abi/process/message.ts";
import type { RunEnd } from "../../abi/process/process.ts";
import type { Db } from "../open.ts";
import { HeadRow } from "./head.ts";
import { runEnd } from "./rows.ts";

export interface DatedEnd extends RunEnd {
  readonly at: number;
}

export interface CauseVerbs {
  /** Default: the current run, or else the last one. */
  causeOf(pid: string, runId?: string): Promise<Cause>;
  /** Oldest first, at most 1000. */
  endsSince(pid: string, since: number): Promise<readonly DatedEnd[]>;
}

export function causeVerbs(dbOf: (pid: string) => Db): CauseVerbs {
  return {
    async causeOf(pid, runId) {
      const db = dbOf(pid);
      if (runId !== undefined) return causeIn(db, runId);
      const { currentRun, lastRun } = new HeadRow(db);
      return causeIn(db, currentRun ?? lastRun);
    },
    endsSince: async (pid, since) => endsSince(dbOf(pid), since),
  };
}

function causeIn(db: Db, runId: string | null): Cause {
  if (runId === null) return NO_CAUSE;
  const row = db.get<{ cause_json: string | null }>(
    `SELECT r.cause_json FROM runs m JOIN runs r ON r.run_id = coalesce(m.merged_into, m.run_id) WHERE m.run_id = ?`,
    runId,
  );
  return row === null || row.cause_json === null ? NO_CAUSE : (JSON.parse(row.cause_json) as Cause);
}

export function addCauses(db: Db, runId: string, origins: readonly (string | null)[]): void {
  const causes = origins.flatMap((text) => {
    const origin = text === null ? null : (JSON.parse(text) as Origin);
    return origin?.cause === undefined ? [] : [origin.cause];
  });
  if (causes.length === 0) return;
  const whole = causes.reduce(both, causeIn(db, runId));
  db.run("UPDATE runs SET cause_json = ? WHERE run_id = ?", JSON.stringify(whole), runId);
}

const ENDS_MAX = 1000;

function endsSince(db: Db, since: number): readonly DatedEnd[] {
  const rows = db.all<{ run_id: string; finished_at: number }>(
    "SELECT run_id, finished_at FROM runs WHERE finished_at >= ? ORDER BY finished_at, rowid LIMIT ?",
    ...[since, ENDS_MAX],
  );
  return rows.flatMap(({ run_id, finished_at: at }) => {
    const end = runEnd(db, run_id);
    return end === null || end === "open" ? [] : [{ ...end, at }];
  });
}
