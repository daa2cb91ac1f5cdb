// session.*: addresses of processes. A session has a key, a process, and a sequence of conversations.

import { LIMITS } from "../../abi/config/limits.ts";
import { DEFAULT_SESSION, MAIN_SESSION_KEY } from "../../abi/process/session.ts";
import { field, syscall, value } from "../define.ts";
import type {
  SessionBegun,
  SessionLife,
  SessionLine,
  SessionStopped,
  Sessions,
  SessionViews,
} from "./session-service.ts";
import {
  addressText,
  changedText,
  compactedText,
  historyText,
  infoText,
  resetText,
  restoredText,
  sessionLine,
  statsText,
} from "./session-text.ts";

type Service = { sessions: SessionLife };

const key = field.text("the session", { positional: true, shortest: 1, longest: 300, meta: "KEY", of: "session" });
const prompt = field.optional(
  field.text("first message (default: the session's own)", { positional: true, shortest: 1, meta: "PROMPT" }),
);
const hidden = (doc: string, longest = 300) => field.optional(field.text(doc, { shortest: 1, longest, hide: "cli" }));
const aboutSession = {
  source: hidden("channel of a session without a key"),
  sender: hidden("sender, in the channel's spelling"),
  agent: hidden("agent of a session without a key"),
  project: hidden("project of a session without a key"),
  name: hidden("label of the process of a session without a key"),
  workDir: hidden("working directory of a session without a key", LIMITS.pathBytesMax),
  initialPrompt: hidden("message of a session without a key, sent by a start without a prompt", LIMITS.messageCharsMax),
};

function begunText(word: string, { key: named, pid, runId }: SessionBegun): string {
  return `Session '${named}' ${word} as ${pid}${runId === null ? "; it has nothing to do yet" : ""}`;
}

const details = field.flag("also its origin, directory, first message and cost", { hide: "cli" });

const KEEP_DEFAULT = 20;
const LIST_DEFAULT = 50;

export const sessionKey = field.withDefault(
  field.text("the session (default: session.defaultKey)", {
    positional: true,
    shortest: 1,
    longest: LIMITS.sessionKeyCharsMax,
    meta: "KEY",
    of: "session",
  }),
  DEFAULT_SESSION,
);
const token = (doc: string, meta: string) => field.text(doc, { shortest: 1, longest: 200, meta });

