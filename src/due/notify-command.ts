// Runs the program of `notify.command` for each announcement: as JSON on stdin, with an environment without secrets, and a time limit. Only
// the person of the home has one, because it runs as the user of this computer.

import { messageOf } from "../abi/errno.ts";
import { actionCommand } from "../abi/notification.ts";
import type { Clock } from "../lib/clock.ts";
import { type Environment, hostEnvironment } from "../lib/host-environment.ts";
import { reveal } from "../lib/text/sanitize.ts";
import type { ChildRequest, PipedChild } from "../targets/spawn.ts";
import type { Announcement } from "./notifier.ts";

export interface NotifyCommandPorts {
  readonly clock: Clock;
  readonly hostEnv: { readonly [name: string]: string | undefined };
  readonly log: (line: string) => void;
  readonly spawn: (request: Pick<ChildRequest, "argv" | "directory" | "env">) => PipedChild;
  /** The account's own setting; null without one, and for other accounts than the person's of the home. */
  readonly commandOf: (uid: number) => Promise<string | null>;
}

const TIME_LIMIT_MS = 10_000;
/** Programs of the person may use their display. */
const DESKTOP = ["DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

export function notifyCommand(ports: NotifyCommandPorts): (announced: Announcement) => Promise<void> {
  const env = environmentOf(ports.hostEnv);
  return async (announced) => {
    const command = await ports.commandOf(announced.uid);
    const argv = (command ?? "").split(/\s+/).filter((word) => word !== "");
    if (argv.length === 0) return;
    try {
      const status = await run(ports, argv, env, jsonOf(announced));
      if (status !== 0) ports.log(`notify.command: ${status === null ? "timeout" : `status ${status}`}`);
    } catch (error) {
      ports.log(`notify.command: ${reveal(messageOf(error))}`);
    }
  };
}

async function run(
  { spawn, clock }: NotifyCommandPorts,
  argv: readonly string[],
  env: Environment,
  json: string,
): Promise<number | null> {
  const child = spawn({ argv, directory: "/", env });
  let isLate = false;
  const cancel = clock.after(TIME_LIMIT_MS, () => {
    isLate = true;
    child.kill();
  });
  // The program need not read its stdin. Its output is read so that it never blocks.
  child.stdin
    .write(Buffer.from(`${json}\n`))
    .catch(() => {})
    .finally(() => child.stdin.end());
  for (const output of [child.stdout, child.stderr]) void drained(output);
  const status = await child.ended.finally(cancel);
  return isLate ? null : status;
}

async function drained(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of pieces);
  } catch {
    // It has ended.
  }
}

function jsonOf({ ids, title, body, level, source, actions, unread, at }: Announcement): string {
  const commands = actions.map((action) => ({ ...action, type: actionCommand(action) }));
  return JSON.stringify({ ids, title, body, level, source, actions: commands, unread, at });
}

function environmentOf(given: NotifyCommandPorts["hostEnv"]): Environment {
  const desktop = DESKTOP.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const]));
  return { ...hostEnvironment(given), ...Object.fromEntries(desktop) };
}
