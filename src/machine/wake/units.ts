// What the wake timer and the service share: how systemd, launchd and Task Scheduler start `gsv kernel run`. Pure.

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
  /** Succeeds if the unit is active. */
  readonly probe: readonly string[];
}

/** Homes other than the default one have a name of their own. */
export function unitName({ home, isDefaultHome }: UnitRequest, name: string): string {
  return isDefaultHome ? name : `${name}-${sha256Hex(home).slice(0, 6)}`;
}

export function systemctl(...words: readonly string[]): readonly string[] {
  return ["systemctl", "--user", ...words];
}

/** The section `[Service]`; `more` stands before its output. */
export function systemdService(
  { home, kernelLog, command, path }: UnitRequest,
  more: readonly string[] = [],
): readonly string[] {
  return [
    "[Service]",
    "Type=exec",
    `Environment=${unitWord(`GSV_HOME=${home}`)} ${unitWord(`PATH=${path}`)}`,
    `ExecStart=${[...command, "kernel", "run"].map(execWord).join(" ")}`,
    ...more,
    `StandardOutput=append:${specified(kernelLog)}`,
    `StandardError=append:${specified(kernelLog)}`,
    "",
  ];
}

/** Without specifiers such as `%h`. */
export function specified(text: string): string {
  return text.replaceAll("%", "%%");
}

function unitWord(text: string): string {
  return `"${specified(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** In ExecStart, `$` begins a variable. */
function execWord(text: string): string {
  return unitWord(text).replaceAll("$", "$$$$");
}

/** `more`: its own keys, in XML. */
export function launchdAgent(
  { userHome, uid, home, kernelLog, command, path }: UnitRequest,
  name: string,
  more: (at: number | null) => { readonly [key: string]: string },
): Units {
  const label = `dev.gsv.${name}`;
  const file = `${userHome}/Library/LaunchAgents/${label}.plist`;
  const string = (text: string) => `<string>${xml(text)}</string>`;
  const keys = (at: number | null) => ({
    Label: string(label),
    ProgramArguments: `<array>${[...command, "kernel", "run"].map(string).join("")}</array>`,
    EnvironmentVariables: `<dict><key>GSV_HOME</key>${string(home)}<key>PATH</key>${string(path)}</dict>`,
    WorkingDirectory: string("/"),
    StandardOutPath: string(kernelLog),
    StandardErrorPath: string(kernelLog),
    RunAtLoad: "<true/>",
    ...more(at),
  });
  const text = (at: number | null) => [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "  <dict>",
    ...Object.entries(keys(at)).map(([key, value]) => `    <key>${key}</key>${value}`),
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

interface Task {
  readonly description: string;
  /** In XML. */
  readonly triggers: (at: number | null) => readonly string[];
  readonly settings: string;
  readonly startsAtOnce: boolean;
}

export function windowsTask(
  { home, command }: UnitRequest,
  name: string,
  { description, triggers, settings, startsAtOnce }: Task,
): Units {
  const file = `${home}\\run\\${name}.xml`;
  const [program = "gsv", ...rest] = command;
  const words = [...rest, "kernel", "run"].map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ");
  const text = (at: number | null) => [
    '<?xml version="1.0"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    `  <RegistrationInfo><Description>${xml(description)}</Description></RegistrationInfo>`,
    "  <Triggers>",
    ...triggers(at).map((trigger) => `    ${trigger}`),
    "  </Triggers>",
    `  <Settings>${settings}<ExecutionTimeLimit>PT0S</ExecutionTimeLimit><MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy></Settings>`,
    `  <Actions><Exec><Command>${xml(program)}</Command><Arguments>${xml(words)}</Arguments></Exec></Actions>`,
    "</Task>",
    "",
  ];
  const create = ["schtasks", "/Create", "/TN", name, "/XML", file, "/F"];
  const start = startsAtOnce ? [create, ["schtasks", "/Run", "/TN", name]] : [create];
  return {
    ...{ kind: "task of Task Scheduler", name },
    files: (at) => [{ path: file, text: text(at).join("\r\n") }],
    ...{ start, renew: start },
    stop: [["schtasks", "/Delete", "/TN", name, "/F"]],
    probe: ["schtasks", "/Query", "/TN", name],
  };
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
