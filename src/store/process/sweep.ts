// Deletes old finished runs and old syscall log rows. Messages and the last run are kept.

import type { Db } from "../open.ts";

export interface Sweep {
  /** Runs that ended earlier; null keeps all. */
  readonly runsBefore: number | null;
  /** Log rows that are older; null keeps all. */
  readonly callsBefore: number | null;
  readonly rowsMax: number;
}

export function sweepRows(db: Db, { runsBefore, callsBefore, rowsMax }: Sweep): number {
  const runs =
    runsBefore === null
      ? 0
      : db.run(
          `DELETE FROM runs WHERE run_id IN (
             SELECT run_id FROM runs WHERE finished_at < ?1 AND status IS NOT NULL
             AND json_quote(run_id) NOT IN (SELECT value FROM process_kv WHERE key IN ('current_run', 'last_run', 'told_run'))
             ORDER BY finished_at LIMIT ?2)`,
          runsBefore,
          rowsMax,
        );
  if (callsBefore === null) return runs;
  const left = "SELECT id FROM syscall_log WHERE at < ?1 ORDER BY id LIMIT ?2";
  return runs + db.run(`DELETE FROM syscall_log WHERE id IN (${left})`, callsBefore, rowsMax);
}
