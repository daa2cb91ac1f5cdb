// One message of `gsv chat`, and how to follow its run.

import type { Mode } from "../../src/abi/policy.ts";
import type { Attachment, Uploads } from "./attached.ts";

export interface ChatRequest {
  readonly pid?: string;
  readonly model?: string | undefined;
  /** For a new process, which keeps the model. */
  readonly fresh:
    | ({ readonly [K in "as" | "label" | "model" | "budget" | "system" | "drop"]?: string | undefined } & {
        readonly mode?: Mode | undefined;
      })
    | null;
  readonly message: string;
  readonly attached: readonly Attachment[];
  readonly interrupt: boolean;
  /** Keep waiting for a person, a credential or a higher limit. */
  readonly wait: boolean;
  readonly deltas: boolean;
  /** On the monotonic clock; `afterMs` counts from the start of the command. */
  readonly deadline: { readonly at: number; readonly afterMs: number } | null;
  readonly killOnTimeout: boolean;
  readonly detach: boolean;
  readonly answers: boolean;
  readonly asks: boolean;
}

export function sendArguments(
  { message, interrupt, model }: ChatRequest,
  pid: string | undefined,
  { media, references }: Uploads,
): object {
  return {
    pid,
    message: message + references,
    ...(interrupt ? { interrupt } : {}),
    ...(model === undefined ? {} : { model }),
    ...(media.length === 0 ? {} : { media }),
  };
}

/** An answer may overtake the last signals, and a pause may be over within a moment. */
export const SETTLE_MS = 100;
/** A second ctrl-c within this time quits at once. */
export const SECOND_INT_MS = 2000;

const RUN_NAMES = ["start", "text", "tool_call", "tool_result", "compacting", "compacted", "restart", "complete"].map(
  (name) => `chat.${name}`,
);
export function runNames({ deltas }: ChatRequest): readonly string[] {
  return deltas ? [...RUN_NAMES, "chat.delta"] : RUN_NAMES;
}
export const PAUSE_NAMES = ["chat.hil", "chat.hil_closed", "process.state", "process.budget", "process.hook"];
