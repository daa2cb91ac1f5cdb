// The files of the wake timer: a systemd user unit, a launchd agent or a task of Task Scheduler. Pure. Each starts `gsv kernel run` at the next due
// instant, when you log in, and once an hour in case a kernel was killed. A kernel with nothing to do exits after a few seconds.

import type { WakeFile } from "../../abi/wake.ts";
import { sha256Hex } from "../../lib/hash.ts";

export interface UnitRequest {
  readonly platform: string;
  /** The user's directory, and where systemd looks for the user's units. */
  readonly userHome: string;
  readonly configDir: string;
  readonly uid: number;
  /** gsv's home, and whether it is the default one. */
  readonly home: string;
  readonly isDefaultHome: boolean;
  readonly kernelDb: string;
  readonly kernelLog: string;
  /** The command that runs this gsv. */
  readonly command: readonly string[];
  readonly path: string;
}

export interface Units {
  readonly kind: string;
  readonly name: string;
  readonly files: (at: number | null) => readonly WakeFile[];
  readonly start: readonly (readonly string[])[];
  readonly stop: readonly (readonly string[])[];
  /** After the instant changed. */
  readonly renew: readonly (readonly string[])[];
  /** Succeeds if the timer is active. */
  readonly probe: readonly string[];
}

/** null if this system has no timers that gsv knows. */
export function unitsFor(request: UnitRequest): Units | null {
  const { platform } = request;
  const name = unitName(request, "gsv-wake");
  if (platform === "linux") return systemdUnits(request, name);
  if (platform === "darwin") return launchdAgent(request, name);
  return platform === "win32" ? windowsTask(request, name) : null;
}

/** Homes other than the default one have a name of their own. */
export function unitName({ home, isDefaultHome }: UnitRequest, name: string): string {
  return isDefaultHome ? name : `${name}-${sha256Hex(home).slice(0, 6)}`;
}

function systemdUnits({ configDir, home, kernelDb, kernelLog, command, path }: UnitRequest, name: string): Units {
  const directory = `${configDir}/systemd/user`;
  const [service, timer] = [`${name}.service`, `${name}.timer`];
  const systemctl = (...words: readonly string[]) => ["systemctl", "--user", ...words];
  const serviceText = [
    "[Unit]",
    "Description=gsv: start what is due",
    `ConditionPathExists=${specified(kernelDb)}`,
    "",
    "[Service]",
    "Type=exec",
    `Environment=${unitWord(`GSV_HOME=${home}`)} ${unitWord(`PATH=${path}`)}`,
    `ExecStart=${[...command, "kernel", "run"].map(execWord).join(" ")}`,
    `StandardOutput=append:${specified(kernelLog)}`,
    `StandardError=append:${specified(kernelLog)}`,
    "",
  ];
  const timerText = (at: number | null) => [
    "[Unit]",
    "Description=gsv: start what is due",
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

/** Without specifiers such as `%h`. */
export function specified(text: string): string {
  return text.replaceAll("%", "%%");
}

export function unitWord(text: string): string {
  return `"${specified(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** In ExecStart, `$` begins a variable. */
export function execWord(text: string): string {
  return unitWord(text).replaceAll("$", "$$$$");
}

function launchdAgent({ userHome, uid, home, kernelLog, command, path }: UnitRequest, name: string): Units {
  const label = `dev.gsv.${name}`;
  const file = `${userHome}/Library/LaunchAgents/${label}.plist`;
  const string = (text: string) => `<string>${xml(text)}</string>`;
  const pair = (key: string, value: string) => `    <key>${key}</key>${value}`;
  const text = (at: number | null) => [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "  <dict>",
    pair("Label", string(label)),
    pair("ProgramArguments", `<array>${[...command, "kernel", "run"].map(string).join("")}</array>`),
    pair("EnvironmentVariables", `<dict><key>GSV_HOME</key>${string(home)}<key>PATH</key>${string(path)}</dict>`),
    pair("WorkingDirectory", string("/")),
    pair("StandardOutPath", string(kernelLog)),
    pair("StandardErrorPath", string(kernelLog)),
    pair("RunAtLoad", "<true/>"),
    pair("AbandonProcessGroup", "<true/>"),
    pair(
      "StartCalendarInterval",
      `<array>${at === null ? "" : calendarOf(at)}<dict><key>Minute</key><integer>0</integer></dict></array>`,
    ),
    "  </dict>",
    "</plist>",
    "",
  ];
  const load = ["launchctl", "bootstrap", `gui/${uid}`, file];
  const unload = ["launchctl", "bootout", `gui/${uid}/${label}`];
  return {
    ...{ kind: "launchd agent", name },
    files: (at) => [{ path: file, text: text(at).join("\n") }],
    ...{ start: [load], stop: [unload], renew: [unload, load] },
    probe: ["launchctl", "print", `gui/${uid}/${label}`],
  };
}

/** launchd has no seconds: the kernel starts within the minute before and waits. */
function calendarOf(at: number): string {
  const local = new Date(at);
  const fields = {
    ...{ Month: local.getMonth() + 1, Day: local.getDate(), Hour: local.getHours(), Minute: local.getMinutes() },
  };
  const pairs = Object.entries(fields).map(([key, value]) => `<key>${key}</key><integer>${value}</integer>`);
  return `<dict>${pairs.join("")}</dict>`;
}

function windowsTask({ home, command }: UnitRequest, name: string): Units {
  const file = `${home}\\run\\${name}.xml`;
  const [program = "gsv", ...rest] = command;
  const words = [...rest, "kernel", "run"].map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ");
  const text = (at: number | null) => [
    '<?xml version="1.0"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    "  <RegistrationInfo><Description>gsv: start what is due</Description></RegistrationInfo>",
    "  <Triggers>",
    ...(at === null
      ? []
      : [`    <TimeTrigger><StartBoundary>${new Date(at).toISOString().slice(0, 19)}Z</StartBoundary></TimeTrigger>`]),
    "    <TimeTrigger><Repetition><Interval>PT1H</Interval></Repetition><StartBoundary>2026-01-01T00:00:00Z</StartBoundary></TimeTrigger>",
    "    <LogonTrigger/>",
    "  </Triggers>",
    "  <Settings><StartWhenAvailable>true</StartWhenAvailable><ExecutionTimeLimit>PT0S</ExecutionTimeLimit><MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy></Settings>",
    `  <Actions><Exec><Command>${xml(program)}</Command><Arguments>${xml(words)}</Arguments></Exec></Actions>`,
    "</Task>",
    "",
  ];
  const create = ["schtasks", "/Create", "/TN", name, "/XML", file, "/F"];
  return {
    ...{ kind: "task of Task Scheduler", name },
    files: (at) => [{ path: file, text: text(at).join("\r\n") }],
    ...{ start: [create], renew: [create] },
    stop: [["schtasks", "/Delete", "/TN", name, "/F"]],
    probe: ["schtasks", "/Query", "/TN", name],
  };
}

export function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
