// Schedules and their occurrences as text. Pure.

import { exactUsd } from "../../abi/process/money.ts";
import type { Occurrence, OccurrenceState, ScheduleInfo, ScheduleTarget, Timing } from "../../abi/schedule.ts";
import { isoTime, type When } from "../../lib/text/days.ts";
import { reveal } from "../../lib/text/sanitize.ts";
import type { Tone } from "../../lib/text/tones.ts";
import type { AddedSchedule, Instants, ShownSchedule } from "./sched-service.ts";

const MARKS: { readonly [S in OccurrenceState]: string } = {
  claimed: "·",
  queued: "·",
  running: "▸",
  blocked: "?",
  ok: "✓",
  error: "✗",
  aborted: "✗",
  limit: "✗",
  unavailable: "✗",
  skipped: "–",
  unknown: "?",
};

export function stateText(state: OccurrenceState): string {
  return `${MARKS[state]} ${state === "claimed" ? "starting" : state}`;
}

export function toneOfState(state: OccurrenceState): Tone | undefined {
  const mark = MARKS[state];
  return mark === "✓" ? "good" : mark === "✗" ? "bad" : mark === "?" ? "needs" : "faint";
}

export function timeText(timing: Timing): string {
  switch (timing.kind) {
    case "at":
      return "once";
    case "every":
      return `every ${intervalText(timing.everyMs)}`;
    case "cron":
      return timing.zone === "UTC" ? timing.expr : `${timing.expr} ${timing.zone}`;
  }
}

function intervalText(ms: number): string {
  const units = [
    ["w", 604_800_000],
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
  ] as const;
  for (const [unit, size] of units) if (ms % size === 0) return `${ms / size}${unit}`;
  return `${ms / 1000}s`;
}

export function targetText(target: ScheduleTarget): string {
  const text = reveal(target.text.split("\n")[0] ?? "");
  switch (target.kind) {
    case "message":
      return `${target.pid}: ${text}`;
    case "event":
      return `event for ${target.pid}: ${text}`;
    case "task":
      return `new task: ${text}`;
    case "exec":
      return `${target.target === "host" ? "!" : "$"} ${text}`;
  }
}

export function lastText({ last }: Pick<ScheduleInfo, "last">): string {
  return last === null ? "-" : stateText(last.state);
}

export function costText(micros: number): string {
  return micros === 0 ? "-" : exactUsd(micros);
}

export function scheduleText(info: ShownSchedule, when: When = isoTime): string {
  const { name, timing, target, rules, last } = info;
  const rest = [
    `overlap ${rules.overlap}`,
    `catch-up ${rules.catchUp}`,
    ...(rules.jitterMs > 0 ? [`jitter ${intervalText(rules.jitterMs)}`] : []),
    rules.failuresMax === 0 ? "never paused" : `paused after ${rules.failuresMax} failures`,
  ];
  return [
    `Schedule: ${name}`,
    `Time: ${timeText(timing)}`,
    `Starts: ${targetText(target)}`,
    ...(target.kind === "task" && target.policy !== undefined ? [`Policy: ${JSON.stringify(target.policy)}`] : []),
    `Rules: ${rest.join(", ")}`,
    `Creator: ${info.creator}`,
    ...(info.file === null ? [] : [`File: ${info.file}`]),
    ...(info.pausedWhy === null ? [] : [`Paused: ${reveal(info.pausedWhy)}`]),
    `Last: ${last === null ? "-" : occurrenceText({ ...last }, when)}`,
    `Runs: ${info.runs}`,
    `Cost: ${costText(info.costMicros)}`,
    `Next: ${info.next.length === 0 ? "-" : info.next.map((at) => when(at)).join("\n      ")}`,
  ].join("\n");
}

export function addedText(added: AddedSchedule, when: When = isoTime): string {
  const [first] = added.next;
  const next = first === undefined ? "" : `, next: ${when(first)}`;
  return `${added.name}: ${added.enabled ? timeText(added.timing) : "paused"}${next}`;
}

export function instantsText({ timing, next }: Instants, when: When = isoTime): string {
  return [timeText(timing), ...next.map((at) => `  ${when(at)}`)].join("\n");
}

type Shown = Pick<Occurrence, "scheduledAt" | "state" | "error" | "result">;

export function occurrenceText({ scheduledAt, state, error, result }: Shown, when: When = isoTime): string {
  const says = error ?? result.line;
  return [when(scheduledAt), stateText(state), result.pid ?? "", says === undefined ? "" : reveal(says)]
    .filter((text) => text !== "")
    .join("  ");
}
