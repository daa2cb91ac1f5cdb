// One message as `gsv chat` is to send and follow it.

import type { Mode } from "../../src/abi/policy.ts";
import type { Attachment, Brought } from "./attached.ts";

export interface ChatRequest {
  /** The caller's init when left out. */
  readonly pid?: string;
  /** Default: decided by the process and the account. */
  readonly model?: string | undefined;
  /** A new process is made for the message, and keeps its model. */
  readonly fresh:
    | ({ readonly [K in "as" | "label" | "model" | "budget" | "system" | "drop"]?: string | undefined } & {
        readonly mode?: Mode | undefined;
      })
    | null;
  readonly message: string;
  /** Files of this machine, and data of stdin, that are given with it. */
  readonly attached: readonly Attachment[];
  readonly interrupt: boolean;
  /** Wait through what only a person, a credential or a raised limit ends. */
  readonly patient: boolean;
  readonly deltas: boolean;
  /** When to stop waiting, on the monotonic clock, and how long after the command began that is. */
  readonly deadline: { readonly at: number; readonly afterMs: number } | null;
  readonly killOnTimeout: boolean;
  /** Leave as soon as the message is stored. */
  readonly detach: boolean;
  /** stdin answers approvals and questions. */
  readonly answers: boolean;
  /** Asks on this terminal. */
  readonly asks: boolean;
}

export function sendArguments(
  { message, interrupt, model }: ChatRequest,
  pid: string | undefined,
  { media, told }: Brought,
): object {
  return {
    pid,
    message: message + told,
    ...(interrupt ? { interrupt } : {}),
    ...(model === undefined ? {} : { model }),
    ...(media.length === 0 ? {} : { media }),
  };
}

/** An answer may overtake the last signals by a moment, and a hold may be over before it is worth a word. */
export const SETTLE_MS = 100;
/** Within which a second ctrl-c leaves at once. */
export const SECOND_INT_MS = 2000;

/** Signals of a run, and signals of its process. */
const RUN_NAMES = ["start", "text", "tool_call", "tool_result", "compacting", "compacted", "restart", "complete"].map(
  (name) => `chat.${name}`,
);
export function runNames({ deltas }: ChatRequest): readonly string[] {
  return deltas ? [...RUN_NAMES, "chat.delta"] : RUN_NAMES;
}
export const HOLD_NAMES = ["chat.hil", "chat.hil_closed", "process.state", "process.budget", "process.hook"];
