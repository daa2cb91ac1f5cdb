// proc.prompt and proc.context.*: the prompt of a process, and the part of it that is its own.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Caller } from "../../abi/identity.ts";
import { initPid } from "../../abi/ids.ts";
import type { BillLine, LeftOut, PromptPart } from "../../abi/process/prompt.ts";
import { type CallContext, field, syscall } from "../define.ts";

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

interface ContextChange {
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

const pid = field.pid("the process (default: your init)", { positional: true, meta: "PID" });

export const promptCalls = [
  syscall({
    name: "proc.prompt",
    summary: "Show the prompt and where its tokens go",
    class: "read",
    capability: "proc.history",
    input: {
      pid: field.optional(pid),
      turn: field.optional(field.int("turn of the last run (default: the next turn)", { min: 1, meta: "N" })),
      run: field.optional(field.uuid("run to look at", { meta: "RUN" })),
    },
    run: ({ prompts }: { prompts: Prompts }, args, context) =>
      prompts.show(context, { ...args, pid: args.pid ?? initPid(context.caller.ownerUid) }),
  }),
] as const;

export const contextCalls = [
  syscall({
    name: "proc.context.list",
    summary: "Print the context of a process",
    class: "read",
    capability: "proc.history",
    input: { pid: field.pid("the process", { positional: true, meta: "PID" }) },
    run: ({ prompts }: { prompts: Prompts }, args, { caller }) => prompts.files(caller, args.pid),
  }),

  syscall({
    name: "proc.context.set",
    summary: "Add or remove context of a process",
    class: "keyed",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      name: field.text("file name, such as 10-rules.md", { positional: true, longest: 100, meta: "FILE" }),
      text: field.optional(
        field.text("content; without it the file is deleted", { longest: LIMITS.contextFileBytesMax, meta: "TEXT" }),
      ),
    },
    run: ({ prompts }: { prompts: Prompts }, { text = null, ...file }, context) =>
      prompts.setFile(context, { ...file, text }),
  }),
] as const;

export const homeContextCalls = [
  syscall({
    name: "config.context.list",
    summary: "Print the context of all agents",
    class: "read",
    capability: "sys.config.get",
    input: {},
    run: ({ prompts }: { prompts: Prompts }) => prompts.homeFiles(),
  }),

  syscall({
    name: "config.context.set",
    summary: "Add or remove context of all agents",
    class: "keyed",
    by: "person",
    capability: "sys.config.set",
    input: {
      name: field.text("file name, such as 10-rules.md", { positional: true, longest: 100, meta: "FILE" }),
      text: field.optional(
        field.text("content; without it the file is deleted", { longest: LIMITS.contextFileBytesMax, meta: "TEXT" }),
      ),
    },
    run: ({ prompts }: { prompts: Prompts }, { text = null, name }, context) =>
      prompts.setHomeFile(context, { name, text }),
  }),
] as const;
