// sched.*: what gsv starts by itself. People add and change schedules. For an agent each change needs an approval.

import { LIMITS } from "../../abi/config/limits.ts";
import { CATCH_UPS, type DueItem, type Occurrence, OVERLAPS, type ScheduleInfo } from "../../abi/schedule.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import { field, syscall, value } from "../define.ts";
import type { AddedSchedule, Schedules, ShownSchedule } from "./sched-service.ts";
import {
  addedText,
  costText,
  instantsText,
  lastText,
  occurrenceText,
  scheduleText,
  stateText,
  targetText,
  timeText,
  toneOfState,
} from "./sched-text.ts";

type Service = { schedules: Schedules };

const schedule = field.text("the schedule", {
  positional: true,
  shortest: 1,
  longest: 64,
  meta: "NAME",
  of: "schedule",
});
const when = field.text("17:30, tomorrow 9am, in 20 minutes, every 10m, @daily, or a cron expression", {
  ...{ positional: true, shortest: 1, longest: LIMITS.messageCharsMax, meta: "WHEN" },
});
const text = field.text("the message, the prompt of a new task, or the command", {
  ...{ positional: true, shortest: 1, longest: LIMITS.messageCharsMax, stdin: true, meta: "TEXT" },
});
const name = field.optional(field.text("its name", { shortest: 1, longest: 64, meta: "NAME" }));
const tz = field.optional(field.text("time zone (default: server.timezone)", { longest: 64, meta: "ZONE" }));

const started = {
  pid: field.optional(field.pid("process that gets the message (default: your init)", { meta: "PID" })),
  event: field.flag("deliver the text to the process as an event of gsv"),
  new: field.flag("start a new task with the text as prompt"),
  exec: field.flag("run the text as a command in gsv's shell"),
  host: field.flag("with --exec: run it on this computer"),
  model: field.optional(field.text("with --new: model to use", { longest: 300, meta: "MODEL" })),
  budget: field.optional(
    field.text("with --new: budget of each task, such as '$1,10m'", { longest: 100, meta: "BUDGET" }),
  ),
  workspace: field.optional(
    field.text("with --new: new, none, an id or a directory of this computer", { longest: 4096, of: "workspace" }),
  ),
  cwd: field.optional(field.path("with --new or --exec: working directory", { meta: "PATH" })),
  as: field.optional(field.text("with --new: account it acts as", { longest: 32, meta: "ACCOUNT", of: "agent" })),
  policy: field.optional(
    field.text("with --new: policy of the tasks as JSON, or none (person only)", { longest: 64 * 1024, meta: "JSON" }),
  ),
};

const rules = {
  overlap: field.optional(
    field.choice("if the previous one has not ended (default: skip)", OVERLAPS, { meta: "RULE" }),
  ),
  catchUp: field.optional(
    field.choice("which missed ones run later (default: one)", CATCH_UPS, { flag: "catch-up", meta: "RULE" }),
  ),
  jitter: field.optional(field.text("random delay of at most this, such as 30s", { longest: 20, meta: "TIME" })),
  pauseAfter: field.optional(
    field.int("failures in a row that pause it; 0 for never (default: 3)", {
      ...{ flag: "pause-after", min: 0, max: 1000, meta: "N" },
    }),
  ),
};

const added = {
  kind: "value",
  text: addedText,
  cut: ({ note }: AddedSchedule) => note,
} as const;

