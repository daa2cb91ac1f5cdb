// Gives a command a Sys that finds or starts the kernel of the home at its first use. A kernel is a separate process with its own
// environment.

import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync, statSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { CLIENT_ENV, KERNEL_ENV } from "../abi/config/environment.ts";
import { messageOf, SysError } from "../abi/errno.ts";
import type { Credentials } from "../abi/identity.ts";
import type { RandomBytes } from "../abi/ids.ts";
import type { ClientInfo, ConnectingSys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { variablesNamed } from "../lib/host-environment.ts";
import { isStopped } from "../lib/stopped.ts";
import { quoted } from "../lib/text/quote.ts";
import { clip } from "../lib/text/truncate.ts";
import { type HomePaths, prepareHome, readKernelInfo } from "../paths.ts";
import { openSys } from "../rpc/connect.ts";
import type { StarterEnd } from "../rpc/find.ts";
import { syscallNamed } from "../syscalls/table.ts";
import type { SocketPlace } from "./socket.ts";

const IN_PROCESS = "in-process";
const ERROR_MARK = "gsv: ";
const HINT_MARK = "  ";
/** A longer log is rotated when a kernel starts. */
const LOG_BYTES_MAX = 8 * 1024 * 1024;
/** The runtime would collect garbage every second, which would keep an idle kernel awake. */
const MEMORY_LOOK_MS = 60_000;
/** The runtime lets the heap of a kernel grow by a share of the memory: with less, it collects earlier and keeps less. */
const MEMORY_ASSUMED = 192 * 2 ** 20;
/**
 * How much of a function is interpreted before it is compiled; 500 is the runtime's own. A kernel runs most of what it runs a few dozen
 * times: compiling that takes a fifth of its start, and the code stays in memory.
 */
const INTERPRETED_BEFORE_COMPILED = 2000;

export interface ClientMachine {
  readonly paths: HomePaths;
  /** Call it after the home is prepared. */
  readonly socket: () => SocketPlace;
  readonly uid: number;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly info: ClientInfo;
  /** The account to act as, if not the person of the home. It never reads without a kernel. */
  readonly login?: Credentials | undefined;
  /** The command that runs this gsv: the binary, or Bun and the entry. */
  readonly command: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
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
      if (!existsSync(paths.kernelDb) && readdirSync(paths.procDir).length === 0) machine.onFirstRun();
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

/** Starts a detached kernel: own session, directory `/`, output to its log. */
export async function startKernel({
  paths,
  command,
  env,
}: Pick<ClientMachine, "paths" | "command" | "env">): Promise<StarterEnd> {
  const log = openLog(paths);
  const from = statSync(paths.kernelLog).size;
  try {
    const child = Bun.spawn([...command, "kernel", "run"], {
      cwd: "/",
      env: {
        ...variablesNamed(KERNEL_ENV, env),
        GSV_HOME: paths.home,
        BUN_GC_TIMER_INTERVAL: String(MEMORY_LOOK_MS),
        BUN_JSC_forceRAMSize: String(MEMORY_ASSUMED),
        BUN_JSC_thresholdForJITAfterWarmUp: String(INTERPRETED_BEFORE_COMPILED),
      },
      stdio: ["ignore", log, log],
      detached: true,
    });
    child.unref();
    const status = await child.exited;
    return { status, ...lastWords(status === 0 ? "" : readFileSync(paths.kernelLog).subarray(from).toString()) };
  } finally {
    closeSync(log);
  }
}

function openLog({ home, logDir, kernelLog }: HomePaths): number {
  try {
    // Rotate only between two kernels: a running one would keep writing to the renamed file.
    if ((statSync(kernelLog, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX)
      renameSync(kernelLog, `${kernelLog}.1`);
    return openSync(kernelLog, "a", 0o600);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "EROFS")
      throw new SysError("ECONFIG", `cannot write to ${home}: read-only file system`, [
        "commands that only read still work; for others, mount it writable or set GSV_HOME",
      ]);
    if (code === "EACCES" || code === "EPERM")
      throw new SysError("ECONFIG", `cannot write to ${kernelLog}: permission denied`, [
        `commands that only read still work; for others: chmod 700 ${[home, logDir].map(quoted).join(" ")}`,
      ]);
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new SysError("ENOSPC", `cannot start the kernel: the disk is full (${kernelLog})`, ["free some space"]);
    throw error;
  }
}

export function isInProcess(env: ClientMachine["env"]): boolean {
  const { GSV_KERNEL: mode = "" } = env;
  if (mode === "" || mode === IN_PROCESS) return mode !== "";
  throw new SysError("ECONFIG", `unknown GSV_KERNEL value: ${clip(mode)}`, [
    `set it to ${IN_PROCESS} to run a kernel inside each command, or unset it`,
  ]);
}

export function clientEnv(env: ClientMachine["env"]): { readonly [name: string]: string } {
  return variablesNamed(CLIENT_ENV, env);
}

/** The error that ended a kernel, from its log. Other lines may surround it. */
function lastWords(log: string): Pick<StarterEnd, "says" | "hints"> {
  const lines = log.trimEnd().split("\n");
  const at = lines.findLastIndex((line) => line.startsWith(ERROR_MARK));
  const says = (at === -1 ? lines.at(-1) : lines[at]?.slice(ERROR_MARK.length)) || null;
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !line.startsWith(HINT_MARK));
  const hints = at === -1 ? [] : rest.slice(0, end === -1 ? rest.length : end);
  return { says, hints: hints.map((line) => line.slice(HINT_MARK.length)) };
}

export function lastWordsOf(error: unknown): string {
  const { hints } = error instanceof SysError ? error : { hints: [] };
  const message = messageOf(error);
  return [ERROR_MARK + message, ...hints.map((hint) => HINT_MARK + hint)].map((line) => `${line}\n`).join("");
}
