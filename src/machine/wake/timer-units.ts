// The files of the wake timer: a systemd user unit, a launchd agent or a task of Task Scheduler. Pure. Each starts `gsv kernel run` at the next due
// instant, when you log in, and once an hour in case a kernel was killed. A kernel with nothing to do exits after a few seconds.

import {
  launchdAgent,
  specified,
  systemctl,
  systemdService,
  type UnitRequest,
  type Units,
  unitName,
  windowsTask,
} from "./units.ts";

const DESCRIPTION = "gsv: start what is due";

/** null if this system has no timers that gsv knows. */
export function timerFor(request: UnitRequest): Units | null {
  const { platform } = request;
  const name = unitName(request, "gsv-wake");
  if (platform === "linux") return systemdUnits(request, name);
  if (platform === "darwin")
    return launchdAgent(request, name, (at) => ({
      AbandonProcessGroup: "<true/>",
      StartCalendarInterval: `<array>${at === null ? "" : calendarOf(at)}<dict><key>Minute</key><integer>0</integer></dict></array>`,
    }));
  return platform === "win32"
    ? windowsTask(request, name, {
        description: DESCRIPTION,
        triggers: windowsTriggers,
        settings: "<StartWhenAvailable>true</StartWhenAvailable>",
        startsAtOnce: false,
      })
    : null;
}

function systemdUnits(request: UnitRequest, name: string): Units {
  const directory = `${request.configDir}/systemd/user`;
  const [service, timer] = [`${name}.service`, `${name}.timer`];
  const head = ["[Unit]", `Description=${DESCRIPTION}`];
  const serviceText = [
    ...[...head, `ConditionPathExists=${specified(request.kernelDb)}`, ""],
    ...systemdService(request),
  ];
  const timerText = (at: number | null) => [
    ...head,
    "",
    "[Timer]",
    ...(at === null ? [] : [`OnCalendar=${systemdTime(at)}`]),
    "OnCalendar=hourly",
    "OnStartupSec=30s",
    "AccuracySec=1s",
    "Persistent=true",
    "",
    "[Install]",
    "WantedBy=timers.target",
    "",
  ];
  return {
    ...{ kind: "systemd user timer", name },
    files: (at) => [
      { path: `${directory}/${service}`, text: serviceText.join("\n") },
      { path: `${directory}/${timer}`, text: timerText(at).join("\n") },
    ],
    start: [systemctl("daemon-reload"), systemctl("enable", "--now", timer)],
    stop: [systemctl("disable", "--now", timer), systemctl("daemon-reload")],
    renew: [systemctl("daemon-reload"), systemctl("restart", timer)],
    probe: systemctl("is-active", "--quiet", timer),
  };
}

function systemdTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** launchd has no seconds: the kernel starts within the minute before and waits. */
function calendarOf(at: number): string {
  const local = new Date(at);
  const [Month, Day] = [local.getMonth() + 1, local.getDate()];
  const fields = { Month, Day, Hour: local.getHours(), Minute: local.getMinutes() };
  const pairs = Object.entries(fields).map(([key, value]) => `<key>${key}</key><integer>${value}</integer>`);
  return `<dict>${pairs.join("")}</dict>`;
}

function windowsTriggers(at: number | null): readonly string[] {
  const due = (instant: number) =>
    `<TimeTrigger><StartBoundary>${new Date(instant).toISOString().slice(0, 19)}Z</StartBoundary></TimeTrigger>`;
  return [
    ...(at === null ? [] : [due(at)]),
    "<TimeTrigger><Repetition><Interval>PT1H</Interval></Repetition><StartBoundary>2026-01-01T00:00:00Z</StartBoundary></TimeTrigger>",
    "<LogonTrigger/>",
  ];
}
