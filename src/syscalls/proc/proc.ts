// proc.*: the life of processes; which there are is in proc-list.ts. Handlers only fill in who is meant when nobody was named; the
// services do the rest.

import { LIMITS } from "../../abi/config/limits.ts";
import { initPid } from "../../abi/ids.ts";
import { MODES } from "../../abi/policy.ts";
import type { Message } from "../../abi/process/message.ts";
import { PROFILES, RESTART_RULES } from "../../abi/process/process.ts";
import type { ProcessCaps, Rights } from "../account/account-service.ts";
import { field, syscall } from "../define.ts";
import { capsText, closedText, messageLine, partsText, signalledText } from "../format.ts";
import {
  type Aborted,
  type Answered,
  type Closed,
  type Histories,
  type HistoryPage,
  type MessageText,
  PROCESS_SIGNALS,
  type Processes,
  type Sent,
  type Spawned,
  type WaitResult,
} from "../services.ts";

const pid = field.pid("the process; your init when left out", { meta: "PID" });
const modelName = (doc: string) => field.text(doc, { shortest: 1, longest: 300, meta: "MODEL", hide: "tool" });
const onePid = field.pid("the process", { positional: true, meta: "PID" });

export const procCalls = [
  syscall({
    name: "proc.spawn",
    summary: "Start a new process; prints its pid",
    class: "keyed",
    input: {
      label: field.optional(
        field.text("what it is for, in a few words", { shortest: 1, longest: LIMITS.labelCharsMax, meta: "TEXT" }),
      ),
      prompt: field.optional(field.text("its first message", { shortest: 1, stdin: true, meta: "TEXT" })),
      parent: field.optional(field.pid("the process it belongs to; your init when left out", { meta: "PID" })),
      profile: field.withDefault(field.choice("what kind of process", PROFILES, { meta: "NAME" }), "task"),
      as: field.optional(
        field.text("the account it acts as; your personal agent when left out", {
          longest: 32,
          meta: "ACCOUNT",
          of: "agent",
        }),
      ),
      cwd: field.optional(field.path("where it starts", { meta: "PATH" })),
      workspace: field.optional(
        field.text("new, inherit, none, an id or a directory of this machine", { longest: 4096, of: "workspace" }),
      ),
      project: field.optional(
        field.text("the project it works on", { longest: 60, meta: "NAME", hide: "tool", of: "project" }),
      ),
      drop: field.optional(
        field.text("capabilities it does without, such as net,shell", { longest: LIMITS.labelCharsMax, meta: "CAPS" }),
      ),
      model: field.optional(modelName("who answers it, now and later")),
      context: field.optional(
        field.text("files in gsv that it is told at every turn, with commas between", { longest: 4096, meta: "FILES" }),
      ),
      system: field.optional(
        field.text("what it is told at every turn, in a few words", {
          shortest: 1,
          longest: LIMITS.systemCharsMax,
          meta: "TEXT",
          hide: "tool",
        }),
      ),
      budget: field.optional(
        field.text("what it may use with all it starts: money, run time, tokens, as '$2,30m,200k'", {
          longest: 100,
          meta: "BUDGET",
        }),
      ),
      mode: field.optional(field.choice("how much it may do without asking", MODES, { meta: "MODE", hide: "tool" })),
      restart: field.optional(
        field.choice("after a run that ends by a fault", RESTART_RULES, { meta: "RULE", hide: "tool" }),
      ),
    },
    cli: {
      examples: [
        'gsv proc spawn --label "docs audit" --prompt "Review the docs for stale commands."',
        'gsv spawn --parent init:1000 --label "release notes"',
        'gsv spawn --drop net,shell --label "reads only what is here"',
        `gsv spawn --budget '$2,30m' --prompt "Look for stale docs."`,
      ],
      print: { kind: "value", text: (result: Spawned) => result.pid },
    },
    run: ({ processes }: { processes: Processes }, args, context) => processes.spawn(context, args),
  }),

  syscall({
    name: "proc.send",
    summary: "Put a message in a process's queue and return; prints the run id",
    class: "keyed",
    input: {
      pid: field.optional(pid),
      message: field.text("the message", {
        positional: true,
        shortest: 1,
        stdin: true,
        meta: "MESSAGE",
      }),
      interrupt: field.flag("end the run in flight and start with this message at once"),
      model: field.optional(modelName("who answers this message")),
      media: field.optional(
        field.words("ids of media of the process that are given with it", { longest: 36, hide: "cli" }),
      ),
    },
    cli: {
      examples: ['gsv proc send "Run the checks now."', 'gsv send --pid task:abc123 "Continue."'],
      print: { kind: "value", text: (result: Sent | Answered) => result.runId ?? result.response },
    },
    run: ({ processes }: { processes: Processes }, args, context) => processes.send(context, args),
  }),

  syscall({
    name: "proc.abort",
    summary: "End the run in flight; the process and its queue stay",
    class: "keyed",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      runId: field.optional(field.uuid("only this run, or this message if it waits", { flag: "run", meta: "RUN" })),
    },
    cli: {
      examples: ["gsv proc abort task:abc123"],
      print: {
        kind: "value",
        text: (result: Aborted) =>
          result.aborted
            ? `aborted run ${result.runId} of ${result.pid}`
            : `nothing to abort: ${result.pid} has no run in flight`,
      },
    },
    run: ({ processes }: { processes: Processes }, args, context) => processes.abort(context, args),
  }),

  syscall({
    name: "proc.label",
    summary: "Say anew what a process is for",
    class: "keyed",
    input: {
      pid: onePid,
      label: field.text("what it is for, in a few words", {
        positional: true,
        shortest: 1,
        longest: LIMITS.labelCharsMax,
        meta: "TEXT",
      }),
    },
    cli: {
      examples: ['gsv proc label task:abc123 "release notes"'],
      print: { kind: "value", text: (result: { pid: string; label: string }) => `${result.pid} ${result.label}` },
    },
    run: ({ processes }: { processes: Processes }, args, context) => processes.label(context, args),
  }),

  syscall({
    name: "proc.history",
    summary: "Print messages of a process, oldest first, by default the newest page",
    class: "read",
    input: {
      pid: field.optional(pid),
      limit: field.withDefault(
        field.int("how many messages", { min: 1, max: LIMITS.historyPageMax, meta: "N" }),
        LIMITS.historyPageDefault,
      ),
      offset: field.withDefault(field.int("skip the N newest", { meta: "N" }), 0),
      afterSeq: field.optional(field.int("only messages with a higher number", { flag: "after", meta: "ID" })),
      beforeSeq: field.optional(field.int("only messages with a lower number", { flag: "before", min: 1, meta: "ID" })),
      since: field.optional(
        field.text("only what was said since: today, 10m, 2h, a day or an instant", { longest: 40, meta: "WHEN" }),
      ),
    },
    cli: {
      examples: ["gsv proc history --limit 30", "gsv proc history --pid task:abc123 --limit 50 --offset 50 --json"],
      print: {
        kind: "list",
        rows: (result: HistoryPage) => result.messages,
        line: (message: Message) => messageLine(message),
        empty: "(no messages)",
        note: (result: HistoryPage) =>
          result.hasMoreBefore
            ? `older messages exist (${result.messageCount} in all): gsv proc history --offset N skips the N newest`
            : null,
        cut: partsText,
      },
    },
    run: ({ histories }: { histories: Histories }, args, context) =>
      histories.page(context, args.pid ?? initPid(context.caller.ownerUid), args),
  }),

  syscall({
    name: "proc.message",
    summary: "Print the text of one message, whole however long",
    class: "read",
    capability: "proc.history",
    input: {
      pid: field.optional(pid),
      seq: field.optional(
        field.int("its number, as proc history --json shows it; the newest answer when left out", {
          positional: true,
          min: 1,
          meta: "ID",
        }),
      ),
      offset: field.withDefault(field.int("where the piece begins, in characters", { meta: "N" }), 0),
    },
    cli: {
      examples: ["gsv proc message", "gsv proc message --pid task:abc123 12 > answer.txt"],
      print: { kind: "value", text: (piece: MessageText) => piece.text },
    },
    run: ({ histories }: { histories: Histories }, args, { caller }) =>
      histories.text(caller, args.pid ?? initPid(caller.ownerUid), args),
  }),

  syscall({
    name: "proc.caps",
    summary: "Show what a process may do",
    class: "read",
    input: { pid: field.optional({ ...pid, positional: true }) },
    cli: {
      examples: ["gsv caps", "gsv caps task:abc123"],
      print: { kind: "value", text: (result: ProcessCaps) => capsText(result) },
    },
    run: ({ rights }: { rights: Rights }, args, { caller }) => rights.of(caller, args.pid ?? initPid(caller.ownerUid)),
  }),

  syscall({
    name: "proc.reset",
    summary: "Archive the history of a process and start it afresh",
    class: "keyed",
    input: { pid: field.optional(pid) },
    cli: {
      examples: ["gsv proc reset", "gsv proc reset --pid task:abc123"],
      print: { kind: "value", text: (result: Closed) => closedText("reset", result) },
    },
    run: ({ processes }: { processes: Processes }, args, context) =>
      processes.reset(context, { pid: args.pid ?? initPid(context.caller.ownerUid) }),
  }),

  syscall({
    name: "proc.kill",
    summary: "End a process now; its history is archived first",
    class: "keyed",
    input: { pid: onePid, noArchive: field.flag("throw the history away") },
    cli: {
      examples: ["gsv proc kill task:abc123", "gsv proc kill task:abc123 --no-archive"],
      print: { kind: "value", text: (result: Closed) => closedText("killed", result) },
    },
    run: ({ processes }: { processes: Processes }, args, context) =>
      processes.kill(context, { pid: args.pid, archive: args.noArchive !== true }),
  }),

  syscall({
    name: "proc.wait",
    summary: "Wait until processes have finished what they were given",
    class: "wait",
    input: {
      pids: field.pids("the processes", { positional: true, meta: "PID..." }),
      run: field.optional(field.uuid("wait for this run only (one pid)", { meta: "RUN" })),
      patient: field.flag("also wait for what only a person, a credential or a raised limit ends", { flag: "wait" }),
    },
    cli: {
      hidden: true,
      examples: ["gsv wait task:abc123", "gsv wait task:abc123 task:def456"],
      print: { kind: "silent" },
    },
    run: async ({ processes }: { processes: Processes }, args, context) => ({
      results: (await processes.wait(context, { ...args, patient: args.patient === true })) as WaitResult[],
    }),
  }),

  syscall({
    name: "proc.signal",
    summary: "Send a signal: STOP, CONT, INT, TERM, KILL, or 0 to test",
    class: "keyed",
    input: {
      pid: onePid,
      signal: field.choice("which signal", PROCESS_SIGNALS, { positional: true, meta: "SIGNAL" }),
    },
    cli: {
      examples: ["gsv proc signal task:abc123 STOP", "gsv kill -CONT task:abc123"],
      print: { kind: "value", text: signalledText },
    },
    run: ({ processes }: { processes: Processes }, args, context) => processes.signal(context, args),
  }),
] as const;
