// The causes of runs: those of the messages that entered them.

import { both, type Cause, NO_CAUSE } from "../../abi/process/cause.ts";
import type { Origin } from "../../abi/process/message.ts";
import type { Db } from "../open.ts";

export interface CauseVerbs {
  /** Default: the current run, or else the last one. */
  causeOf(pid: string, runId?: string): Promise<Cause>;
}

export function causeIn(db: Db, runId: string | null): Cause {
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
