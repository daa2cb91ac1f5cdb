// What a conversation is asked to be, and everything that can happen while it goes on. Types only.

import type { Mode } from "../src/abi/policy.ts";
import type { ProcessInfo } from "../src/abi/process.ts";
import type { Signal } from "../src/abi/signal.ts";
import type { Sent, WaitResult } from "../src/syscalls/services.ts";
import type { Interruption } from "./command.ts";

export interface ChatRequest {
  /** The caller's init when left out. */
  readonly pid?: string;
  /** Who answers; left to the process and the account when left out. */
  readonly model?: string | undefined;
  /** A new process is made for the message, and keeps its model. */
  readonly fresh:
    | ({ readonly [K in "label" | "model" | "budget"]?: string | undefined } & { readonly mode?: Mode | undefined })
    | null;
  readonly message: string;
  readonly interrupt: boolean;
  /** Wait through what only a person, a credential or a raised limit ends. */
  readonly patient: boolean;
  readonly deltas: boolean;
  /** When to stop waiting, on the monotonic clock, and how long after the command began that is. */
  readonly deadline: { readonly at: number; readonly afterMs: number } | null;
  readonly killOnTimeout: boolean;
  /** What comes on stdin answers approvals and questions. */
  readonly answers: boolean;
}

export type Happening =
  | { readonly kind: "fresh"; readonly pid: string }
  | { readonly kind: "sent"; readonly sent: Sent }
  | { readonly kind: "signal"; readonly signal: Signal }
  | { readonly kind: "waited"; readonly result: WaitResult }
  | { readonly kind: "settled"; readonly result: WaitResult }
  | { readonly kind: "state"; readonly state: Pick<ProcessInfo, "state" | "waitsFor"> }
  | { readonly kind: "held" }
  | { readonly kind: "interruption"; readonly name: Interruption }
  | { readonly kind: "aborted"; readonly aborted: boolean }
  | { readonly kind: "timeout" }
  /** On stdin: said of a line that answers nothing, or null at the end. */
  | { readonly kind: "input"; readonly fault: string | null }
  | { readonly kind: "failed"; readonly error: unknown };
