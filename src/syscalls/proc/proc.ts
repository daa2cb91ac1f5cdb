// proc.*: the life of processes. proc.list and proc.get are in proc-list.ts. Handlers fill in the default process; services do the rest.

import { LIMITS } from "../../abi/config/limits.ts";
import { initPid } from "../../abi/ids.ts";
import { MODE_ALIASES, MODES } from "../../abi/policy.ts";
import { PROFILES, RESTART_RULES } from "../../abi/process/process.ts";
import type { Rights } from "../account/account-service.ts";
import { facts, field, syscall, value } from "../define.ts";
import {
  capsText,
  closedForPeople,
  closedText,
  historyRows,
  messageLine,
  partsText,
  signalledForPeople,
  signalledText,
} from "../format.ts";
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

const pid = field.pid("the process (default: your init)", { meta: "PID" });
const modelName = (doc: string) => field.text(doc, { shortest: 1, longest: 300, meta: "MODEL", hide: "tool" });
const onePid = field.pid("the process", { positional: true, meta: "PID" });

export const procCalls = [
  syscall({
    name: "proc.spawn",
    summary: "Start a new process and print its pid",
    class: "keyed",
    once: "verb",
    input: {
      label: field.optional(
        field.text("its purpose in a few words", {
          shortest: 1,
          longest: LIMITS.labelCharsMax,
          line: true,
          meta: "TEXT",
        }),
      ),
      prompt: field.optional(field.text("first message", { shortest: 1, stdin: true, meta: "TEXT" })),
      parent: field.optional(field.pid("parent process (default: your init)", { meta: "PID" })),
      profile: field.withDefault(field.choice("kind of process", PROFILES, { meta: "NAME" }), "task"),
      as: field.optional(
        field.text("account it acts as (default: your personal agent)", { longest: 32, meta: "ACCOUNT", of: "agent" }),
      ),
      cwd: field.optional(field.path("working directory", { meta: "PATH" })),
      workspace: field.optional(
        field.text("new, inherit, none, an id or a directory of this computer", { longest: 4096, of: "workspace" }),
      ),
      project: field.optional(
        field.text("project it works on", { longest: 60, meta: "NAME", hide: "tool", of: "project" }),
      ),
      drop: field.optional(
        field.text("capabilities to drop, such as net,shell", { longest: LIMITS.labelCharsMax, meta: "CAPS" }),
      ),
      model: field.optional(modelName("model to use")),
      context: field.optional(
        field.text("files in gsv to add to its context, comma-separated", { longest: 4096, meta: "FILES" }),
      ),
      system: field.optional(
        field.text("text to add to its context", {
          shortest: 1,
          longest: LIMITS.systemCharsMax,
          meta: "TEXT",
          hide: "tool",
        }),
      ),
      budget: field.optional(
        field.text("budget with its children: money, run time, tokens, such as '$2,30m,200k'", {
          longest: 100,
          meta: "BUDGET",
        }),
      ),
      mode: field.optional(field.choice("approval mode", MODES, { aliases: MODE_ALIASES, meta: "MODE", hide: "tool" })),
      restart: field.optional(
        field.choice("restart rule after a fault", RESTART_RULES, { meta: "RULE", hide: "tool" }),
      ),
    },
    cli: {
      examples: [
        'gsv proc spawn --label "docs audit" --prompt "Review the docs for stale commands."',
        'gsv spawn --parent init:1000 --label "release notes"',
        'gsv spawn --drop net,shell --label "reads only what is here"',
        `gsv spawn --budget '$2,30m' --prompt "Look for stale docs."`,
      ],
      print: value((result: Spawned) => result.pid),
    },
    run: ({ processes }: { processes: Processes }, args, context) => processes.spawn(context, args),
  }),

  syscall({
    name: "proc.send",
    summary: "Send a message without waiting for the answer",
    class: "keyed",
    once: "verb",
    input: {
      pid: field.optional(pid),
      message: field.text("the message", { positional: true, shortest: 1, stdin: true, meta: "MESSAGE" }),
      interrupt: field.flag("abort the current run and start with this message"),
      model: field.optional(modelName("model for this message")),
      media: field.optional(field.words("media ids to attach", { longest: 36, hide: "cli" })),
    },
    cli: {
      examples: ['gsv proc send "Run the checks now."', 'gsv send --pid task:abc123 "Continue."'],
      print: value((result: Sent | Answered) => result.runId ?? result.response, sentForPeople),
    },
    run: ({ processes }: { processes: Processes }, args, context) => processes.send(context, args),
  }),

  syscall({
    name: "proc.abort",
    summary: "Abort the current run of a process",
    class: "keyed",
    once: "verb",
    input: {
      pid: field.pid("the process", { positional: true, meta: "PID" }),
      runId: field.optional(field.uuid("only this run or queued message", { flag: "run", meta: "RUN" })),
    },
    cli: {
      examples: ["gsv proc abort task:abc123"],
      print: value(
        (result: Aborted) =>
          result.aborted
            ? `aborted run ${result.runId} of ${result.pid}`
            : `nothing to abort: ${result.pid} is not running`,
        ({ aborted, pid }) => (aborted ? `aborted the run of ${pid}` : `nothing to abort: ${pid} is not running`),
      ),
    },
    run: ({ processes }: { processes: Processes }, args, context) => processes.abort(context, args),
  }),

  syscall({
    name: "proc.label",
    summary: "Rename a process",
    class: "keyed",
    input: {
      pid: onePid,
      label: field.text("its purpose in a few words", {
        positional: true,
        shortest: 1,
        longest: LIMITS.labelCharsMax,
        line: true,
        meta: "TEXT",
      }),
    },
    cli: {
      examples: ['gsv proc label task:abc123 "release notes"'],
      print: value((result: { pid: string; label: string }) => `${result.pid} ${result.label}`),
    },
    run: ({ processes }: { processes: Processes }, args, context) => processes.label(context, args),
  }),

  syscall({
    name: "proc.history",
    summary: "Print messages of a process, oldest first",
    class: "read",
    input: {
      pid: field.optional(pid),
      limit: field.withDefault(
        field.int("maximum number of messages (default: the newest)", {
          min: 1,
          max: LIMITS.historyPageMax,
          meta: "N",
        }),
        LIMITS.historyPageDefault,
      ),
      offset: field.withDefault(field.int("number of newest messages to skip", { meta: "N" }), 0),
      afterSeq: field.optional(field.int("only messages with a higher number", { flag: "after", meta: "ID" })),
      beforeSeq: field.optional(field.int("only messages with a lower number", { flag: "before", min: 1, meta: "ID" })),
      since: field.optional(field.text("only since: today, 10m, 2h, a date or a time", { longest: 40, meta: "WHEN" })),
    },
    cli: {
      examples: ["gsv proc history --limit 30", "gsv proc history --pid task:abc123 --limit 50 --offset 50 --json"],
      print: {
        kind: "list",
        rows: historyRows,
        line: messageLine,
        empty: "(no messages)",
        note: (result: HistoryPage) =>
          result.hasMoreBefore
            ? `older messages exist (${result.messageCount} in all): see them with --offset N`
            : null,
        cut: partsText,
      },
    },
    run: ({ histories }: { histories: Histories }, args, context) =>
      histories.page(context, args.pid ?? initPid(context.caller.ownerUid), args),
  }),

  syscall({
    name: "proc.message",
    summary: "Print the full text of one message",
    class: "read",
    capability: "proc.history",
    input: {
      pid: field.optional(pid),
      seq: field.optional(
        field.int("message number (default: the newest answer)", { positional: true, min: 1, meta: "ID" }),
      ),
      offset: field.withDefault(field.int("offset in characters", { meta: "N" }), 0),
    },
    cli: {
      examples: ["gsv proc message", "gsv proc message --pid task:abc123 12 > answer.txt"],
      print: value((piece: MessageText) => piece.text),
    },
    run: ({ histories }: { histories: Histories }, args, { caller }) =>
      histories.text(caller, args.pid ?? initPid(caller.ownerUid), args),
  }),

  syscall({
    name: "proc.caps",
    summary: "Show the capabilities of a process",
    class: "read",
    input: { pid: field.optional({ ...pid, positional: true }) },
    cli: { examples: ["gsv caps", "gsv caps task:abc123"], print: facts(capsText) },
    run: ({ rights }: { rights: Rights }, args, { caller }) => rights.of(caller, args.pid ?? initPid(caller.ownerUid)),
  }),

  syscall({
    name: "proc.reset",
    summary: "Archive the history and start fresh",
    class: "keyed",
    once: "verb",
    input: { pid: field.optional(pid) },
    cli: {
      examples: ["gsv proc reset", "gsv proc reset --pid task:abc123"],
      print: value(
        (result: Closed) => closedText("reset", result),
        (result) => closedForPeople("reset", result),
      ),
    },
    run: ({ processes }: { processes: Processes }, args, context) =>
      processes.reset(context, { pid: args.pid ?? initPid(context.caller.ownerUid) }),
  }),

  syscall({
    name: "proc.kill",
    summary: "Archive and end a process",
    class: "keyed",
    once: "verb",
    input: { pid: onePid, noArchive: field.flag("delete the history instead") },
    cli: {
      examples: ["gsv proc kill task:abc123", "gsv proc kill task:abc123 --no-archive"],
      print: value(
        (result: Closed) => closedText("killed", result),
        (result) => closedForPeople("killed", result),
      ),
    },
    run: ({ processes }: { processes: Processes }, args, context) =>
      processes.kill(context, { pid: args.pid, archive: args.noArchive !== true }),
  }),

  syscall({
    name: "proc.wait",
    summary: "Wait until processes have finished",
    class: "wait",
    input: {
      pids: field.pids("the processes", { positional: true, meta: "PID..." }),
      run: field.optional(field.uuid("wait for this run only (one pid)", { meta: "RUN" })),
      wait: field.flag("also wait while paused, stopped or in need of an approval"),
    },
    run: async ({ processes }: { processes: Processes }, args, context) => ({
      results: (await processes.wait(context, { ...args, wait: args.wait === true })) as readonly WaitResult[],
    }),
  }),

  syscall({
    name: "proc.signal",
    summary: "Send STOP, CONT, INT, TERM, KILL or 0",
    class: "keyed",
    once: "verb",
    input: {
      pid: onePid,
      signal: field.choice("signal name or 0", PROCESS_SIGNALS, { positional: true, meta: "SIGNAL" }),
    },
    cli: {
      examples: ["gsv proc signal task:abc123 STOP", "gsv kill -CONT task:abc123"],
      print: value(signalledText, signalledForPeople),
    },
    run: ({ processes }: { processes: Processes }, args, context) => processes.signal(context, args),
  }),
] as const;

function sentForPeople(result: Sent | Answered): string {
  if (result.runId === null) return result.response;
  return `sent to ${result.pid}${result.queued ? ", after its current run" : ""}`;
}
