// Gives a command a Sys that finds or starts the kernel of the home at its first use. A kernel is a separate process with its own
// environment.

import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import { CLIENT_ENV } from "../abi/config/environment.ts";
import { messageOf, SysError } from "../abi/errno.ts";
import type { Credentials } from "../abi/identity.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { ClientInfo, ConnectingSys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { variablesNamed } from "../lib/host-environment.ts";
import { isStopped } from "../lib/stopped.ts";
import { clip } from "../lib/text/truncate.ts";
import { prepareHome, readKernelInfo } from "../paths.ts";
import { openSys } from "../rpc/connect.ts";
import { syscallNamed } from "../syscalls/table.ts";
import { VERSION } from "../version.ts";
import type { SocketPlace } from "./socket.ts";
import { type EarlyKernel, isNewHome } from "./start/early-kernel.ts";
import { type KernelStart, startKernel } from "./start/start-kernel.ts";

const IN_PROCESS = "in-process";

export interface ClientMachine extends KernelStart {
  /** Call it after the home is prepared. */
  readonly socket: () => SocketPlace;
  readonly uid: number;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly info: ClientInfo;
  /** The account to act as, if not the person of the home. It never reads without a kernel. */
  readonly login?: Credentials | undefined;
  /** Started before the command was loaded. */
  readonly early?: EarlyKernel | null;
  readonly onFirstRun: () => void;
}

async function ownLimit(name: string, args: object): Promise<string | null> {
  const [{ parseArgs }, syscall] = await Promise.all([import("../syscalls/parse.ts"), syscallNamed(name)]);
  try {
    if (syscall !== undefined) parseArgs(syscall.input, args, { unknownKeys: "drop" });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

export function clientSys(machine: ClientMachine): ConnectingSys {
  const { paths, clock, random } = machine;
  prepareHome(paths, machine.uid);
  const socket = machine.socket();
  let interrupted = false;
  let early = machine.early ?? null;
  if (early?.isNewHome) machine.onFirstRun();
  return openSys({
    socketPath: socket.path,
    mayDial: socket.mayServe,
    info: machine.info,
    login: machine.login,
    exe: machine.command.at(-1) ?? "gsv",
    clock,
    random,
    classOf: async (name) => (await syscallNamed(name))?.class,
    ownLimit,
    holderPid: () => readKernelInfo(paths)?.pid ?? null,
    isSuspended: async (pid) => isStopped(pid) ?? (await isStoppedInPs(pid, machine.env.PATH)),
    startKernel: () => {
      if (early !== null) {
        const { end } = early;
        early = null;
        return end;
      }
      if (isNewHome(paths)) machine.onFirstRun();
      return startKernel(machine);
    },
    watchSocket: (came) => watchFor(socket.path, came),
    showedInterrupted: () => interrupted,
    readSys: async () => {
      if (machine.login !== undefined) return null;
      const { readOnlySys } = await import("./read.ts");
      const { info: client, env } = machine;
      const config = async () => (await import("../abi/config/config.ts")).configFrom(env);
      const options = { client, config, secretsStore: env.GSV_SECRETS, path: env.PATH };
      return readOnlySys({ paths, clock, random, onInterrupted: () => (interrupted = true), ...options });
    },
  });
}

/** Never calls back if the directory cannot be watched. */
function watchFor(path: string, came: () => void): () => void {
  try {
    const watcher = watch(dirname(path), (_event, name) => name === basename(path) && came());
    watcher.on("error", () => {});
    return () => watcher.close();
  } catch {
    return () => {};
  }
}

/** For systems without /proc. */
async function isStoppedInPs(pid: number, path = ""): Promise<boolean | null> {
  if (process.platform === "linux") return null;
  const child = Bun.spawn(["ps", "-o", "state=", "-p", String(pid)], {
    env: { PATH: path },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const state = (await child.stdout.text()).trim();
  return state === "" ? null : state.startsWith("T");
}

export function isInProcess(env: ClientMachine["env"]): boolean {
  const { GSV_KERNEL: mode = "" } = env;
  if (mode === "" || mode === IN_PROCESS) return mode !== "";
  throw new SysError("ECONFIG", `unknown GSV_KERNEL value: ${clip(mode)}`, [
    `set it to ${IN_PROCESS} to run a kernel inside each command, or unset it`,
  ]);
}

export function clientInfo(
  { env, clock, random }: Pick<ClientMachine, "env" | "clock" | "random">,
  cwd: string,
  flags?: ClientInfo["flags"],
): ClientInfo {
  const given = flags === undefined ? {} : { flags };
  return {
    ...{ clientId: uuidv7(clock.now(), random), version: VERSION, cwd },
    ...{ env: variablesNamed(CLIENT_ENV, env), ...given },
  };
}
