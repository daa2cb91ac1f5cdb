// The columns of the table `processes` that are a copy of what a process's own database says of it. A kernel writes them as it goes, and a
// restore writes them once, so both take them from here.

import type { Projection } from "../../process/verbs.ts";

export const PROJECTED =
  "state = ?, active_run_id = ?, queued_count = ?, last_active_at = ?, waits_json = ?, last_status = ?";

/** The values for `PROJECTED`, in its order. */
export function projected({ state, activeRunId, queued, lastActiveAt, waitsFor, lastStatus }: Projection) {
  const waits = waitsFor === null ? null : JSON.stringify(waitsFor);
  return [state, activeRunId, queued, lastActiveAt, waits, lastStatus] as const;
}
