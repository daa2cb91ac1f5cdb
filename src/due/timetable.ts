// When a schedule is due: its instants, what of them runs after a time without a kernel, and how an occurrence waits for the one before.
// Pure.

import { SysError } from "../abi/errno.ts";
import { CATCH_UP_MAX, INTERVAL_MS_MIN, type Timing } from "../abi/schedule.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { Due, Plan } from "../store/kernel/due/occurrences.ts";
import type { Next, ScheduleRow } from "../store/kernel/due/schedules.ts";
import { type Cron, cronOf, nextOfCron } from "./cron.ts";
import { instantOf, spanMs, WHEN_FORMS } from "./when.ts";
import { zoneNamed } from "./zone.ts";

/** `every 10m`, a cron expression, or an instant. */
export function timingOf(text: string, now: number, given: string): Timing {
  const zone = zoneNamed(given);
  const words = text.trim();
  const [, every] = /^every\s+(.+)$/i.exec(words) ?? [];
  if (every !== undefined) return { kind: "every", everyMs: intervalOf(every), anchor: now };
  if (/^@|(?:^|\s)\*|^\S+(?:\s+\S+){4,}$/.test(words)) {
    const cron = cronOf(words, zone);
    return { kind: "cron", expr: cron.expr, zone: cron.zone };
  }
  return { kind: "at", at: Math.max(now, instantOf(words, now, zone)) };
}

function intervalOf(text: string): number {
  const ms = spanMs(/^[a-z]+$/i.test(text.trim()) ? `1 ${text}` : text);
  const quoted = JSON.stringify(text.slice(0, 60).toWellFormed());
  if (ms === null)
    throw new SysError("EINVAL", `not an interval: every ${quoted}`, ["for example: every 10m, every 2 hours"]);
  if (ms < INTERVAL_MS_MIN)
    throw new SysError("EINVAL", `interval below one second: every ${quoted}`, ["the shortest is: every 1s"]);
  return ms;
}

export const TIMING_FORMS = `${WHEN_FORMS}; every 10m; 0 9 * * mon-fri; @daily`;

const crons = new Map<string, Cron>();
const CRONS_MAX = 1000;

function cronFor({ expr, zone }: { readonly expr: string; readonly zone: string }): Cron {
  const key = `${zone} ${expr}`;
  const known = crons.get(key);
  if (known !== undefined) return known;
  if (crons.size >= CRONS_MAX) crons.clear();
  const cron = cronOf(expr, zone);
  crons.set(key, cron);
  return cron;
}

/** The first instant after `after`; null if none follows. */
function nextOf(timing: Timing, after: number): number | null {
  switch (timing.kind) {
    case "at":
      return timing.at > after ? timing.at : null;
    case "every": {
      const { everyMs, anchor } = timing;
      return anchor + (Math.max(0, Math.floor((after - anchor) / everyMs)) + 1) * everyMs;
    }
    case "cron":
      return nextOfCron(cronFor(timing), after);
  }
}

export function nextFive(timing: Timing, after: number): readonly number[] {
  const instants: number[] = [];
  for (let at = nextOf(timing, after); at !== null && instants.length < 5; at = nextOf(timing, at)) instants.push(at);
  return instants;
}

type Timed = Pick<ScheduleRow, "id" | "timing" | "rules">;

/** What the row stores as its next instant. */
export function nextAfter(schedule: Timed, after: number): Next {
  const nominalAt = nextOf(schedule.timing, after);
  return { nominalAt, nextAt: nominalAt === null ? null : nominalAt + jitterOf(schedule, nominalAt) };
}

/** The same for the same occurrence. */
function jitterOf({ id, rules: { jitterMs } }: Timed, at: number): number {
  return jitterMs === 0 ? 0 : Number.parseInt(sha256Hex(`${id} ${at}`).slice(0, 12), 16) % (jitterMs + 1);
}

/** An occurrence that is later than this was missed: no kernel was there, or the computer slept. */
const MISSED_MS = 60_000;

export function planOf({ schedule, open }: Due, now: number, newId: () => string): Plan {
  const { timing, rules } = schedule;
  const first = schedule.nominalAt ?? now;
  const { instants, earlier } = instantsIn(timing, first, now);
  const latest = instants.at(-1) ?? first;
  const next = nextAfter(schedule, latest);
  const isMissed = now - latest - jitterOf(schedule, latest) > MISSED_MS;
  const occurrence = (at: number) => ({ id: newId(), scheduledAt: at, error: null, result: {} });
  if (rules.catchUp === "none" && isMissed) {
    const missed = `missed: gsv was not running (${countText(instants.length, earlier)})`;
    return { occurrences: [{ ...occurrence(latest), state: "skipped", error: missed }], next };
  }
  if (rules.catchUp === "all" && instants.length > 1) {
    const isFree = open.length === 0;
    const occurrences = instants.map((at, index) => {
      const state = isFree && index === 0 ? ("claimed" as const) : ("queued" as const);
      return { ...occurrence(at), state };
    });
    return { occurrences, next };
  }
  const missed = instants.length - 1;
  const planned = { ...occurrence(latest), result: missed > 0 ? { missed } : {} };
  return { occurrences: [{ ...planned, ...overlapOf(schedule, open) }], next };
}

function countText(count: number, hasEarlier: boolean): string {
  return `${hasEarlier ? "more than " : ""}${count} ${count === 1 ? "occurrence" : "occurrences"}`;
}

function overlapOf({ rules }: ScheduleRow, open: Due["open"]): Pick<Plan["occurrences"][number], "state" | "error"> {
  if (open.length === 0) return { state: "claimed", error: null };
  switch (rules.overlap) {
    case "skip":
      return { state: "skipped", error: "the previous occurrence has not ended" };
    case "queue":
      return open.some(({ state }) => state === "queued")
        ? { state: "skipped", error: "one occurrence waits already" }
        : { state: "queued", error: null };
    case "replace":
      return { state: "queued", error: null };
  }
}

const HOUR_MS = 3_600_000;

/** The last instants from `first` to `now`, at most as many as may be caught up; `earlier` if there are more. */
function instantsIn(
  timing: Timing,
  first: number,
  now: number,
): { readonly instants: readonly number[]; readonly earlier: boolean } {
  for (let window = HOUR_MS; ; window *= 4) {
    const from = Math.max(first - 1, now - window);
    const instants: number[] = [];
    let count = 0;
    for (let at = nextOf(timing, from); at !== null && at <= now; at = nextOf(timing, at)) {
      instants.push(at);
      count++;
      if (instants.length > CATCH_UP_MAX) instants.shift();
    }
    const isWhole = from === first - 1;
    if (isWhole || count >= CATCH_UP_MAX) return { instants, earlier: count > CATCH_UP_MAX || !isWhole };
  }
}
