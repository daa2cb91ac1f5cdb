// proc.diff, proc.undo and proc.rewind: file changes of a process and how to undo them. Only people undo: a process must not revert its own
// work.

import type { Caller } from "../../abi/identity.ts";
import { initPid } from "../../abi/ids.ts";
import type { ShownDiff, Undone } from "../../abi/process/undo.ts";
import { type CallContext, field, syscall } from "../define.ts";

export interface UndoRequest {
  readonly pid: string;
  /** Default: the last run that changed files. */
  readonly run?: string;
  /** Also discards changes that others made since. */
  readonly force: boolean;
  /** Reverts the last undo. */
  readonly redo: boolean;
}

export interface RewindRequest {
  readonly pid: string;
  /** The last message to keep; 0 for none. */
  readonly message: number;
  readonly what: "both" | "files" | "history";
  readonly force: boolean;
}

export interface Undoing {
  diff(
    caller: Caller,
    request: { readonly pid: string; readonly run?: string; readonly turn?: number },
  ): Promise<ShownDiff>;
  undo(context: CallContext, request: UndoRequest): Promise<Undone>;
  rewind(context: CallContext, request: RewindRequest): Promise<Undone>;
}

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
    run: ({ undoing }: Service, args, { caller }) =>
      undoing.diff(caller, { ...args, pid: args.pid ?? initPid(caller.ownerUid) }),
  }),

  syscall({
    name: "proc.undo",
    summary: "Undo file changes of the last run",
    class: "keyed",
    by: "person",
    input: {
      pid,
      run: field.optional(field.uuid("run (default: the last)", { meta: "RUN" })),
      force: field.flag("also files that changed since"),
      redo: field.flag("revert the last undo"),
    },
    run: ({ undoing }: Service, { force = false, redo = false, ...args }, context) =>
      undoing.undo(context, { ...args, force, redo, pid: args.pid ?? initPid(context.caller.ownerUid) }),
  }),

  syscall({
    name: "proc.rewind",
    summary: "Rewind history and files to a message",
    class: "keyed",
    by: "person",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      message: field.int("last message to keep; 0 for none", { positional: true, meta: "MESSAGE" }),
      what: field.withDefault(field.choice("what to rewind", ["both", "files", "history"]), "both"),
      force: field.flag("also files that changed since"),
    },
    run: ({ undoing }: Service, { force = false, ...args }, context) => undoing.rewind(context, { ...args, force }),
  }),
] as const;
