// Until when the run in flight may be at work, beside the head: written often and for nobody who waits, so that the next kernel goes on with
// the same instants.

import type { Db } from "../open.ts";

export interface Timing {
  readonly runId: string;
  /** The latest instant it may be moved to. */
  readonly capAt: number;
  readonly endsAt: number;
  /** When it was last at work: what lies between that and its next step does not count. */
  readonly seenAt: number;
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
