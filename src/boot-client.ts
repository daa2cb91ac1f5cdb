// What a command holds of the kernel: a Sys that finds or starts the kernel of this home when it is first used. A kernel that is started
// is a process of its own, with an environment of its own.

import { closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { CLIENT_ENV, KERNEL_ENV, SETTINGS } from "./abi/config.ts";
import type { RandomBytes } from "./abi/ids.ts";
import type { ClientInfo, Sys } from "./abi/sys.ts";
import type { Clock } from "./lib/clock.ts";
import { type HomePaths, prepareHome, readKernelInfo } from "./paths.ts";
import { openSys } from "./rpc/connect.ts";
import type { StarterEnd } from "./rpc/find.ts";
import { SYSCALLS } from "./syscalls/table.ts";

export interface ClientMachine {
  readonly paths: HomePaths;
  readonly socketPath: string;
  readonly uid: number;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly info: ClientInfo;
  /** How this gsv is run again: the binary, or Bun and the entry. */
  readonly command: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
  /** One line for the person, once, when a home is new. */
  readonly onFirstRun: () => void;
}

export function clientSys(machine: ClientMachine): Sys {
  const { paths, clock, random } = machine;
  prepareHome(paths, machine.uid);
  let interrupted = false;
  return openSys({
    socketPath: machine.socketPath,
    info: machine.info,
    exe: machine.command.at(-1) ?? "gsv",
    clock,
    random,
    classOf: (name) => SYSCALLS.get(name)?.class,
    holderPid: () => readKernelInfo(paths)?.pid ?? null,
    startKernel: () => {
      if (!existsSync(paths.kernelDb)) machine.onFirstRun();
      return startKernel(machine);
    },
    showedInterrupted: () => interrupted,
    readSys: async () => {
      const { readOnlySys } = await import("./boot-read.ts");
      return readOnlySys({ paths, clock, random, onInterrupted: () => (interrupted = true) });
    },
  });
}

/** Starts a kernel, detached from everything of ours: its own session, `/` as directory, its log as output. */
export async function startKernel({
  paths,
  command,
  env,
}: Pick<ClientMachine, "paths" | "command" | "env">): Promise<StarterEnd> {
  const log = openSync(paths.kernelLog, "a", 0o600);
  const from = statSync(paths.kernelLog).size;
  try {
    const child = Bun.spawn([...command, "kernel", "run"], {
      cwd: "/",
      env: {
        ...only(env, KERNEL_ENV),
        ...only(
          env,
          Object.values(SETTINGS).map((setting) => setting.env),
        ),
        GSV_HOME: paths.home,
      },
      stdio: ["ignore", log, log],
      detached: true,
    });
    child.unref();
    const status = await child.exited;
    return { status, says: status === 0 ? null : lastLine(readFileSync(paths.kernelLog).subarray(from).toString()) };
  } finally {
    closeSync(log);
  }
}

export function clientEnv(env: ClientMachine["env"]): { readonly [name: string]: string } {
  return only(env, CLIENT_ENV);
}

function only(env: ClientMachine["env"], names: readonly string[]): { [name: string]: string } {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function lastLine(text: string): string | null {
  return text.trimEnd().split("\n").at(-1) || null;
}
