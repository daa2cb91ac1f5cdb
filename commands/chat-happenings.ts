// Everything that can happen while a conversation goes on. Types only.

import type { ProcessInfo } from "../src/abi/process.ts";
import type { Signal } from "../src/abi/signal.ts";
import type { Answered, Sent, WaitResult } from "../src/syscalls/services.ts";
import type { Uploaded } from "./chat-attached.ts";
import type { Interruption } from "./command.ts";

export type Happening =
  | ({ readonly kind: "uploaded" } & Uploaded)
  | { readonly kind: "fresh"; readonly pid: string }
  | { readonly kind: "sent"; readonly sent: Sent | Answered }
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
