// Builds what starts by itself and what tells about it: the scheduler, the notifier, and the services behind sched.* and notify.*.

import type { CronFiles } from "../../fs/generated/cron.ts";
import { type Caller, ROOT_UID } from "../abi/identity.ts";
import { initPid } from "../abi/ids.ts";
import { quietFor } from "../abi/notification.ts";
import { FAILURES } from "../abi/schedule.ts";
import { cronFiles } from "../due/cron-files.ts";
import { timezoneOf } from "../due/default-zone.ts";
import { deliver } from "../due/deliver.ts";
import { Notifier } from "../due/notifier.ts";
import { notifyCommand } from "../due/notify-command.ts";
import { notificationsService } from "../due/notify-service.ts";
import { announceFailure, announceOwnNews } from "../due/own-news.ts";
import { Scheduler, type SchedulerPorts } from "../due/scheduler.ts";
import { type SchedulePorts, schedulesService } from "../due/service.ts";
import { Starts } from "../due/starts.ts";
import { wallAt } from "../due/zone.ts";
import { settingsFor } from "../kernel/settings/config.ts";
import { hostDirectory } from "../kernel/workspaces/host-directories.ts";
import { workspaceLater } from "../kernel/workspaces/new-workspace.ts";
import { reveal } from "../lib/text/sanitize.ts";
import { waitAtMost } from "../lib/wait.ts";
import type { Notifications } from "../syscalls/due/notify-service.ts";
import type { Schedules } from "../syscalls/due/sched-service.ts";
import { spawnPiped } from "../targets/spawn.ts";
import type { Core, ProcessParts } from "./core.ts";
import { newWorkspacesOf } from "./repos.ts";

export interface DueParts {
  readonly scheduler: Scheduler;
  readonly schedules: (directoryAt: SchedulePorts["directoryAt"]) => Schedules;
  readonly notifier: Notifier;
  readonly notifications: Notifications;
  readonly cronFiles: CronFiles;
}

/** `processes` are built later, so they are read when an event is delivered. */
export function bootDue(core: Core, processes: () => Pick<ProcessParts, "ledger" | "runners">): DueParts {
  const { kernel, machine, callers, bus, onFault, sysFor } = core;
  const { clock, random } = machine;
  const starts = new Starts({
    kernel,
    callers,
    sysFor: (uid: number, caller: () => Promise<Caller>) => sysFor(uid, caller),
    deliver(caller, event) {
      const { ledger, runners } = processes();
      const ports = { kernel, store: core.processes, ledger, clock, random, wake: (pid: string) => runners.wake(pid) };
      return deliver(ports, caller, event);
    },
  });
  const notifier = notifierOf(core);
  announceOwnNews({
    ...{ kernel, bus, clock, notifier },
    began: (pid, run) => core.processes.runBegan(pid, run).catch(() => null),
  });
  const ended: SchedulerPorts["ended"] = (schedule, end, pausedWhy) => {
    const { name, ownerUid } = schedule;
    const { state, error } = end;
    if (!FAILURES.includes(state)) return;
    const text = `Schedule ${name}: ${state}${error === null ? "" : `: ${reveal(error)}`}${pausedWhy === null ? "" : `. Paused. To resume: gsv sched resume ${name}`}`;
    const base = { pid: initPid(ownerUid), uid: ownerUid, parent: null, at: clock.now() };
    bus.emit({ name: "process.schedule", ...base, schedule: name, state, text });
    announceFailure(notifier, schedule, end, pausedWhy);
  };
  const arm = () => core.claims.arm();
  const scheduler = new Scheduler({
    kernel,
    starts,
    queue: core.queue,
    arm,
    clock,
    onFault,
    ended,
    zoneRulesChanged: () => zoneRulesChanged(core),
  });
  const zone = timezoneOf(kernel.config);
  const hostDirectoryAt = (path: string) => hostDirectory(path, core.machine.paths.home);
  return {
    scheduler,
    notifier,
    notifications: notificationsService({ kernel, clock, notifier }),
    schedules: (directoryAt) =>
      schedulesService({
        ...{ kernel, clock, random, zone, scheduler, arm, directoryAt, hostDirectoryAt },
        workspaceAt(context, wanted) {
          const ports = newWorkspacesOf({ ...core, ...machine });
          return workspaceLater(ports, context, { wanted, ownerUid: context.caller.ownerUid });
        },
        wakes: () => machine.wakeTimer?.isOn() ?? false,
      }),
    cronFiles: cronFiles({ kernel, clock, random, zone, arm }),
  };
}

function notifierOf({ kernel, machine, bus, claims, onFault }: Core): Notifier {
  const { clock, log, hostEnv = {} } = machine;
  const settings = (uid: number) => settingsFor(kernel.config, { uid, client: undefined });
  const command = notifyCommand({
    ...{ clock, hostEnv, log, spawn: spawnPiped },
    async commandOf(uid) {
      if ((await kernel.accounts.firstHuman())?.uid !== uid) return null;
      const { layer, text } = (await settings(uid))("notify.command");
      return layer === "user" ? text : null;
    },
  });
  return new Notifier({
    ...{ kernel, bus, clock, onFault, command, due: (at: number | null) => claims.expect(at) },
    async quietUntil(uid, now) {
      const { text } = (await settings(uid))("notify.quiet");
      if (text === "") return null;
      const own = (await settings(uid))("userTimezone");
      const zone = own.layer === "default" ? Intl.DateTimeFormat().resolvedOptions().timeZone : own.text;
      const { hour, minute } = wallAt(now, zone);
      const minutes = quietFor(text, hour * 60 + minute);
      return minutes === null ? null : now - (now % 60_000) + minutes * 60_000;
    },
  });
}

/** A kernel must not wait longer for the system's timer before it leaves: the hourly start of that timer then replaces the exact one. */
const WAKE_SET_MS = 2000;

/** Moves the timer of this computer to the first instant that is due. */
export async function setWakeTimer({ kernel, machine: { clock, wakeTimer }, onFault }: Core): Promise<void> {
  if (!wakeTimer?.isOn()) return;
  const [first] = await kernel.due.next({ limit: 1 });
  await waitAtMost(clock, WAKE_SET_MS, wakeTimer.set(first?.at ?? null)).catch(onFault);
}

const ZONE_RULES_KEY = "due/zone-rules";

/** The rules are part of the binary. The first kernel of a home stores them without a change. */
async function zoneRulesChanged({ kernel, machine: { clock } }: Core): Promise<boolean> {
  const rules = process.versions.icu ?? Bun.version;
  const known = (await kernel.config.under(ZONE_RULES_KEY))[0]?.value;
  if (known === rules) return false;
  if (known === undefined && (await kernel.schedules.crons(0)).length === 0) return false;
  await kernel.config.change([{ key: ZONE_RULES_KEY, value: rules }], { uid: ROOT_UID, now: clock.now() });
  return known !== undefined;
}
