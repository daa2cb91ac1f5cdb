// What a command holds of the kernel: a Sys that finds or starts the kernel of this home when it is first used. A kernel that is started
// is a process of its own, with an environment of its own.

import { closeSync, existsSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { CLIENT_ENV, configFrom, KERNEL_ENV } from "./abi/config.ts";
import { SysError } from "./abi/errno.ts";
import type { Credentials } from "./abi/identity.ts";
import type { RandomBytes } from "./abi/ids.ts";
import type { ClientInfo, Sys } from "./abi/sys.ts";
import type { Clock } from "./lib/clock.ts";
import { clip } from "./lib/truncate.ts";
import { type HomePaths, prepareHome, readKernelInfo } from "./paths.ts";
import { openSys } from "./rpc/connect.ts";
import type { StarterEnd } from "./rpc/find.ts";
import { syscallNamed } from "./syscalls/table.ts";

const IN_PROCESS = "in-process";
/** A longer log is put aside, in the place of the one put aside before, when a kernel is started. */
const LOG_BYTES_MAX = 8 * 1024 * 1024;

export interface ClientMachine {
  readonly paths: HomePaths;
  readonly socketPath: string;
  readonly uid: number;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly info: ClientInfo;
  /** Who acts, when that is not the home's own human; they never read without a kernel. */
  readonly login?: Credentials | undefined;
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
    login: machine.login,
    exe: machine.command.at(-1) ?? "gsv",
    clock,
    random,
    classOf: async (name) => (await syscallNamed(name))?.class,
    holderPid: () => readKernelInfo(paths)?.pid ?? null,
    startKernel: () => {
      if (!existsSync(paths.kernelDb)) machine.onFirstRun();
      return startKernel(machine);
    },
    showedInterrupted: () => interrupted,
    readSys: async () => {
      if (machine.login !== undefined) return null;
      const { readOnlySys } = await import("./boot-read.ts");
      const { info: client, env } = machine;
      const asked = { client, config: configFrom(env), secretsStore: env.GSV_SECRETS };
      return readOnlySys({ paths, clock, random, onInterrupted: () => (interrupted = true), ...asked });
    },
  });
}

/** Starts a kernel, detached from everything of ours: its own session, `/` as directory, its log as output. */
export async function startKernel({
  paths,
  command,
  env,
}: Pick<ClientMachine, "paths" | "command" | "env">): Promise<StarterEnd> {
  keepLogShort(paths.kernelLog);
  const log = openSync(paths.kernelLog, "a", 0o600);
  const from = statSync(paths.kernelLog).size;
  try {
    const child = Bun.spawn([...command, "kernel", "run"], {
      cwd: "/",
      env: {
        ...only(env, KERNEL_ENV),
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

// Between two kernels, because a kernel's output is a file it was handed: what it writes follows the file to its new name.
function keepLogShort(log: string): void {
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX) renameSync(log, `${log}.1`);
}

/** Whether the invocation is to be its own kernel. */
export function isInProcess(env: ClientMachine["env"]): boolean {
  const { GSV_KERNEL: told = "" } = env;
  if (told === "" || told === IN_PROCESS) return told !== "";
  throw new SysError("ECONFIG", `GSV_KERNEL cannot be ${clip(told)}`, [
    `set it to ${IN_PROCESS} for a kernel inside each command, or leave it out`,
  ]);
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
