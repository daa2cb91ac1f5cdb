// proc.prompt and proc.context.*: the prompt of a process, and the part of it that is its own.

import { LIMITS } from "../../abi/config/limits.ts";
import { initPid } from "../../abi/ids.ts";
import { field, syscall } from "../define.ts";
import type { ContextFileText, Prompts, ShownPrompt } from "./prompt-service.ts";

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
    cli: {
      hidden: true,
      examples: ["gsv prompt init:1000", "gsv prompt task:abc123 --turn 1 --json"],
      print: { kind: "value", text: ({ parts }: ShownPrompt) => parts.map(({ text }) => text).join("") },
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
    cli: {
      hidden: true,
      examples: ["gsv context list --pid task:abc123"],
      print: {
        kind: "list",
        rows: (result: { files: readonly ContextFileText[] }) => result.files,
        line: (file: ContextFileText) => file.name,
        empty: "(none)",
      },
    },
    run: ({ prompts }: { prompts: Prompts }, args, { caller }) => prompts.files(caller, args.pid),
  }),

  syscall({
    name: "proc.context.set",
    summary: "Add or remove context of a process",
    class: "keyed",
    once: "answer",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      name: field.text("file name, such as 10-rules.md", { positional: true, longest: 100, meta: "FILE" }),
      text: field.optional(
        field.text("content; without it the file is deleted", { longest: LIMITS.contextFileBytesMax, meta: "TEXT" }),
      ),
    },
    cli: {
      hidden: true,
      examples: ['gsv context add rules "Answer in German." --pid task:abc123'],
      print: { kind: "value", text: (result: { path: string }) => result.path },
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
    cli: {
      hidden: true,
      examples: ["gsv ls /sys/config/ai/context.d"],
      print: {
        kind: "list",
        rows: (result: { files: readonly ContextFileText[] }) => result.files,
        line: (file: ContextFileText) => file.name,
        empty: "(none)",
      },
    },
    run: ({ prompts }: { prompts: Prompts }) => prompts.homeFiles(),
  }),

  syscall({
    name: "config.context.set",
    summary: "Add or remove context of all agents",
    class: "keyed",
    once: "answer",
    by: "person",
    capability: "sys.config.set",
    input: {
      name: field.text("file name, such as 10-rules.md", { positional: true, longest: 100, meta: "FILE" }),
      text: field.optional(
        field.text("content; without it the file is deleted", { longest: LIMITS.contextFileBytesMax, meta: "TEXT" }),
      ),
    },
    cli: {
      hidden: true,
      examples: ["gsv --user root fs write /sys/config/ai/context.d/10-rules.md - < rules.md"],
      print: { kind: "value", text: (result: { path: string }) => result.path },
    },
    run: ({ prompts }: { prompts: Prompts }, { text = null, name }, context) =>
      prompts.setHomeFile(context, { name, text }),
  }),
] as const;
