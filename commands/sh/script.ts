// One script from beginning to end: brought back to where the line before left off, run by the interpreter over gsv's files and programs,
// and its end told in bytes. The interpreter itself keeps nothing between two scripts.

import { Bash, type CustomCommand, defineCommand } from "just-bash/browser";
import type { ShellEnd, ShellJob, ShellState } from "../../src/targets/shell.ts";
import { GsvFiles, printed, type Sink } from "./files.ts";
import type { KernelLine } from "./kernel-line.ts";
import { prepared, SINKS, scriptOf } from "./syntax.ts";

/** The last command of a line whose state is kept; no name that anybody types. */
const KEEP = "__gsv_keep";
const BYTES_LIVE_MAX = 256 * 1024 * 1024;
const UNCOUNTED = 1_000_000_000;
/** Variables that the interpreter sets itself, each time. */
const ITS_OWN =
  /^declare -\S+ (?:[?!#@*$0-9_-]|BASH\w*|SHELLOPTS|PIPESTATUS|PWD|OLDPWD|FUNCNAME|OSTYPE|MACHTYPE|HOSTTYPE|UID|EUID|PPID|LINENO|RANDOM|SECONDS|OPTIND)=/;

const ON_AT_FIRST = new Set(["globskipdots", "braceexpand", "hashall", "interactive-comments"]);

export interface Runs {
  readonly kernel: KernelLine;
  readonly programs: readonly CustomCommand[];
  readonly signal: AbortSignal;
  readonly print: Sink;
}

export async function runScript(job: ShellJob, { kernel, programs, signal, print }: Runs): Promise<ShellEnd> {
  let state: ShellState | null = null;
  // What has a mistake in it is refused before any of it runs.
  let parsed = false;
  const defined = new Map<string, Parameters<typeof scriptOf>[0][number]>();
  const keep = keepCommand((kept) => {
    state = kept;
  }, defined);
  const bash = new Bash({
    fs: new GsvFiles(kernel, print),
    cwd: job.state?.cwd ?? job.cwd,
    env: { ...job.env },
    defenseInDepth: false,
    customCommands: [...programs, keep],
    executionLimits: {
      maxCommandCount: UNCOUNTED,
      maxLoopIterations: UNCOUNTED,
      maxAwkIterations: UNCOUNTED,
      maxSedIterations: UNCOUNTED,
      maxJqIterations: UNCOUNTED,
      maxWorkUnits: UNCOUNTED,
      maxLiveBytes: BYTES_LIVE_MAX,
      maxOutputSize: job.outputBytesMax,
    },
  });
  bash.registerTransformPlugin({
    name: "gsv",
    transform: ({ ast }) => {
      parsed = true;
      const script = prepared(ast as never, job.name);
      for (const [name, node] of script.functions) defined.set(name, node);
      return { ast: script.ast as never };
    },
  });
  const options = { rawScript: true, stdin: latin1(job.stdin), stdinKind: "bytes", signal } as const;
  try {
    const { exitCode, stdout, stderr } = await bash.exec(wholeScript(job), options);
    print("stdout", printed(stdout));
    print("stderr", Buffer.from(stderr));
    return { exit: exitCode, state, cut: !parsed };
  } catch (error) {
    const text = error instanceof Error ? error.message.replace(/^bash: /, "") : String(error);
    print("stderr", Buffer.from(`${job.name}: ${text}\n`));
    return { exit: 1, state: null, cut: true };
  }
}

// What was kept comes first, silently; what is to be kept is asked last, and changes no status.
function wholeScript({ script, args, state, keepsState }: ShellJob): string {
  const before = state === null ? "" : `{\n${state.prelude}\n} 2>>${SINKS.nowhere}\n(exit ${state.status})\n`;
  // Somebody types these lines: their aliases count.
  const typed = keepsState && state === null ? "shopt -s expand_aliases\n" : "";
  const positional = args.length === 0 ? "" : `set -- ${args.map(quoted).join(" ")}\n`;
  const keep = `\n${KEEP} "$?" "$(declare -p)" "$(alias)" "$(shopt -p; set +o)" "$(declare -F)"`;
  return typed + before + positional + script + (keepsState ? keep : "");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function keepCommand(keep: (state: ShellState) => void, defined: Functions): CustomCommand {
  return defineCommand(KEEP, async ([status = "0", variables = "", ...rest], { cwd }) => {
    const [aliases = "", settings = "", names = ""] = rest;
    const lines = variables.split("\n").filter((line) => line.startsWith("declare ") && !ITS_OWN.test(line));
    const functions = names.split("\n").map((line) => line.replace(/^declare -f\S* /, ""));
    const texts = functions.flatMap((name) => {
      const node = defined.get(name);
      return node === undefined ? [] : [textOf(node)];
    });
    const words = [...functions, ...aliases.split("\n").map((line) => line.replace(/^alias ([^=]+)=.*$/s, "$1"))];
    keep({
      cwd,
      prelude: [...lines.map(assignment), aliases, ...texts, ...settings.split("\n").filter(isUnusual)].join("\n"),
      defined: words.filter((word) => word !== ""),
      status: Number(status),
    });
    return { stdout: "", stderr: "", exitCode: Number(status) };
  });
}

// The interpreter reads these forms back as they were, and its own `declare` lines not always.
function assignment(declared: string): string {
  return declared.replace(/^declare -[-a] /, "").replace(/^declare -x /, "export ");
}

/** A line that sets an option to what it is not by itself. */
function isUnusual(line: string): boolean {
  const [command, flag, name = ""] = line.split(" ");
  const isOn = command === "shopt" ? flag === "-s" : flag === "-o";
  return isOn !== ON_AT_FIRST.has(name);
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
