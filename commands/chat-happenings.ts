// Everything that can happen while a conversation goes on. Types only.

import type { ProcessInfo } from "../src/abi/process.ts";
import type { Signal } from "../src/abi/signal.ts";
import type { Answered, Sent, WaitResult } from "../src/syscalls/services.ts";
import type { Steering } from "./chat-answers.ts";
import type { Uploaded } from "./chat-attached.ts";
import type { Interruption } from "./command.ts";

export type Happening =
  | ({ readonly kind: "uploaded" } & Uploaded)
  | { readonly kind: "fresh"; readonly pid: string }
  | { readonly kind: "sent"; readonly sent: Sent | Answered }
  | { readonly kind: "signal"; readonly signal: Signal }
  /** What was said meanwhile has a run, or the reason why it was not taken. */
  | { readonly kind: "steered"; readonly run: string | null; readonly fault: string | null }
  | { readonly kind: "waited"; readonly run: string; readonly result: WaitResult }
  | { readonly kind: "settled"; readonly run: string; readonly result: WaitResult }
  | { readonly kind: "state"; readonly state: Pick<ProcessInfo, "state" | "waitsFor"> }
  | { readonly kind: "held" }
  | { readonly kind: "interruption"; readonly name: Interruption }
  | { readonly kind: "aborted"; readonly aborted: boolean }
  | { readonly kind: "timeout" }
  | { readonly kind: "steering"; readonly steering: Steering }
  /** On stdin: said of a line that does nothing, or null at the end. */
  | { readonly kind: "input"; readonly fault: string | null }
  | { readonly kind: "failed"; readonly error: unknown };
