// The service behind sched.*: checks schedules, stores them and arms the scheduler.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { type Caller, isRoot, mayUse } from "../abi/identity.ts";
import { initPid, uuidv7 } from "../abi/ids.ts";
import { type Policy, parsePolicy } from "../abi/policy.ts";
import { budgetStated } from "../abi/process/budget.ts";
import type { ScheduleRules, ScheduleTarget, Timing } from "../abi/schedule.ts";
import type { ReceiptContext } from "../kernel/dispatch.ts";
import { visibleProcess } from "../kernel/registry.ts";
import { defined } from "../lib/defined.ts";
import type { Creator, ScheduleRow } from "../store/kernel/due/schedules.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { CallContext } from "../syscalls/define.ts";
import type {
  AddedSchedule,
  ScheduleRequest,
  Schedules,
  ShownSchedule,
  WantedRules,
  WantedTarget,
} from "../syscalls/due/sched-service.ts";
import { DEFAULT_RULES, firstOf, newRow } from "./new-schedule.ts";
import type { Scheduler } from "./scheduler.ts";
import { TIMING_FORMS, timingOf } from "./timetable.ts";
import {
  occurrenceInfo,
  SCHEDULE_NAME,
  type ScheduleViewPorts,
  scheduleNamed,
  scheduleViews,
  shownSchedule,
} from "./views.ts";
import { spanMs } from "./when.ts";

export interface SchedulePorts extends ScheduleViewPorts {
  readonly kernel: KernelStore;
  readonly random: (length: number) => Uint8Array;
  readonly scheduler: Pick<Scheduler, "startNow">;
  /** Called after a change of the schedules. */
  readonly arm: () => Promise<void>;
  /** Whether a timer of this computer starts a kernel. */
  readonly wakes: () => boolean;
  /** Throws if there is no such workspace. Returns the whole path of a directory. */
  readonly workspaceAt: (context: CallContext, wanted: string) => Promise<string>;
  /** Throws if the caller cannot start in the directory. */
  readonly directoryAt: (caller: Caller, path: string) => Promise<string>;
  /** The same for a directory of this computer. */
  readonly hostDirectoryAt: (path: string) => string;
}

const DAY_MS = 86_400_000;

export function schedulesService(ports: SchedulePorts): Schedules {
  const { kernel, clock, scheduler } = ports;
  return {
    ...scheduleViews(ports),

    async add(context, request) {
      const row = await rowOf(ports, context, request);
      const added = addedAs(await shownSchedule(kernel, row, clock.now()), clock.now(), ports.wakes());
      await kernel.schedules.add(row, (context as ReceiptContext).receipt?.(added));
      await ports.arm();
      return added;
    },

    async update(context, { schedule: old, when, tz, enabled, name, ...wanted }) {
      const { caller } = context;
      const row = await scheduleNamed(kernel, caller, old);
      refuseFile(row);
      if (name !== undefined && name !== old) await refuseTaken(kernel, caller.ownerUid, name);
      const now = clock.now();
      const timing =
        when === undefined ? zoned(row.timing, tz) : timingOf(when, now, tz ?? (await ports.zone(context)));
      const rules = rulesOf(wanted, row.rules);
      const target = namesTarget(wanted) ? await targetOf(ports, context, wanted, row.target) : row.target;
      const isEnabled = enabled ?? row.enabled;
      const next = isEnabled ? firstOf({ id: row.id, timing, rules }, now) : { nominalAt: null, nextAt: null };
      const pausedWhy = isEnabled ? null : enabled === false ? `paused by ${caller.username}` : row.pausedWhy;
      // The account that changes its target becomes its creator.
      const creator = target === row.target ? row.creator : creatorFrom(caller);
      const change = { ...defined({ name }), timing, rules, target, creator, enabled: isEnabled, pausedWhy, next };
      await kernel.schedules.change(row.id, change, now);
      await ports.arm();
      const shown = await shownSchedule(kernel, await scheduleNamed(kernel, caller, name ?? old), now);
      return addedAs(shown, now, ports.wakes());
    },

    async remove({ caller }, name) {
      const row = await scheduleNamed(kernel, caller, name);
      refuseFile(row);
      await kernel.schedules.remove(row.id);
      await ports.arm();
      return { name };
    },

    async run(context, name) {
      const schedule = await scheduleNamed(kernel, context.caller, name);
      const now = clock.now();
      const about = { scheduleId: schedule.id, ownerUid: schedule.ownerUid, state: "claimed" as const };
      const times = { startedAt: null, finishedAt: null, error: null, result: {} };
      for (let scheduledAt = now; ; scheduledAt++) {
        const row = { ...about, ...times, id: uuidv7(now, ports.random), scheduledAt };
        if (!(await kernel.occurrences.add(row))) continue;
        const occurrence = { ...row, schedule: schedule.name };
        scheduler.startNow(schedule, occurrence);
        return occurrenceInfo(occurrence);
      }
    },
  };
}

