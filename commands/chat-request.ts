// One message as `gsv chat` is to send and follow it.

import type { AttachedFile } from "./chat-attached.ts";

export interface ChatRequest {
  /** The caller's init when left out. */
  readonly pid?: string;
  /** Who answers; left to the process and the account when left out. */
  readonly model?: string | undefined;
  /** A new process is made for the message, and keeps its model. */
  readonly fresh: { readonly label?: string | undefined; readonly model?: string | undefined } | null;
  readonly message: string;
  /** Files of this machine that are given with it. */
  readonly attached: readonly AttachedFile[];
  readonly interrupt: boolean;
  /** Wait through what only a person, a credential or a raised limit ends. */
  readonly patient: boolean;
  readonly deltas: boolean;
  /** When to stop waiting, on the monotonic clock, and how long after the command began that is. */
  readonly deadline: { readonly at: number; readonly afterMs: number } | null;
  readonly killOnTimeout: boolean;
}
