// Builds what starts by itself: the scheduler and the service behind sched.*.

import type { CronFiles } from "../../fs/generated/cron.ts";
import type { Caller } from "../abi/identity.ts";
import { uuidv7 } from "../abi/ids.ts";
import { cronFiles } from "../due/cron-files.ts";
import { timezoneOf } from "../due/default-zone.ts";
import { Scheduler } from "../due/scheduler.ts";
import { schedulesService } from "../due/service.ts";
import { Starts } from "../due/starts.ts";
import type { Schedules } from "../syscalls/due/sched-service.ts";
import type { Core } from "./core.ts";

export interface DueParts {
  readonly scheduler: Scheduler;
  readonly schedules: Schedules;
  readonly cronFiles: CronFiles;
}

export function bootDue({ kernel, machine, callers, onFault, sysFor }: Core): DueParts {
  const { clock, random } = machine;
  const starts = new Starts({
    kernel,
    callers,
    sysFor: (uid: number, caller: () => Promise<Caller>) => sysFor(uid, caller),
  });
  const newId = () => uuidv7(clock.now(), random);
  const scheduler = new Scheduler({ kernel, starts, clock, newId, onFault, ended: () => {} });
  const zone = timezoneOf(kernel.config);
  return {
    scheduler,
    schedules: schedulesService({ kernel, clock, random, zone, scheduler }),
    cronFiles: cronFiles({ kernel, clock, random, zone, arm: () => scheduler.arm() }),
  };
}