function refuseFile({ name, file }: ScheduleRow): void {
  if (file === null) return;
  throw new SysError("EPERM", `schedule ${name} belongs to ${file}`, [`to change it, edit that file: gsv crontab -e`]);
}

async function refuseTaken(kernel: SchedulePorts["kernel"], ownerUid: number, name: string): Promise<void> {
  if (!SCHEDULE_NAME.test(name))
    throw new SysError("EINVAL", `invalid name: ${JSON.stringify(name.slice(0, 60).toWellFormed())}`, [
      "use letters, digits, - _ and ., at most 64",
    ]);
  if ((await kernel.schedules.named(ownerUid, name)) === null) return;
  throw new SysError("EEXIST", `schedule ${name} already exists`, [`to change it: gsv sched edit ${name}`]);
}

async function rowOf(ports: SchedulePorts, context: CallContext, request: ScheduleRequest): Promise<ScheduleRow> {
  const { kernel, clock, random } = ports;
  const { caller } = context;
  const { ownerUid } = caller;
  const now = clock.now();
  const timing = timingOf(request.when, now, request.tz ?? (await ports.zone(context)));
  const target = await targetOf(ports, context, request, null);
  const rules = rulesOf(request, DEFAULT_RULES);
  if ((await kernel.schedules.count(ownerUid)) >= LIMITS.schedulesPerOwnerMax)
    throw new SysError("ELIMIT", `this account already has ${LIMITS.schedulesPerOwnerMax} schedules`, [
      "to list them: gsv sched list; to remove one: gsv sched rm NAME",
    ]);
  const id = uuidv7(now, random);
  const name = request.name ?? `s${id.slice(-6)}`;
  await refuseTaken(kernel, ownerUid, name);
  return newRow({ id, ownerUid, name, creator: creatorFrom(caller), timing, target, rules }, now);
}

function creatorFrom({ uid, pid, dropped }: Caller): Creator {
  return { uid, ...defined({ pid, dropped }) };
}

function zoned(timing: Timing, zone: string | undefined): Timing {
  if (zone === undefined) return timing;
  if (timing.kind !== "cron")
    throw new SysError("EINVAL", "--tz needs a cron expression, or --when", [`WHEN is ${TIMING_FORMS}`]);
  return timingOf(timing.expr, 0, zone);
}

function rulesOf({ overlap, catchUp, jitter, pauseAfter }: WantedRules, before: ScheduleRules): ScheduleRules {
  const jitterMs = jitter === undefined ? undefined : jitter === "0" ? 0 : spanMs(jitter);
  if (jitterMs === null || (jitterMs ?? 0) > DAY_MS)
    throw new SysError("EINVAL", `--jitter ${jitter}: must be a time of at most a day, such as 30s`);
  return { ...before, ...defined({ overlap, catchUp, jitterMs, failuresMax: pauseAfter }) };
}

function namesTarget(wanted: WantedTarget): boolean {
  return Object.keys(defined({ ...wanted, overlap: undefined })).some((key) => TARGET_KEYS.has(key));
}

const TARGET_KEYS = new Set("text pid event new exec host model budget workspace cwd as policy".split(" "));

