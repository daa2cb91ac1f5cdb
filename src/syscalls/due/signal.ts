// signal.*: what follows an event. For an agent each change needs an approval.

import { LIMITS } from "../../abi/config/limits.ts";
import type { Watch, WatchAction } from "../../abi/watch.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { field, syscall, value } from "../define.ts";
import type { WatchedSignals } from "./signal-service.ts";

type Service = { watches: WatchedSignals };

const key = field.text("its name", { shortest: 1, longest: 64, meta: "KEY", of: "watch" });

export const WATCH_INPUT = {
  signal: field.text("the event, such as chat.complete or process.*", {
    ...{ positional: true, shortest: 1, longest: 64, meta: "EVENT", of: "event" },
  }),
  text: field.optional(
    field.text("with --send: the message", {
      ...{ positional: true, shortest: 1, longest: LIMITS.messageCharsMax, meta: "TEXT" },
    }),
  ),
  send: field.optional(field.pid("process that gets the text and the event", { meta: "PID" })),
  exec: field.optional(
    field.text("command in gsv's shell, with the event on stdin", {
      ...{ shortest: 1, longest: LIMITS.messageCharsMax, meta: "COMMAND" },
    }),
  ),
  notify: field.optional(
    field.text("title of a notification", {
      ...{ shortest: 1, longest: LIMITS.notificationTitleCharsMax, meta: "TEXT" },
    }),
  ),
  pid: field.optional(field.pid("only events of this process", { meta: "PID" })),
  where: field.optional(
    field.text(`condition, such as 'data.status == "error"'`, { shortest: 1, longest: 1000, meta: "CONDITION" }),
  ),
  once: field.flag("only the first event"),
  ttl: field.optional(field.text("time until it expires (default 24h)", { longest: 20, meta: "TIME" })),
  key: field.optional({ ...key, doc: "its name; a watch of that name is replaced" }),
  state: field.optional(field.object("data to hand over with each event", { hide: "cli" })),
};

export const signalCalls = [
  syscall({
    name: "signal.watch",
    summary: "Do something when an event happens",
    class: "keyed",
    once: "answer",
    by: "approved",
    input: WATCH_INPUT,
    cli: {
      ...{ hidden: true, print: value(addedText) },
      examples: [
        'gsv on chat.complete --pid task:abc123 --once --notify "The audit is done"',
        `gsv on chat.complete --where 'data.status == "error"' --send init:1000 "A run failed."`,
        `gsv on 'process.*' --key life --ttl 7d --exec 'cat >> ~/life.jsonl'`,
      ],
    },
    run: ({ watches }: Service, args, context) => watches.watch(context, args),
  }),

  syscall({
    name: "signal.unwatch",
    summary: "Remove a watch",
    class: "keyed",
    once: "answer",
    by: "approved",
    capability: "signal.watch",
    input: { key: { ...key, positional: true } },
    cli: {
      ...{ hidden: true, examples: ["gsv on --rm life"] },
      print: value((result: { key: string }) => `removed ${result.key}`),
    },
    run: ({ watches }: Service, args, context) => watches.unwatch(context, args.key),
  }),

  syscall({
    name: "signal.list",
    summary: "List watches",
    class: "read",
    capability: "signal.watch",
    input: {},
    cli: {
      ...{ hidden: true, examples: ["gsv on --list"] },
      print: {
        kind: "table",
        rows: (result: { watches: readonly Watch[] }) => result.watches,
        empty: "(no watches)",
        columns: [
          { head: "KEY", cell: (row: Watch) => row.key },
          {
            ...{ head: "STATE", cell: (row: Watch) => row.status },
            tone: (row: Watch) => (row.status === "failed" ? "bad" : undefined),
          },
          { head: "EVENT", cell: (row: Watch) => row.signal },
          { head: "PID", cell: (row: Watch) => row.pid ?? "-" },
          { head: "FIRED", cell: (row: Watch) => String(row.fired), align: "right" },
          { head: "LAST", since: (row: Watch) => row.lastAt ?? Number.NaN },
          { head: "EXPIRES", since: "expiresAt", minor: 1 },
          { head: "DOES", cell: (row: Watch) => actionText(row.action), shrink: true },
          { head: "WHERE", cell: (row: Watch) => reveal(row.where ?? ""), below: true },
          { head: "ERROR", cell: (row: Watch) => reveal(row.error ?? ""), below: true },
        ],
      },
    },
    run: ({ watches }: Service, _args, { caller }) => watches.list(caller),
  }),
] as const;

function addedText({ key: name, signal, pid, once, action }: Watch): string {
  const of = pid === null ? "" : ` of ${pid}`;
  return `${name}: on ${once ? "the next " : ""}${signal}${of}, ${actionText(action)}`;
}

function actionText(action: WatchAction): string {
  const text = reveal(action.text.split("\n", 1)[0] ?? "");
  switch (action.kind) {
    case "send":
      return `${action.pid}: ${text}`;
    case "exec":
      return `$ ${text}`;
    case "notify":
      return `notify: ${text}`;
  }
}
