// Starts a kernel as a process of its own, with a bounded log, and reads from the log why one ended.

import { closeSync, openSync, readFileSync, renameSync, statSync } from "node:fs";
import { KERNEL_ENV } from "../../abi/config/environment.ts";
import { messageOf, SysError } from "../../abi/errno.ts";
import { variablesNamed } from "../../lib/host-environment.ts";
import { quoted } from "../../lib/text/quote.ts";
import type { HomePaths } from "../../paths.ts";
import type { StarterEnd } from "../../rpc/find.ts";

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

export interface KernelStart {
  readonly paths: HomePaths;
  /** The command that runs this gsv: the binary, or Bun and the entry. */
  readonly command: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
}

/** Starts a detached kernel: own session, directory `/`, output to its log. */
export async function startKernel({ paths, command, env }: KernelStart): Promise<StarterEnd> {
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
