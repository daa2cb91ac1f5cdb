// Desktop notifications by a program of this computer, for terminals that have none of their own. The text is an argument and nothing else: no
// option, no markup, no script.

import type { Io } from "../../commands/command.ts";
import { hostEnvironment, variablesNamed } from "../../src/lib/host-environment.ts";
import { sanitize } from "../../src/lib/text/sanitize.ts";
import { abortAfter } from "../../src/lib/wait.ts";

type DesktopIo = Pick<Io, "env" | "clock" | "isOnPath" | "spawn">;

const SESSION = ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];
const MARKUP: { readonly [sign: string]: string } = { "<": "‹", ">": "›", "&": "＆" };
const TIME_LIMIT_MS = 10_000;
const APPLE_SCRIPT = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];

/** null without such a program, and over SSH: its desktop is not the one that you look at. */
export function desktopNotifier(io: DesktopIo): ((text: string) => void) | null {
  const { env } = io;
  if (env.SSH_CONNECTION || env.SSH_TTY) return null;
  if ((env.DISPLAY || env.WAYLAND_DISPLAY) && io.isOnPath("notify-send"))
    return (text) => run(io, ["notify-send", "--app-name=gsv", "--", "gsv", withoutMarkup(text)]);
  if (!io.isOnPath("osascript")) return null;
  const script = APPLE_SCRIPT.flatMap((line) => ["-e", line]);
  return (text) => run(io, ["osascript", ...script, "--", "gsv", sanitize(text)]);
}

/** Some desktops read the text as markup. */
function withoutMarkup(text: string): string {
  return sanitize(text).replace(/[<>&]/g, (sign) => MARKUP[sign] ?? "");
}

function run({ env, clock, spawn }: DesktopIo, argv: readonly string[]): void {
  const program = { argv, env: { ...hostEnvironment(env), ...variablesNamed(SESSION, env) }, stdin: "" };
  const quiet = { ...program, onOutput: () => {}, stderr: "ignore" } as const;
  abortAfter(clock, TIME_LIMIT_MS, (signal) => spawn({ ...quiet, signal })).catch(() => {});
}