async function targetOf(
  ports: SchedulePorts,
  context: CallContext,
  wanted: WantedTarget,
  before: ScheduleTarget | null,
): Promise<ScheduleTarget> {
  const { caller } = context;
  const text = wanted.text ?? before?.text;
  if (text === undefined || text.trim() === "") throw new SysError("EINVAL", "nothing to start: the text is empty");
  const kind = kindOf(wanted, before);
  refuseUnused(kind, wanted);
  const old = before?.kind === kind ? before : null;
  switch (kind) {
    case "message":
    case "event": {
      needs(caller, "proc.send");
      const isAddressed = before?.kind === "message" || before?.kind === "event";
      const pid = wanted.pid ?? (isAddressed ? before.pid : initPid(caller.ownerUid));
      await visibleProcess(ports.kernel, caller, pid);
      return { kind, pid, text };
    }
    case "task": {
      needs(caller, "proc.spawn");
      const { model, budget, cwd, as } = wanted;
      if (budget !== undefined) budgetStated(budget);
      const workspace = wanted.workspace === undefined ? undefined : await ports.workspaceAt(context, wanted.workspace);
      // A workspace may be new: relative paths in it are unknown until the start.
      if (cwd !== undefined && (workspace === undefined || /^[/~]/.test(cwd))) await ports.directoryAt(caller, cwd);
      const { policy: given, ...kept } = old?.kind === "task" ? old : {};
      const more = defined({ model, budget, workspace, cwd, as, policy: policyFor(caller, wanted.policy, given) });
      return { ...kept, kind, text, ...more };
    }
    case "exec": {
      needs(caller, "shell.exec");
      const target = wanted.host === true || (old?.kind === "exec" && old.target === "host") ? "host" : "gsv";
      if (target === "host") await refuseHost(ports.kernel, caller);
      const cwd = wanted.cwd ?? (old?.kind === "exec" ? old.cwd : undefined);
      if (target === "gsv" && wanted.cwd !== undefined) await ports.directoryAt(caller, wanted.cwd);
      if (target === "host" && cwd !== undefined) ports.hostDirectoryAt(cwd);
      return { kind, text, target, ...defined({ cwd }) };
    }
  }
}

function kindOf(
  { pid, event, new: isNew, exec, host }: WantedTarget,
  before: ScheduleTarget | null,
): ScheduleTarget["kind"] {
  const named = [
    ...(event ? (["event"] as const) : pid !== undefined ? (["message"] as const) : []),
    ...(isNew ? (["task"] as const) : []),
    ...(exec ? (["exec"] as const) : []),
  ];
  if (named.length > 1) throw new SysError("EINVAL", "use one of --pid, --event, --new and --exec");
  if (host && named[0] !== "exec" && before?.kind !== "exec") throw new SysError("EINVAL", "--host needs --exec");
  return named[0] ?? before?.kind ?? "message";
}

function refuseUnused(kind: ScheduleTarget["kind"], { model, budget, workspace, as, cwd, policy }: WantedTarget): void {
  const forTask = Object.keys(defined({ model, budget, workspace, as, policy }));
  if (kind !== "task" && forTask.length > 0) throw new SysError("EINVAL", `--${forTask[0]} needs --new`);
  if ((kind === "message" || kind === "event") && cwd !== undefined)
    throw new SysError("EINVAL", "--cwd needs --new or --exec");
}

/** An agent gives no policy, and the task that it changes loses the one that a person gave. */
function policyFor(caller: Caller, wanted: string | undefined, given: Policy | undefined): Policy | undefined {
  const isAgent = caller.kind !== "person";
  if (wanted !== undefined && isAgent) throw new SysError("EPERM", "an agent cannot give a schedule a policy");
  if (wanted === undefined) return isAgent ? undefined : given;
  return wanted === "none" ? undefined : policyIn(wanted);
}

function policyIn(text: string): Policy {
  try {
    return parsePolicy(text);
  } catch (error) {
    // A wrong argument, not a wrong setting.
    if (error instanceof SysError) throw new SysError("EINVAL", `--policy: ${error.message}`, error.hints);
    throw error;
  }
}

function needs(caller: Caller, capability: string): void {
  if (mayUse(caller, capability)) return;
  throw new SysError("EPERM", `${caller.username} may not schedule this (needs ${capability})`);
}

async function refuseHost({ accounts }: KernelStore, caller: Caller): Promise<void> {
  if (caller.kind !== "person") throw new SysError("EPERM", "an agent cannot schedule commands on this computer");
  if (isRoot(caller) || (await accounts.firstHuman())?.uid === caller.uid) return;
  throw new SysError("EPERM", `${caller.username} may not schedule commands on this computer`);
}

/** A kernel stays running for schedules that are due within a day. For later ones, a timer or a person must start it. */
function addedAs(info: ShownSchedule, now: number, wakes: boolean): AddedSchedule {
  const next = info.nextAt;
  const isFar = next !== null && next - now > DAY_MS && !wakes;
  return {
    ...info,
    note: isFar ? "due in more than a day; to start it even if gsv is not running then: gsv sched wake on" : null,
  };
}
