// Which variables of an environment mean something to gsv: those that set a setting, and few others. A binary holds these lists as they
// came out when it was built (src/bundle/ready-made.ts): every command needs them, and few need what the settings are.

import { SETTINGS, type Setting } from "./config.ts";

const settings: readonly Setting[] = Object.values(SETTINGS);

/** Variables whose values are secrets. */
export const SECRET_ENV: readonly string[] = variablesOf(({ type }) => type === "secret");

/** What a client tells the kernel of its environment, and nothing else. */
export const CLIENT_ENV: readonly string[] = [
  ...variablesOf(({ writes }) => writes === "user"),
  "LANG",
  "EDITOR",
  "VISUAL",
];

/** What the kernel gets of the environment of whoever happens to start it. */
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
  "USER",
  "LOGNAME",
  ...variablesOf(({ writes }) => writes === "root"),
];

function variablesOf(which: (setting: Setting) => boolean): string[] {
  return settings.flatMap((setting) => (setting.env !== undefined && which(setting) ? [setting.env] : []));
}
