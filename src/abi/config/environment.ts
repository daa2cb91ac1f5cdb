// The environment variables that gsv reads: those of settings, and a few others. The build stores these lists in the binary
// (src/bundle/ready-made.ts), because every command needs them and few need the settings.

import { SETTINGS, type Setting } from "./config.ts";

const settings: readonly Setting[] = Object.values(SETTINGS);

/** Variables whose values are secrets. */
export const SECRET_ENV: readonly string[] = variablesOf(({ type }) => type === "secret");

/** The variables a client sends to the kernel. */
export const CLIENT_ENV: readonly string[] = [
  ...variablesOf(({ writes }) => writes === "user"),
  "LANG",
  "EDITOR",
  "VISUAL",
];

/** The variables a kernel gets from the client that starts it. */
export const KERNEL_ENV: readonly string[] = [
  "PATH",
  "HOME",
  "TMPDIR",
  "LANG",
  "LC_ALL",
  "TZ",
  "XDG_RUNTIME_DIR",
  // Without these a hook could not show a notification.
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "DBUS_SESSION_BUS_ADDRESS",
  "GSV_HOME",
  "GSV_CLOCK",
  "USER",
  "LOGNAME",
  ...variablesOf(({ writes }) => writes === "root"),
];

function variablesOf(which: (setting: Setting) => boolean): string[] {
  return settings.flatMap((setting) => (setting.env !== undefined && which(setting) ? [setting.env] : []));
}
