// proc.diff and proc.undo: what a process changed in files, and the way back. Taking back is for people: no process makes undone what it did.

import { initPid } from "../../abi/ids.ts";
import type { ShownDiff, Undone } from "../../abi/process/undo.ts";
import { field, syscall } from "../define.ts";
import type { Undoing } from "./undo-service.ts";

type Service = { undoing: Undoing };

const pid = field.optional(field.pid("the process; your init when left out", { positional: true, meta: "PID" }));

export const undoCalls = [
  syscall({
    name: "proc.diff",
    summary: "Show what the last run of a process changed in files",
    class: "read",
    capability: "proc.history",
    input: {
      pid,
      run: field.optional(field.uuid("this run instead", { meta: "RUN" })),
      turn: field.optional(field.int("one turn of it", { min: 1, meta: "N" })),
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
    summary: "Put the files back that the last run of a process changed",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      pid,
      run: field.optional(field.uuid("what this run changed", { meta: "RUN" })),
      force: field.flag("also where a file was changed since"),
      redo: field.flag("take the last undo back"),
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
    summary: "Take a process back to an earlier message: its history, its files, or both",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      message: field.int("the last message that stays; 0 is before the first", { positional: true, meta: "MESSAGE" }),
      what: field.withDefault(field.choice("what goes back", ["both", "files", "history"]), "both"),
      force: field.flag("also where a file was changed since"),
    },
    cli: {
      hidden: true,
      examples: ["gsv rewind task:abc123 12", "gsv rewind task:abc123 12 --files"],
      print: { kind: "value", text: ({ files }: Undone) => files.map(({ path }) => path).join("\n") },
    },
    run: ({ undoing }: Service, { force = false, ...args }, context) => undoing.rewind(context, { ...args, force }),
  }),
] as const;
