// Builds what starts by itself: the scheduler and the service behind sched.*.

import type { CronFiles } from "../../fs/generated/cron.ts";
import type { Caller } from "../abi/identity.ts";
import { initPid, uuidv7 } from "../abi/ids.ts";
import { FAILURES } from "../abi/schedule.ts";
import { cronFiles } from "../due/cron-files.ts";
import { timezoneOf } from "../due/default-zone.ts";
import { Scheduler, type SchedulerPorts } from "../due/scheduler.ts";
import { schedulesService } from "../due/service.ts";
import { Starts } from "../due/starts.ts";
import { reveal } from "../lib/text/sanitize.ts";
import type { Schedules } from "../syscalls/due/sched-service.ts";
import type { Core } from "./core.ts";

export interface DueParts {
  readonly scheduler: Scheduler;
  readonly schedules: Schedules;
  readonly cronFiles: CronFiles;
}

export function bootDue({ kernel, bus, machine, callers, onFault, sysFor }: Core): DueParts {
  const { clock, random } = machine;
  const starts = new Starts({
    kernel,
    callers,
    sysFor: (uid: number, caller: () => Promise<Caller>) => sysFor(uid, caller),
  });
  const newId = () => uuidv7(clock.now(), random);
  const ended: SchedulerPorts["ended"] = ({ name, ownerUid }, { state, error }, pausedWhy) => {
    if (!FAILURES.includes(state)) return;
    const text = `Schedule ${name}: ${state}${error === null ? "" : `: ${reveal(error)}`}${pausedWhy === null ? "" : `. Paused. To resume: gsv sched resume ${name}`}`;
    const base = { pid: initPid(ownerUid), uid: ownerUid, parent: null, at: clock.now() };
    bus.emit({ name: "process.schedule", ...base, schedule: name, state, text });
  };
  const scheduler = new Scheduler({ kernel, starts, clock, newId, onFault, ended });
  const zone = timezoneOf(kernel.config);
  return {
    scheduler,
    schedules: schedulesService({ kernel, clock, random, zone, scheduler }),
    cronFiles: cronFiles({ kernel, clock, random, zone, arm: () => scheduler.arm() }),
  };
}
