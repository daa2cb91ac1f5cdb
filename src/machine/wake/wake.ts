// Installs, moves and removes the wake timer, and the service of `gsv serve install`. A file in run/ records what was written, so that a
// kernel with another environment finds it.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf, SysError } from "../../abi/errno.ts";
import type { WakeFile, WakeTimer } from "../../abi/wake.ts";
import type { Clock } from "../../lib/clock.ts";
import { variablesNamed } from "../../lib/host-environment.ts";
import { waitAtMost } from "../../lib/wait.ts";
import type { HomePaths } from "../../paths.ts";
import { serviceFor } from "./service-units.ts";
import { timerFor } from "./timer-units.ts";
import type { UnitRequest, Units } from "./units.ts";

export interface WakeMachine {
  readonly paths: HomePaths;
  readonly env: { readonly [name: string]: string | undefined };
  readonly uid: number;
  readonly clock: Clock;
  readonly command: readonly string[];
  readonly platform?: string;
}

/** run/wake.json, run/serve.json */
interface Installed {
  readonly files: readonly string[];
  readonly at: number | null;
}

const COMMAND_MS = 10_000;
/** Variables with which the system's programs find the user's session. */
const SESSION = ["HOME", "USER", "LOGNAME", "LANG", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS"];
const PATH = "/usr/local/bin:/usr/bin:/bin";

export function wakeTimer(machine: WakeMachine): WakeTimer {
  return installer(machine, {
    units: timerFor,
    what: "timer",
    info: "wake.json",
    hint: "schedules start when gsv runs",
  });
}

/** It has no instant: `at` is null. */
export function serveService(machine: WakeMachine): WakeTimer {
  const hint = "the kernel listens while gsv runs";
  return installer(machine, { units: serviceFor, what: "service", info: "serve.json", hint });
}

interface Installable {
  readonly units: (request: UnitRequest) => Units | null;
  readonly what: string;
  readonly info: string;
  readonly hint: string;
}

function installer(machine: WakeMachine, { units: unitsIn, what, info, hint }: Installable): WakeTimer {
  const { paths } = machine;
  const units = unitsIn(requestOf(machine));
  const infoFile = join(paths.runDir, info);
  const installed = () => installedIn(infoFile);
  const needed = (): Units => {
    if (units !== null) return units;
    throw new SysError("EINVAL", `gsv knows no ${what}s of this system`, [
      "start a kernel with your own: gsv kernel run",
    ]);
  };
  /** The recorded paths win: the environment may have changed since. */
  const filesAt = (at: number | null, known: Installed | null): readonly WakeFile[] =>
    needed()
      .files(at)
      .map((file, index) => ({ ...file, path: known?.files[index] ?? file.path }));
  /** The first directory that it created, if any. */
  const put = (at: number | null, files: readonly WakeFile[]): string | undefined => {
    let created: string | undefined;
    for (const { path, text } of files) {
      const made = mkdirSync(dirname(path), { recursive: true });
      created ??= made;
      writeFileSync(path, path.endsWith(".xml") ? Buffer.from(`\ufeff${text}`, "utf16le") : text, { mode: 0o644 });
    }
    const record: Installed = { files: files.map(({ path }) => path), at };
    writeFileSync(infoFile, `${JSON.stringify(record)}\n`, { mode: 0o600 });
    return created;
  };
  const dropped = (files: readonly string[]): readonly string[] => {
    const there = files.filter((path) => existsSync(path));
    for (const path of [...there, infoFile]) rmSync(path, { force: true });
    return there;
  };
  const isOn = () => {
    const known = installed();
    return known?.files.every((path) => existsSync(path)) ?? false;
  };
  return {
    isOn,
    plan: (at) => ({ kind: needed().kind, files: filesAt(at, installed()), commands: needed().start }),
    async on(at) {
      const files = filesAt(at, installed());
      const wasOn = isOn();
      const created = put(at, files);
      try {
        for (const argv of wasOn ? needed().renew : needed().start) await run(machine, argv);
      } catch (error) {
        dropped(files.map(({ path }) => path));
        if (created !== undefined) rmSync(created, { recursive: true, force: true });
        throw new SysError("EIO", `the ${what} was not installed: ${messageOf(error)}`, [
          `nothing was left behind; ${hint}`,
        ]);
      }
    },
    async off() {
      const known = installed();
      const files = known?.files ?? units?.files(null).map(({ path }) => path) ?? [];
      if (!files.some((path) => existsSync(path))) return dropped([]);
      const [stop, ...rest] = needed().stop;
      // The files are removed even if the system does not know the timer.
      const failed = stop === undefined ? null : await run(machine, stop).then(() => null, messageOf);
      const removed = dropped(files);
      for (const argv of rest) await run(machine, argv).catch(() => {});
      if (failed !== null) throw new SysError("EIO", `removed ${removed.join(", ")}, but: ${failed}`);
      return removed;
    },
    async status() {
      const known = installed();
      const kind = units?.kind ?? "none";
      if (known === null || !isOn()) return { on: false, kind, files: [], at: null, fault: null };
      const fault = await run(machine, needed().probe).then(() => null, messageOf);
      return { on: true, kind, files: known.files, at: known.at, fault };
    },
    async set(at) {
      const known = installed();
      if (known?.at === at || !isOn()) return;
      put(at, filesAt(at, known));
      for (const argv of needed().renew) await run(machine, argv);
    },
  };
}

function requestOf({ paths, env, uid, command, platform = process.platform }: WakeMachine): UnitRequest {
  const userHome = env.HOME || homedir();
  return {
    ...{ platform, userHome, uid, command, home: paths.home, kernelDb: paths.kernelDb, kernelLog: paths.kernelLog },
    configDir: env.XDG_CONFIG_HOME?.startsWith("/") ? env.XDG_CONFIG_HOME : join(userHome, ".config"),
    isDefaultHome: paths.home === join(userHome, ".gsv"),
    path: env.PATH ?? PATH,
  };
}

function installedIn(file: string): Installed | null {
  try {
    const { files, at } = JSON.parse(readFileSync(file, "utf8")) as Installed;
    return Array.isArray(files) && files.every((path) => typeof path === "string") ? { files, at: at ?? null } : null;
  } catch {
    return null;
  }
}

/** Throws with the first line of its output if it fails. */
async function run({ env, clock }: WakeMachine, argv: readonly string[]): Promise<void> {
  const [name = ""] = argv;
  const program = Bun.which(name, { PATH: env.PATH ?? PATH });
  if (program === null) throw new Error(`${name} not found`);
  const child = Bun.spawn([program, ...argv.slice(1)], {
    cwd: "/",
    env: { ...variablesNamed(SESSION, env), PATH: env.PATH ?? PATH },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const output = new Response(child.stderr).text();
  const ended = await waitAtMost(clock, COMMAND_MS, child.exited);
  if (ended?.value === 0) return;
  child.kill();
  const line = (await waitAtMost(clock, COMMAND_MS, output))?.value.trim().split("\n")[0];
  throw new Error(`${argv.join(" ")}: ${line || (ended === null ? "timeout" : `exit status ${ended.value}`)}`);
}
