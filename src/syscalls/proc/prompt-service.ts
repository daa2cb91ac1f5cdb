// The service behind proc.prompt and proc.context.*, as types.

import type { Caller } from "../../abi/identity.ts";
import type { BillLine, LeftOut, PromptPart } from "../../abi/process/prompt.ts";
import type { CallContext } from "../define.ts";

export interface ShownPrompt {
  readonly pid: string;
  /** The turn that used this prompt; null for the next one. */
  readonly told: { readonly runId: string; readonly turn: number; readonly at: number } | null;
  readonly model: string;
  /** Null if unknown. */
  readonly windowTokens: number | null;
  readonly bytes: number;
  readonly tokens: number;
  readonly bill: readonly BillLine[];
  readonly leftOut: readonly LeftOut[];
  /** Together they are the system text. */
  readonly parts: readonly PromptPart[];
  /** Some parts are cut to fit the answer. */
  readonly inPart: boolean;
}

export interface ContextFileText {
  readonly name: string;
  readonly text: string;
}

export interface ContextChange {
  readonly pid: string;
  readonly name: string;
  /** Null deletes the file. */
  readonly text: string | null;
}

export interface Prompts {
  /** The prompt of a past turn or run, else of the next turn. */
  show(
    context: CallContext,
    request: { readonly pid: string; readonly run?: string; readonly turn?: number },
  ): Promise<ShownPrompt>;
  files(caller: Caller, pid: string): Promise<{ readonly files: readonly ContextFileText[] }>;
  setFile(context: CallContext, change: ContextChange): Promise<{ readonly path: string }>;
  /** Context for all agents of the home. */
  homeFiles(): Promise<{ readonly files: readonly ContextFileText[] }>;
  setHomeFile(context: CallContext, change: Omit<ContextChange, "pid">): Promise<{ readonly path: string }>;
}