export const schedCalls = [
  syscall({
    name: "sched.list",
    summary: "List schedules",
    class: "read",
    input: {
      after: field.optional(field.text("cursor of the next page", { longest: 100, hide: "both" })),
      limit: field.withDefault(field.int("rows of a page", { min: 1, max: LIMITS.listPageMax, hide: "both" }), 500),
    },
    cli: {
      examples: ["gsv sched list", "gsv sched list --json"],
      print: {
        kind: "table",
        rows: (result: { schedules: readonly ScheduleInfo[] }) => result.schedules,
        empty: "(no schedules; to add one: gsv man schedules)",
        pages: { rows: "schedules", next: "next", argument: "after" },
        columns: [
          { head: "NAME", cell: (row: ScheduleInfo) => row.name },
          { head: "TIME", cell: ({ timing, enabled }: ScheduleInfo) => timeText(timing) + (enabled ? "" : ", paused") },
          { head: "NEXT", since: ({ nextAt }: ScheduleInfo) => nextAt ?? Number.NaN },
          {
            ...{ head: "LAST", cell: (row: ScheduleInfo) => lastText(row) },
            tone: ({ last }: ScheduleInfo) => (last === null ? undefined : toneOfState(last.state)),
          },
          { head: "RUNS", cell: (row: ScheduleInfo) => String(row.runs), align: "right", minor: 1 },
          { head: "COST", cell: (row: ScheduleInfo) => costText(row.costMicros), align: "right", minor: 2 },
          { head: "STARTS", cell: (row: ScheduleInfo) => targetText(row.target), shrink: true },
          {
            ...{ head: "WHY", below: true },
            cell: ({ pausedWhy, last }: ScheduleInfo) => reveal(pausedWhy ?? last?.error ?? ""),
          },
        ],
      },
    },
    run: ({ schedules }: Service, args, { caller }) => schedules.list(caller, args),
  }),

  syscall({
    name: "sched.get",
    summary: "Show a schedule and its next five times",
    class: "read",
    capability: "sched.list",
    input: { schedule },
    cli: {
      ...{ hidden: true, examples: ["gsv sched show nightly"] },
      print: value((result: ShownSchedule, shown) => scheduleText(result, shown)),
    },
    run: ({ schedules }: Service, args, { caller }) => schedules.get(caller, args.schedule),
  }),

  syscall({
    name: "sched.next",
    summary: "Show the next five times of a schedule",
    class: "read",
    capability: "sched.list",
    input: {
      when: field.text("the schedule, or a time as for sched add", {
        ...{ positional: true, shortest: 1, longest: LIMITS.messageCharsMax, meta: "NAME|WHEN", of: "schedule" },
      }),
      tz,
    },
    cli: {
      examples: ["gsv sched next nightly", 'gsv sched next "30 2 * * *" --tz Europe/Berlin'],
      print: value(instantsText),
    },
    run: ({ schedules }: Service, args, context) => schedules.next(context, args),
  }),

  syscall({
    name: "sched.due",
    summary: "Show what is due next",
    class: "read",
    capability: "sched.list",
    input: { limit: field.withDefault(field.int("maximum number", { min: 1, max: 100, meta: "N" }), 10) },
    cli: {
      examples: ["gsv sched due", "gsv sched due --limit 1 --json"],
      print: {
        kind: "table",
        rows: (result: { due: readonly DueItem[] }) => result.due,
        empty: "(nothing is due)",
        columns: [
          { head: "DUE", since: "at" },
          { head: "KIND", cell: (row: DueItem) => row.kind },
          { head: "WHAT", cell: (row: DueItem) => reveal(row.what), shrink: true },
        ],
      },
    },
    run: ({ schedules }: Service, args, { caller }) => schedules.due(caller, args),
  }),

  syscall({
    name: "sched.history",
    summary: "Show what became of the occurrences, newest first",
    class: "read",
    capability: "sched.list",
    input: {
      schedule: field.optional(schedule),
      limit: field.withDefault(field.int("maximum number", { min: 1, max: LIMITS.historyPageMax, meta: "N" }), 20),
    },
    cli: {
      examples: ["gsv sched history", "gsv sched history nightly --limit 5 --json"],
      print: {
        kind: "table",
        rows: (result: { occurrences: readonly Occurrence[] }) => result.occurrences,
        empty: "(nothing has run)",
        columns: [
          { head: "SCHEDULE", cell: (row: Occurrence) => row.schedule },
          { head: "AGE", since: "scheduledAt" },
          {
            ...{ head: "STATE", cell: (row: Occurrence) => stateText(row.state) },
            tone: ({ state }: Occurrence) => toneOfState(state),
          },
          { head: "PID", cell: (row: Occurrence) => row.result.pid ?? "-" },
          { head: "COST", cell: (row: Occurrence) => costText(row.result.costMicros ?? 0), align: "right", minor: 1 },
          {
            ...{ head: "ANSWER", shrink: true },
            cell: ({ error, result }: Occurrence) => reveal(error ?? result.line ?? "-"),
          },
        ],
      },
    },
    run: ({ schedules }: Service, args, { caller }) => schedules.history(caller, args),
  }),

  syscall({
    name: "sched.add",
    summary: "Add a schedule",
    class: "keyed",
    once: "answer",
    by: "approved",
    input: { when, text, name, tz, ...started, ...rules },
    cli: {
      examples: [
        'gsv sched add "0 9 * * mon-fri" --new "Summarize the news." --name news',
        'gsv sched add "tomorrow 9am" "Remind me of the release."',
        'gsv sched add "every 10m" --exec "df -h" --name disk',
      ],
      print: added,
    },
    run: ({ schedules }: Service, args, context) => schedules.add(context, args),
  }),

  syscall({
    name: "sched.update",
    summary: "Change a schedule",
    class: "keyed",
    once: "answer",
    by: "approved",
    capability: "sched.add",
    input: {
      schedule,
      when: field.optional({ ...when, positional: false }),
      text: field.optional({ ...text, positional: false }),
      name,
      tz,
      ...started,
      ...rules,
      enabled: field.optional(field.choice("on, or off to pause it", ["on", "off"], { hide: "cli" })),
    },
    cli: {
      ...{ hidden: true, print: added },
      examples: ['gsv sched edit news --when "0 8 * * mon-fri"', "gsv sched edit disk --overlap queue --jitter 30s"],
    },
    run: ({ schedules }: Service, { enabled, ...args }, context) =>
      schedules.update(context, { ...args, ...(enabled !== undefined && { enabled: enabled === "on" }) }),
  }),

  syscall({
    name: "sched.remove",
    summary: "Remove a schedule and its history",
    class: "keyed",
    once: "answer",
    by: "approved",
    capability: "sched.add",
    input: { schedule },
    cli: {
      ...{ hidden: true, examples: ["gsv sched rm news"] },
      print: value((result: { name: string }) => `removed ${result.name}`),
    },
    run: ({ schedules }: Service, args, context) => schedules.remove(context, args.schedule),
  }),

  syscall({
    name: "sched.run",
    summary: "Start a schedule now, besides its times",
    class: "keyed",
    once: "answer",
    by: "approved",
    capability: "sched.add",
    input: { schedule },
    cli: {
      examples: ["gsv sched run news"],
      print: value((row: Occurrence, shown) => `${row.schedule}: ${occurrenceText(row, shown)}`),
    },
    run: ({ schedules }: Service, args, context) => schedules.run(context, args.schedule),
  }),
] as const;
