// Calls between processes: one process asks, the final text of the run that answers is the reply, or the deadline comes first.

export const IPC_TIMEOUT_MS = { usual: 60_000, min: 1_000, max: 600_000 } as const;

/** `failed`: the other process ended without an answer. `cancelled`: the process that asked is gone. */
export type IpcStatus = "open" | "replied" | "failed" | "timeout" | "cancelled";

/** How the reply comes: as the result of the call that waits, with the next message of the caller, or as a message that starts a run. */
export type ReplyAs = "result" | "note" | "message";

export interface IpcCall {
  readonly id: string;
  /** The process that asks; null for a person. */
  readonly sourcePid: string | null;
  readonly targetPid: string;
  readonly status: IpcStatus;
  readonly createdAt: number;
  readonly deadlineAt: number;
}
