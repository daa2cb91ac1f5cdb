// Schedules as people see them. Needs no kernel.

import { SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import type { Occurrence, ScheduleInfo } from "../abi/schedule.ts";
import type { Clock } from "../lib/clock.ts";
import { clip } from "../lib/text/truncate.ts";
import type { OccurrenceRow } from "../store/kernel/due/occurrences.ts";
import type { ScheduleRow } from "../store/kernel/due/schedules.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { Schedules, ShownSchedule } from "../syscalls/due/sched-service.ts";
import type { DefaultZone } from "./default-zone.ts";
import { nextFive, timingOf } from "./timetable.ts";

export interface ScheduleViewPorts {
  readonly kernel: Pick<KernelStore, "schedules" | "occurrences" | "due" | "accounts" | "processes" | "config">;
  readonly clock: Clock;
  readonly zone: DefaultZone;
}

export const SCHEDULE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function scheduleViews({
  kernel,
  clock,
  zone,
}: ScheduleViewPorts): Pick<Schedules, "list" | "get" | "due" | "next" | "history"> {
  return {
    async list({ ownerUid }, { after, limit }) {
      const rows = await kernel.schedules.list({ ownerUid, limit, ...(after !== undefined && { after }) });
      const schedules = await infosOf(kernel, rows);
      return { schedules, next: rows.length < limit ? null : (rows.at(-1)?.name ?? null) };
    },
    async get(caller, name) {
      return await shownSchedule(kernel, await scheduleNamed(kernel, caller, name), clock.now());
    },
    due: async ({ ownerUid }, { limit }) => ({ due: await kernel.due.next({ ownerUid, limit }) }),
    async next(context, { when, tz }) {
      const { ownerUid } = context.caller;
      const known = SCHEDULE_NAME.test(when) ? await kernel.schedules.named(ownerUid, when) : null;
      const timing = known?.timing ?? timingOf(when, clock.now(), tz ?? (await zone(context)));
      return { timing, next: nextFive(timing, clock.now() - 1) };
    },
    async history(caller, { schedule, limit }) {
      const of = schedule === undefined ? {} : { scheduleId: (await scheduleNamed(kernel, caller, schedule)).id };
      const rows = await kernel.occurrences.history({ ownerUid: caller.ownerUid, limit, ...of });
      return { occurrences: rows.map(occurrenceInfo) };
    },
  };
}

export async function scheduleNamed(
  kernel: Pick<KernelStore, "schedules">,
  { ownerUid }: Caller,
  name: string,
): Promise<ScheduleRow> {
  const row = await kernel.schedules.named(ownerUid, name);
  if (row !== null) return row;
  throw new SysError("ENOENT", `no such schedule: ${clip(name)}`, ["to list yours: gsv sched list"]);
}

async function infosOf(kernel: ScheduleViewPorts["kernel"], rows: readonly ScheduleRow[]): Promise<ScheduleInfo[]> {
  const last = await kernel.occurrences.last(rows.map(({ id }) => id));
  const names = new Map<number, string>();
  const nameOf = async (uid: number) => {
    const known = names.get(uid) ?? (await kernel.accounts.byUid(uid))?.username ?? String(uid);
    names.set(uid, known);
    return known;
  };
  return await Promise.all(
    rows.map(async (row) => {
      const { name, timing, target, rules, enabled, pausedWhy, nextAt, runs, costMicros, createdAt, file } = row;
      const about = { name, timing, target, rules, enabled, pausedWhy, nextAt, runs, costMicros, createdAt, file };
      const creator = row.creator.pid ?? (await nameOf(row.creator.uid));
      const latest = last.get(row.id);
      return {
        ...about,
        ...{ owner: await nameOf(row.ownerUid), creator },
        last: latest === undefined ? null : occurrenceInfo(latest),
      };
    }),
  );
}

export async function shownSchedule(
  kernel: ScheduleViewPorts["kernel"],
  row: ScheduleRow,
  now: number,
): Promise<ShownSchedule> {
  const [info] = await infosOf(kernel, [row]);
  return { ...info!, next: row.enabled ? nextFive(row.timing, row.timing.kind === "at" ? now - 1 : now) : [] };
}

export function occurrenceInfo(row: OccurrenceRow): Occurrence {
  const { id, schedule, scheduledAt, startedAt, finishedAt, state, error, result } = row;
  return { id, schedule, scheduledAt, startedAt, finishedAt, state, error, result };
}
