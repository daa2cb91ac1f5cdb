// The service behind proc.prompt and proc.context.*, as types.

import type { Caller } from "../../abi/identity.ts";
import type { BillLine, LeftOut, PromptPart } from "../../abi/process/prompt.ts";
import type { CallContext } from "../define.ts";

export interface ShownPrompt {
  readonly pid: string;
  /** Which turn was told this; null of the next one. */
  readonly told: { readonly runId: string; readonly turn: number; readonly at: number } | null;
  readonly model: string;
  /** Null where nobody knows it. */
  readonly windowTokens: number | null;
  readonly bytes: number;
  readonly tokens: number;
  readonly bill: readonly BillLine[];
  readonly leftOut: readonly LeftOut[];
  /** Together the system text. */
  readonly parts: readonly PromptPart[];
  /** Parts that are longer than an answer may be and are cut. */
  readonly inPart: boolean;
}

export interface ContextFileText {
  readonly name: string;
  readonly text: string;
}

export interface ContextChange {
  readonly pid: string;
  readonly name: string;
  /** Null takes it away. */
  readonly text: string | null;
}

export interface Prompts {
  /** With a turn or a run what was told then, else what the next turn will be told. */
  show(
    context: CallContext,
    request: { readonly pid: string; readonly run?: string; readonly turn?: number },
  ): Promise<ShownPrompt>;
  files(caller: Caller, pid: string): Promise<{ readonly files: readonly ContextFileText[] }>;
  setFile(context: CallContext, change: ContextChange): Promise<{ readonly path: string }>;
  /** What all agents of the home are told. */
  homeFiles(): Promise<{ readonly files: readonly ContextFileText[] }>;
  setHomeFile(context: CallContext, change: Omit<ContextChange, "pid">): Promise<{ readonly path: string }>;
}
