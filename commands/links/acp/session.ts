// What gsv knows of a session of an editor.

import type { Signal } from "../../../src/abi/signal.ts";
import type { Json } from "./translate.ts";

export interface Prompt {
  readonly runId: string;
  readonly end: PromiseWithResolvers<Json>;
  isCancelled: boolean;
}

export interface Session {
  readonly pid: string;
  readonly cwd: string;
  /** Text of the open turn that was sent already. */
  sent: string;
  thought: string;
  prompt: Prompt | null;
  /** Set from the start of a prompt to its answer. */
  isBusy: boolean;
  /** A question that the next prompt answers. */
  question: string | null;
  /** A run may end before the call that started it is answered. */
  readonly ends: Map<string, Complete>;
}

export type Complete = Extract<Signal, { readonly name: "chat.complete" }>;

export function newSession(pid: string, cwd: string): Session {
  return { pid, cwd, sent: "", thought: "", prompt: null, isBusy: false, question: null, ends: new Map() };
}

/** The process is gone, or the editor has closed the session. */
export function finish(session: Session | undefined): void {
  session?.prompt?.end.resolve({ stopReason: "cancelled" });
  if (session !== undefined) session.prompt = null;
}
