// proc.diff, proc.undo and proc.rewind: file changes of a process and how to undo them. Only people undo: a process must not revert its own
// work.

import { initPid } from "../../abi/ids.ts";
import type { ShownDiff, Undone } from "../../abi/process/undo.ts";
import { field, syscall } from "../define.ts";
import type { Undoing } from "./undo-service.ts";

type Service = { undoing: Undoing };

const pid = field.optional(field.pid("the process (default: your init)", { positional: true, meta: "PID" }));

export const undoCalls = [
  syscall({
    name: "proc.diff",
    summary: "Show file changes of the last run",
    class: "read",
    capability: "proc.history",
    input: {
      pid,
      run: field.optional(field.uuid("run (default: the last)", { meta: "RUN" })),
      turn: field.optional(field.int("only this turn", { min: 1, meta: "N" })),
    },
    cli: {
      hidden: true,
      examples: ["gsv diff task:abc123", "gsv diff --stat"],
      print: { kind: "value", text: (diff: ShownDiff) => diff.text },
    },
    run: ({ undoing }: Service, args, { caller }) =>
      undoing.diff(caller, { ...args, pid: args.pid ?? initPid(caller.ownerUid) }),
  }),

  syscall({
    name: "proc.undo",
    summary: "Undo file changes of the last run",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      pid,
      run: field.optional(field.uuid("run (default: the last)", { meta: "RUN" })),
      force: field.flag("also files that changed since"),
      redo: field.flag("revert the last undo"),
    },
    cli: {
      hidden: true,
      examples: ["gsv undo task:abc123", "gsv undo task:abc123 --redo"],
      print: { kind: "value", text: ({ files }: Undone) => files.map(({ path }) => path).join("\n") },
    },
    run: ({ undoing }: Service, { force = false, redo = false, ...args }, context) =>
      undoing.undo(context, { ...args, force, redo, pid: args.pid ?? initPid(context.caller.ownerUid) }),
  }),

  syscall({
    name: "proc.rewind",
    summary: "Rewind history and files to a message",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      message: field.int("last message to keep; 0 for none", { positional: true, meta: "MESSAGE" }),
      what: field.withDefault(field.choice("what to rewind", ["both", "files", "history"]), "both"),
      force: field.flag("also files that changed since"),
    },
    cli: {
      hidden: true,
      examples: ["gsv rewind task:abc123 12", "gsv rewind task:abc123 12 --files"],
      print: { kind: "value", text: ({ files }: Undone) => files.map(({ path }) => path).join("\n") },
    },
    run: ({ undoing }: Service, { force = false, ...args }, context) => undoing.rewind(context, { ...args, force }),
  }),
] as const;
