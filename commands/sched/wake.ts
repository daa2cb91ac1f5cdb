// `gsv sched wake`: a timer of this computer that starts a kernel when something is due. Its files are shown before they are written.

import type { DueItem } from "../../src/abi/schedule.ts";
import type { WakeStatus, WakeTimer } from "../../src/abi/wake.ts";
import { isoTime, localTime, type When } from "../../src/lib/text/days.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { agreesToFiles, type FileFlags } from "../io/planned-files.ts";
import { jsonLine, note } from "../io/status.ts";
import { printText } from "../print.ts";

const spec = {
  name: "sched wake",
  summary: "Start gsv when something is due",
  input: {
    what: field.withDefault(
      field.choice("on, off, or status (default)", ["on", "off", "status"], { positional: true }),
      "status",
    ),
    yes: field.flag("do not ask before writing files", { letter: "y" }),
  },
  examples: ["gsv sched wake on", "gsv sched wake status", "gsv sched wake off"],
  notes: [
    "Without it, schedules start only while gsv runs. The timer belongs to your account on this computer: a systemd\nuser timer, a launchd agent or a task of Task Scheduler. off removes all of its files.",
  ],
};

export const wake: Command = command(spec, async ({ args: { what, yes = false }, json }, io) => {
  const timer = await io.machine.wakeTimer();
  if (what === "on" && !(await turnedOn(io, timer, { yes, json }))) return 1;
  if (what === "off") {
    const removed = await timer.off();
    if (!json) await note(io, removed.length === 0 ? "gsv: the timer is off" : `gsv: removed ${removed.join(", ")}`);
  }
  const status = await timer.status();
  if (json) await io.stdout.write(jsonLine(status));
  else if (what !== "off") await printText(io.stdout, statusText(status, io.stdout.isTTY ? localTime : isoTime));
  return status.fault === null ? 0 : 1;
});

async function turnedOn(io: Io, timer: WakeTimer, flags: FileFlags): Promise<boolean> {
  const { due } = await io.sys().call<{ due: readonly DueItem[] }>("sched.due", { limit: 1 });
  const at = due[0]?.at ?? null;
  if (!(await agreesToFiles(io, timer.plan(at), { ...flags, again: "gsv sched wake on --yes" }))) return false;
  await timer.on(at);
  return true;
}

function statusText({ on, kind, files, at, fault }: WakeStatus, when: When): string {
  if (!on) return "Wake: off\nTo start gsv when something is due: gsv sched wake on";
  return [
    `Wake: on (${kind})`,
    ...(fault === null ? [] : [`Fault: ${reveal(fault)}`]),
    `Next: ${at === null ? "-" : when(at)}`,
    ...files.map((path) => `File: ${reveal(path)}`),
  ].join("\n");
}
