// session.start, session.resume and session.stop: the life of a session as one call each.

import { MAIN_SESSION_KEY } from "../../abi/process/session.ts";
import { field, syscall } from "../define.ts";
import type { SessionBegun, SessionLife, SessionStopped } from "./session-service.ts";

type Service = { sessions: SessionLife };

const key = field.text("the session", { positional: true, shortest: 1, longest: 300, meta: "KEY", of: "session" });
const prompt = field.optional(
  field.text("the first message; the session's own when left out", { positional: true, shortest: 1, meta: "PROMPT" }),
);
const hidden = (doc: string) => field.optional(field.text(doc, { shortest: 1, longest: 300, hide: "cli" }));
export const aboutSession = {
  source: hidden("of a session without a key: the channel of its messages"),
  sender: hidden("who writes in it, in the channel's spelling"),
  agent: hidden("of a session without a key: the agent"),
  project: hidden("of a session without a key: the project"),
  name: hidden("of a session without a key: the label of its process"),
  workDir: hidden("of a session without a key: the working directory"),
  initialPrompt: hidden("of a session without a key: the message that a start without a prompt sends"),
};

export const sessionLifeCalls = [
  syscall({
    name: "session.start",
    summary: "Start a session from the beginning",
    class: "keyed",
    once: "answer",
    by: "person",
    input: {
      key,
      prompt,
      depth: field.optional(
        field.int("how many sessions started each other before it", { min: 0, max: 100, hide: "cli" }),
      ),
      unattended: field.flag("deny what would need approval: nobody is there"),
      ...aboutSession,
    },
    cli: {
      examples: [`gsv session start ${MAIN_SESSION_KEY} "Summarize my workspace"`],
      print: { kind: "value", text: (result: SessionBegun) => begunText("started", result) },
    },
    run: ({ sessions }: Service, args, context) => sessions.start(context, args),
  }),

  syscall({
    name: "session.resume",
    summary: "Continue a session",
    class: "keyed",
    once: "answer",
    by: "person",
    input: { key, prompt, ...aboutSession },
    cli: {
      examples: [`gsv session resume ${MAIN_SESSION_KEY}`],
      print: { kind: "value", text: (result: SessionBegun) => begunText("continues", result) },
    },
    run: ({ sessions }: Service, args, context) => sessions.resume(context, args),
  }),

  syscall({
    name: "session.stop",
    summary: "Stop a session until it is resumed",
    class: "keyed",
    once: "answer",
    by: "person",
    input: { key },
    cli: {
      examples: [`gsv session stop ${MAIN_SESSION_KEY}`],
      print: {
        kind: "value",
        text: ({ key: named, stopped }: SessionStopped) =>
          stopped ? `Session '${named}': stopped` : `Session '${named}': nothing to stop`,
      },
    },
    run: ({ sessions }: Service, args, context) => sessions.stop(context, args.key),
  }),
] as const;

function begunText(word: string, { key: named, pid, runId }: SessionBegun): string {
  return `Session '${named}' ${word} as ${pid}${runId === null ? "; it has nothing to do yet" : ""}`;
}
