// What the limits of a process ask of Control, without knowing what else Control needs.

import type { ProcessRow } from "../../store/kernel/processes/processes.ts";

export interface KernelStop {
  readonly why: string;
  /** Stops nothing if another run is in flight by then. */
  readonly runId?: string;
  /** Stored before the process is stopped. */
  readonly before?: () => Promise<void>;
}

export interface Stopping {
  stop(row: ProcessRow, kernel: KernelStop): Promise<unknown>;
  resume(row: ProcessRow): Promise<unknown>;
}
