// One script from beginning to end: brought back to where the line before left off, run by the interpreter over gsv's files and programs,
// and its end told in bytes. The interpreter itself keeps nothing between two scripts.

import { Bash, type BashExecResult, type CustomCommand, defineCommand } from "just-bash/browser";
import type { ShellEnd, ShellJob, ShellState } from "../../src/targets/shell.ts";
import { GsvFiles } from "./files.ts";
import type { KernelLine } from "./kernel-line.ts";
import { prepared, scriptOf } from "./syntax.ts";

/** The last command of a line whose state is kept; no name that anybody types. */
const KEEP = "__gsv_keep";
const BYTES_LIVE_MAX = 256 * 1024 * 1024;
const UNCOUNTED = 1_000_000_000;
/** Variables that the interpreter sets itself, each time. */
const ITS_OWN =
  /^declare -\S+ (?:[?!#@*$0-9_-]|BASH\w*|SHELLOPTS|PIPESTATUS|PWD|OLDPWD|FUNCNAME|OSTYPE|MACHTYPE|HOSTTYPE|UID|EUID|PPID|LINENO|RANDOM|SECONDS|OPTIND)=/;

export interface Runs {
  readonly kernel: KernelLine;
  readonly programs: readonly CustomCommand[];
  readonly signal: AbortSignal;
}

export async function runScript(job: ShellJob, { kernel, programs, signal }: Runs): Promise<ShellEnd> {
  const keeping: { state: ShellState | null } = { state: null };
  const defined = new Map<string, Parameters<typeof scriptOf>[0][number]>();
  const bash = new Bash({
    fs: new GsvFiles(kernel),
    cwd: job.state?.cwd ?? job.cwd,
    env: { ...job.env },
    defenseInDepth: false,
    customCommands: [
      ...programs,
      keepCommand((state) => {
        keeping.state = state;
      }, defined),
    ],
    processInfo: { uid: Number(job.env.UID ?? 1000), gid: Number(job.env.GID ?? 1000) },
    executionLimits: {
      maxCommandCount: UNCOUNTED,
      maxLoopIterations: UNCOUNTED,
      maxAwkIterations: UNCOUNTED,
      maxSedIterations: UNCOUNTED,
      maxJqIterations: UNCOUNTED,
      maxWorkUnits: UNCOUNTED,
      maxLiveBytes: BYTES_LIVE_MAX,
      maxOutputSize: job.outputBytesMax,
      maxExecutionTimeMs: job.wallMs,
    },
  });
  bash.registerTransformPlugin({
    name: "gsv",
    transform: ({ ast }) => {
      const script = prepared(ast as never, job.name);
      for (const [name, node] of script.functions) defined.set(name, node);
      return { ast: script.ast as never };
    },
  });
  const options = { rawScript: true, stdin: latin1(job.stdin), stdinKind: "bytes", signal } as const;
  try {
    return endOf(await bash.exec(wholeScript(job), options), keeping.state);
  } catch (error) {
    const text = `${job.name}: ${error instanceof Error ? error.message.replace(/^bash: /, "") : String(error)}\n`;
    return { exit: 1, stdout: new Uint8Array(), stderr: Buffer.from(text), state: null };
  }
}

// What was kept comes first, silently; what is to be kept is asked last, and changes no status.
function wholeScript({ script, args, state, keepsState }: ShellJob): string {
  const before = state === null ? "" : `{\n${state.prelude}\n} 2>/dev/null\n(exit ${state.status})\n`;
  // Somebody types these lines: their aliases count.
  const typed = keepsState && state === null ? "shopt -s expand_aliases\n" : "";
  const positional = args.length === 0 ? "" : `set -- ${args.map(quoted).join(" ")}\n`;
  const keep = `\n${KEEP} "$?" "$(declare -p)" "$(alias)" "$(shopt -p)" "$(set +o)" "$(declare -F)"`;
  return typed + before + positional + script + (keepsState ? keep : "");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function keepCommand(keep: (state: ShellState) => void, defined: Functions): CustomCommand {
  return defineCommand(KEEP, async ([status = "0", variables = "", ...rest], { cwd }) => {
    const [aliases = "", shopts = "", options = "", names = ""] = rest;
    const lines = variables.split("\n").filter((line) => line.startsWith("declare ") && !ITS_OWN.test(line));
    const texts = names.split("\n").flatMap((line) => {
      const node = defined.get(line.replace(/^declare -f\S* /, ""));
      return node === undefined ? [] : [textOf(node)];
    });
    keep({ cwd, prelude: [...lines, aliases, ...texts, shopts, options].join("\n"), status: Number(status) });
    return { stdout: "", stderr: "", exitCode: Number(status) };
  });
}

type Functions = ReadonlyMap<string, Parameters<typeof scriptOf>[0][number]>;

/** A command written down again, by the interpreter's own means. */
function textOf(command: Parameters<typeof scriptOf>[0][number]): string {
  const writer = new Bash({ defenseInDepth: false, commands: [] });
  writer.registerTransformPlugin({ name: "gsv", transform: () => ({ ast: scriptOf([command]) as never }) });
  return writer.transform(":").script;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function endOf(result: BashExecResult, state: ShellState | null): ShellEnd {
  return { exit: result.exitCode, stdout: bytesFrom(result.stdout), stderr: Buffer.from(result.stderr), state };
}

// The interpreter hands out text; bytes that are no text it hands out as they are, a character each, and does not say so. Text has no
// control characters but the usual ones, and those of 0x80 to 0x9f never.
function bytesFrom(stdout: string): Uint8Array {
  const isBinary = /[\x00-\x06\x0e-\x1a\x1c-\x1f\x80-\x9f]/.test(stdout) && !/[^\x00-\xff]/.test(stdout);
  return Buffer.from(stdout, isBinary ? "latin1" : "utf8");
}
