// The files of `gsv serve install`: a service of your account that runs the kernel, which listens as the settings say. It starts when you log in
// and again after a crash; a kernel that was stopped or has nothing to do stays away. Pure.

import { execWord, specified, type UnitRequest, type Units, unitName, unitWord, xml } from "./units.ts";

/** null if this system has no services that gsv knows. */
export function serviceFor(request: UnitRequest): Units | null {
  const { platform } = request;
  const name = unitName(request, "gsv-serve");
  if (platform === "linux") return systemdService(request, name);
  if (platform === "darwin") return launchdAgent(request, name);
  return platform === "win32" ? windowsTask(request, name) : null;
}

function systemdService({ configDir, home, kernelLog, command, path }: UnitRequest, name: string): Units {
  const service = `${name}.service`;
  const systemctl = (...words: readonly string[]) => ["systemctl", "--user", ...words];
  const text = [
    "[Unit]",
    "Description=gsv: serve on the network",
    "After=network.target",
    "",
    "[Service]",
    "Type=exec",
    `Environment=${unitWord(`GSV_HOME=${home}`)} ${unitWord(`PATH=${path}`)}`,
    `ExecStart=${[...command, "kernel", "run"].map(execWord).join(" ")}`,
    "Restart=on-failure",
    "RestartSec=1s",
    `StandardOutput=append:${specified(kernelLog)}`,
    `StandardError=append:${specified(kernelLog)}`,
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ];
  return {
    ...{ kind: "systemd user service", name },
    files: () => [{ path: `${configDir}/systemd/user/${service}`, text: text.join("\n") }],
    start: [systemctl("daemon-reload"), systemctl("enable", "--now", service)],
    stop: [systemctl("disable", "--now", service), systemctl("daemon-reload")],
    renew: [systemctl("daemon-reload"), systemctl("restart", service)],
    probe: systemctl("is-enabled", "--quiet", service),
  };
}

function launchdAgent({ userHome, uid, home, kernelLog, command, path }: UnitRequest, name: string): Units {
  const label = `dev.gsv.${name}`;
  const file = `${userHome}/Library/LaunchAgents/${label}.plist`;
  const string = (text: string) => `<string>${xml(text)}</string>`;
  const pair = (key: string, value: string) => `    <key>${key}</key>${value}`;
  const text = [
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
    pair("KeepAlive", "<dict><key>SuccessfulExit</key><false/></dict>"),
    "  </dict>",
    "</plist>",
    "",
  ];
  const load = ["launchctl", "bootstrap", `gui/${uid}`, file];
  const unload = ["launchctl", "bootout", `gui/${uid}/${label}`];
  return {
    ...{ kind: "launchd agent", name },
    files: () => [{ path: file, text: text.join("\n") }],
    ...{ start: [load], stop: [unload], renew: [unload, load] },
    probe: ["launchctl", "print", `gui/${uid}/${label}`],
  };
}

function windowsTask({ home, command }: UnitRequest, name: string): Units {
  const file = `${home}\\run\\${name}.xml`;
  const [program = "gsv", ...rest] = command;
  const words = [...rest, "kernel", "run"].map((word) => (word.includes(" ") ? `"${word}"` : word)).join(" ");
  const text = [
    '<?xml version="1.0"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    "  <RegistrationInfo><Description>gsv: serve on the network</Description></RegistrationInfo>",
    "  <Triggers>",
    "    <LogonTrigger/>",
    "  </Triggers>",
    "  <Settings><RestartOnFailure><Interval>PT1M</Interval><Count>255</Count></RestartOnFailure><ExecutionTimeLimit>PT0S</ExecutionTimeLimit><MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy></Settings>",
    `  <Actions><Exec><Command>${xml(program)}</Command><Arguments>${xml(words)}</Arguments></Exec></Actions>`,
    "</Task>",
    "",
  ];
  const create = ["schtasks", "/Create", "/TN", name, "/XML", file, "/F"];
  const begin = ["schtasks", "/Run", "/TN", name];
  return {
    ...{ kind: "task of Task Scheduler", name },
    files: () => [{ path: file, text: text.join("\r\n") }],
    ...{ start: [create, begin], renew: [create, begin] },
    stop: [["schtasks", "/Delete", "/TN", name, "/F"]],
    probe: ["schtasks", "/Query", "/TN", name],
  };
}
