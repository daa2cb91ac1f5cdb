// Time limits of the run in flight, stored so that the next kernel continues with them. Written often, with low durability.

import type { Db } from "../open.ts";

export interface Timing {
  readonly runId: string;
  /** Extensions end here. */
  readonly capAt: number;
  readonly endsAt: number;
  /** The span that made `capAt`; older versions did not store it. */
  readonly capMs?: number;
  /** Last activity: the time until the next step does not count. */
  readonly seenAt: number;
  /** The run was stopped by its time: its next step begins a new cap. */
  readonly isOver?: true;
}

export interface TimingVerbs {
  timing(pid: string): Promise<Timing | null>;
  keepTiming(pid: string, timing: Timing): Promise<void>;
}

export function timingVerbs(
  dbOf: (pid: string) => Db,
  write: (pid: string, step: (db: Db) => void) => void,
): TimingVerbs {
  return {
    async timing(pid) {
      const row = dbOf(pid).get<{ value: string }>("SELECT value FROM process_kv WHERE key = 'timing'");
      return row === null ? null : (JSON.parse(row.value) as Timing);
    },

    async keepTiming(pid, timing) {
      write(pid, (db) =>
        db.run(
          "INSERT INTO process_kv (key, value) VALUES ('timing', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
          JSON.stringify(timing),
        ),
      );
    },
  };
}
