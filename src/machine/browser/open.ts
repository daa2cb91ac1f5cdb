// Opens an address in the person's browser.

import type { Browser } from "../../../commands/command.ts";
import type { Clock } from "../../lib/clock.ts";
import { hostEnvironment, variablesNamed } from "../../lib/host-environment.ts";
import { waitAtMost } from "../../lib/wait.ts";
import { listen } from "./listen.ts";

/** What a browser needs of a desktop. */
const DESKTOP = [
  ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS"],
  "DBUS_SESSION_BUS_ADDRESS",
];
const SAFE = /^https?:\/\/[^\s"'`\\<>\p{Cc}]+$/u;
/** An opener that still runs after this time is a browser. */
const OPEN_MS = 3000;

type Environment = { readonly [name: string]: string | undefined };

export function browserOf(env: Environment, clock: Clock, platform: string = process.platform): Browser {
  return {
    async open(url) {
      const program = openerOf(env, platform);
      if (program === null || !SAFE.test(url)) return false;
      return await opened(clock, [program, url], { ...hostEnvironment(env), ...variablesNamed(DESKTOP, env) });
    },
    listen: async (port) => listen(port ?? 0),
  };
}

/** null if no browser would show. BROWSER is one program, never a line for a shell. */
function openerOf(env: Environment, platform: string): string | null {
  const which = (name: string) => Bun.which(name, { PATH: hostEnvironment(env).PATH ?? "" });
  const own = env.BROWSER ?? "";
  if (own !== "") return which(own);
  if (platform === "darwin") return which("open");
  const hasDesktop = (env.DISPLAY ?? "") !== "" || (env.WAYLAND_DISPLAY ?? "") !== "";
  return which("wslview") ?? (hasDesktop ? which("xdg-open") : null);
}

async function opened(
  clock: Clock,
  argv: readonly string[],
  env: { readonly [name: string]: string },
): Promise<boolean> {
  try {
    const child = Bun.spawn([...argv], { cwd: "/", env, stdio: ["ignore", "ignore", "ignore"] });
    child.unref();
    const ended = await waitAtMost(clock, OPEN_MS, child.exited);
    return ended === null || ended.value === 0;
  } catch {
    return false;
  }
}
