// The sweep after sessions that are gone: what is remembered of one that neither runs, nor is held, nor is about to run again goes, once it
// is as old as a sweep is apart from the next. Who subscribes just before a start is not swept away under it.

import { ORPHAN_SWEEP_MS } from "../../abi/process/lifecycle.ts";

export interface Remembered {
  /** Since when something is remembered of each. */
  readonly since: ReadonlyMap<string, number>;
  readonly isAlive: (sessionId: string) => boolean;
}

export function orphansOf({ since, isAlive }: Remembered, now: number): readonly string[] {
  return [...since].flatMap(([id, at]) => (now - at >= ORPHAN_SWEEP_MS && !isAlive(id) ? [id] : []));
}
