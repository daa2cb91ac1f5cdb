// The files of `gsv serve install`: a service of your account that runs the kernel, which listens as the settings say. It starts when you log in
// and again after a crash; a kernel that was stopped or has nothing to do stays away. Pure.

import {
  launchdAgent,
  systemctl,
  systemdService,
  type UnitRequest,
  type Units,
  unitName,
  windowsTask,
} from "./units.ts";

const DESCRIPTION = "gsv: serve on the network";

/** null if this system has no services that gsv knows. */
export function serviceFor(request: UnitRequest): Units | null {
  const { platform } = request;
  const name = unitName(request, "gsv-serve");
  if (platform === "linux") return systemdUnit(request, name);
  if (platform === "darwin")
    return launchdAgent(request, name, () => ({ KeepAlive: "<dict><key>SuccessfulExit</key><false/></dict>" }));
  return platform === "win32"
    ? windowsTask(request, name, {
        description: DESCRIPTION,
        triggers: () => ["<LogonTrigger/>"],
        settings: "<RestartOnFailure><Interval>PT1M</Interval><Count>255</Count></RestartOnFailure>",
        startsAtOnce: true,
      })
    : null;
}

function systemdUnit(request: UnitRequest, name: string): Units {
  const service = `${name}.service`;
  const text = [
    ...["[Unit]", `Description=${DESCRIPTION}`, "After=network.target", ""],
    ...systemdService(request, ["Restart=on-failure", "RestartSec=1s"]),
    ...["[Install]", "WantedBy=default.target", ""],
  ];
  return {
    ...{ kind: "systemd user service", name },
    files: () => [{ path: `${request.configDir}/systemd/user/${service}`, text: text.join("\n") }],
    start: [systemctl("daemon-reload"), systemctl("enable", "--now", service)],
    stop: [systemctl("disable", "--now", service), systemctl("daemon-reload")],
    renew: [systemctl("daemon-reload"), systemctl("restart", service)],
    probe: systemctl("is-enabled", "--quiet", service),
  };
}