export const sessionCalls = [
  syscall({
    name: "session.list",
    summary: "List sessions, most recently active first",
    class: "read",
    input: {
      limit: field.withDefault(
        field.int("maximum number of sessions", { min: 1, max: LIMITS.listPageMax, letter: "l", meta: "N" }),
        LIST_DEFAULT,
      ),
      details,
    },
    cli: {
      examples: ["gsv session list", "gsv session list --limit 10"],
      print: {
        kind: "list",
        rows: (result: { sessions: readonly SessionLine[] }) => result.sessions,
        head: ({ sessions }: { sessions: readonly SessionLine[] }) => `Sessions (${sessions.length}):`,
        line: sessionLine,
        empty: "No sessions found",
      },
    },
    run: ({ sessions }: { sessions: SessionViews }, args, { caller }) => sessions.list(caller, args),
  }),

  syscall({
    name: "session.get",
    summary: "Show conversation, settings and reset policy",
    class: "read",
    input: { key: sessionKey, details },
    cli: { examples: ["gsv session get", `gsv session get ${MAIN_SESSION_KEY}`], print: value(infoText) },
    run: ({ sessions }: { sessions: SessionViews }, args, { caller }) => sessions.get(caller, args.key, args.details),
  }),

  syscall({
    name: "session.stats",
    summary: "Show the tokens a conversation has used",
    class: "read",
    input: { key: sessionKey },
    cli: { examples: ["gsv session stats", `gsv session stats ${MAIN_SESSION_KEY} --json`], print: value(statsText) },
    run: ({ sessions }: { sessions: SessionViews }, args, { caller }) => sessions.stats(caller, args.key),
  }),

  syscall({
    name: "session.history",
    summary: "List the conversations of a session, newest first",
    class: "read",
    input: { key: sessionKey },
    cli: {
      examples: ["gsv session history", `gsv session history ${MAIN_SESSION_KEY} --json`],
      print: value(historyText),
    },
    run: ({ sessions }: { sessions: SessionViews }, args, { caller }) => sessions.history(caller, args.key),
  }),

  syscall({
    name: "session.messages",
    summary: "List messages of a session, without tool output",
    class: "read",
    input: {
      key: sessionKey,
      after: field.withDefault(field.int("only messages with a higher number", { meta: "ID" }), 0),
      limit: field.withDefault(
        field.int("maximum number of messages", { min: 1, max: LIMITS.historyPageMax, meta: "N" }),
        LIMITS.historyPageDefault,
      ),
    },
    run: ({ sessions }: { sessions: SessionViews }, args, { caller }) => sessions.messages(caller, args),
  }),

  syscall({
    name: "session.reset",
    summary: "Archive the conversation and start a new one",
    class: "keyed",
    input: { key: sessionKey },
    cli: { examples: ["gsv session reset", `gsv session reset ${MAIN_SESSION_KEY}`], print: value(resetText) },
    run: ({ sessions }: { sessions: Sessions }, args, context) => sessions.reset(context, args.key),
  }),

  syscall({
    name: "session.compact",
    summary: "Summarize the older messages of a session",
    class: "keyed",
    input: {
      key: sessionKey,
      keep: field.withDefault(
        field.int("number of newest messages to keep", { min: 1, max: 100_000, letter: "k", meta: "N" }),
        KEEP_DEFAULT,
      ),
    },
    cli: {
      examples: ["gsv session compact", `gsv session compact ${MAIN_SESSION_KEY} --keep 20`],
      print: value(compactedText),
    },
    run: ({ sessions }: { sessions: Sessions }, args, context) => sessions.compact(context, args),
  }),

  syscall({
    name: "session.set",
    summary: "Set model, thinking, label or reset policy",
    class: "keyed",
    by: "person",
    input: {
      key: field.text("the session", { positional: true, longest: 300, meta: "KEY", of: "session" }),
      path: field.text("what: label, model.provider, model.id, thinkingLevel, systemPrompt, maxTokens, resetPolicy.…", {
        positional: true,
        longest: 100,
        meta: "PATH",
        of: "session-path",
      }),
      value: field.text("JSON or text; empty unsets it", {
        positional: true,
        longest: LIMITS.contextFileBytesMax,
        meta: "VALUE",
      }),
      create: field.flag("make the session if the key was never used"),
    },
    cli: {
      examples: [
        `gsv session set ${MAIN_SESSION_KEY} resetPolicy.mode "idle"`,
        `gsv session set ${MAIN_SESSION_KEY} resetPolicy.idleMinutes 30`,
        "gsv session set main model.provider openai",
        "gsv session set main model.id gpt-4.1",
        "gsv session set main thinkingLevel high",
      ],
      print: value(changedText),
    },
    run: ({ sessions }: { sessions: Sessions }, args, context) => sessions.set(context, args),
  }),

  syscall({
    name: "session.restore",
    summary: "Continue an archived conversation",
    class: "keyed",
    by: "person",
    input: {
      id: field.text("id of the conversation or archive, or a prefix of it", {
        positional: true,
        shortest: 1,
        longest: 36,
        meta: "ID",
        of: "conversation",
      }),
    },
    cli: { examples: ["gsv session restore 3f2a91bc"], print: value(restoredText) },
    run: ({ sessions }: { sessions: Sessions }, args, context) => sessions.restore(context, args.id),
  }),

  syscall({
    name: "session.route",
    summary: "Show the session that messages go to",
    class: "read",
    input: {
      peer: field.text("sender of the messages", { positional: true, shortest: 1, longest: 200, meta: "PEER" }),
      channel: field.withDefault(token("where", "CHANNEL"), "cli"),
      account: field.withDefault(token("account on the channel", "ACCOUNT"), "default"),
      agent: field.optional(token("agent (default: your personal agent)", "AGENT")),
    },
    cli: {
      examples: ["gsv session route alice", "gsv session route 4711 --channel telegram --account bot"],
      print: value(addressText),
    },
    run: ({ sessions }: { sessions: SessionViews }, args, { caller }) => sessions.route(caller, args),
  }),

  syscall({
    name: "session.open",
    summary: "Show or create the process of a session",
    class: "keyed",
    by: "person",
    input: { key: sessionKey, ...aboutSession },
    run: ({ sessions }: { sessions: Sessions }, { key, ...about }, context) => sessions.open(context, key, about),
  }),

  syscall({
    name: "session.start",
    summary: "Start a session from the beginning",
    class: "keyed",
    by: "person",
    input: {
      key,
      prompt,
      depth: field.optional(
        field.int("number of sessions that started each other before it", { min: 0, max: 100, hide: "cli" }),
      ),
      unattended: field.flag("deny calls that need approval"),
      ...aboutSession,
    },
    cli: {
      examples: [`gsv session start ${MAIN_SESSION_KEY} "Summarize my workspace"`],
      print: value((result: SessionBegun) => begunText("started", result)),
    },
    run: ({ sessions }: Service, args, context) => sessions.start(context, args),
  }),

  syscall({
    name: "session.resume",
    summary: "Continue a session",
    class: "keyed",
    by: "person",
    input: { key, prompt, ...aboutSession },
    cli: {
      examples: [`gsv session resume ${MAIN_SESSION_KEY}`],
      print: value((result: SessionBegun) => begunText("continues", result)),
    },
    run: ({ sessions }: Service, args, context) => sessions.resume(context, args),
  }),

  syscall({
    name: "session.stop",
    summary: "Stop a session until it is resumed",
    class: "keyed",
    by: "person",
    input: { key },
    cli: {
      examples: [`gsv session stop ${MAIN_SESSION_KEY}`],
      print: value(({ key: named, stopped }: SessionStopped) =>
        stopped ? `Session '${named}': stopped` : `Session '${named}': nothing to stop`,
      ),
    },
    run: ({ sessions }: Service, args, context) => sessions.stop(context, args.key),
  }),

  syscall({
    name: "session.remove",
    summary: "End a session, archive its process and forget it",
    class: "keyed",
    by: "person",
    input: { key },
    run: ({ sessions }: { sessions: Sessions }, args, context) => sessions.remove(context, args.key),
  }),
] as const;
