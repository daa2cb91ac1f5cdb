// One script from beginning to end: brought back to where the line before left off, run by the interpreter over gsv's files and programs,
// and its end told in bytes. The interpreter itself keeps nothing between two scripts.

import { Bash, type CustomCommand, defineCommand, getCommandNames } from "just-bash/browser";
import type { ShellEnd, ShellJob, ShellState } from "../../src/targets/shell.ts";
import { PROGRAMS } from "../bin/table.ts";
import { adjusted } from "./adjusted.ts";
import { binPrograms } from "./bin.ts";
import { definitionText } from "./definition.ts";
import { GsvFiles, printed, type Sink } from "./files.ts";
import type { Machine } from "./io.ts";
import type { KernelLine } from "./kernel-line.ts";
import { type Node, scriptOf } from "./nodes.ts";
import { OWN } from "./rewrite.ts";
import { ShellTables } from "./shell-tables.ts";
import { functionsIn, prepared, SINKS } from "./syntax.ts";

/** The last command of a line whose state is kept; no name that anybody types. */
const KEEP = "__gsv_keep";
const BYTES_LIVE_MAX = 256 * 1024 * 1024;
const UNCOUNTED = 1_000_000_000;
/** The wall limit bounds them all. */
const LIMITS = {
  maxCommandCount: UNCOUNTED,
  maxLoopIterations: UNCOUNTED,
  maxAwkIterations: UNCOUNTED,
  maxSedIterations: UNCOUNTED,
  maxJqIterations: UNCOUNTED,
  maxWorkUnits: UNCOUNTED,
  maxCallDepth: 1000,
  maxLiveBytes: BYTES_LIVE_MAX,
};
const EXIT_UNSET = 127;
const EXIT_LIMIT = 126;
const EXIT_TOO_MUCH = 153;
const SHORT_BYTES = 512;
/** Variables that the interpreter sets itself, each time. */
const ITS_OWN =
  /^declare -\S+ (?:[?!#@*$0-9_-]|BASH\w*|SHELLOPTS|PIPESTATUS|PWD|OLDPWD|FUNCNAME|OSTYPE|MACHTYPE|HOSTTYPE|UID|EUID|PPID|LINENO|RANDOM|SECONDS|OPTIND|__gsv_\w+)=/;

const ON_AT_FIRST = new Set(["globskipdots", "braceexpand", "hashall", "interactive-comments"]);

export interface Runs {
  readonly kernel: KernelLine;
  readonly programs: readonly CustomCommand[];
  readonly machine: Machine;
  readonly signal: AbortSignal;
  readonly print: Sink;
}

export async function runScript(job: ShellJob, runs: Runs): Promise<ShellEnd> {
  return new Script(job, runs).run();
}

class Script {
  private readonly functions = new Map<string, Node>();
  private readonly tables: ShellTables;
  private readonly bash: Bash;
  private readonly unset = new AbortController();
  private state: ShellState | null = null;
  /** What has a mistake in it is refused before any of it runs. */
  private parsed = false;
  private traps = false;
  /** Scripts so far: this one, and those that its commands run. */
  private shells = 0;

  constructor(
    private readonly job: ShellJob,
    private readonly runs: Runs,
  ) {
    this.tables = new ShellTables({
      rewritten: (text, told) => this.rewritten(text, told),
      written: (name) => {
        const node = this.functions.get(name);
        return node === undefined ? null : definitionText(node, textOf);
      },
      waitFor: async (args, context) => {
        const wait = runs.programs.find(({ name }) => name === "wait");
        const command = wait !== undefined && "load" in wait ? await wait.load() : wait;
        return command?.execute(args, context) ?? { stdout: "", stderr: "", exitCode: 127 };
      },
    });
    const keep = keepCommand(
      (kept) => {
        this.state = kept;
      },
      this.functions,
      this.tables,
    );
    const names = [...runs.programs.map(({ name }) => name), ...PROGRAMS.keys()];
    const files = new GsvFiles({
      kernel: runs.kernel,
      sink: this.sink,
      sourceAt: (path) => this.tables.sourceAt(path),
      umask: job.state?.umask ?? null,
      programs: new Set([...names, ...getCommandNames()]),
    });
    this.bash = new Bash({
      fs: files,
      cwd: job.state?.cwd ?? job.cwd,
      env: { ...job.env },
      defenseInDepth: false,
      customCommands: [
        ...runs.programs,
        ...binPrograms({ files, machine: runs.machine, outputBytesMax: job.outputBytesMax }),
        ...adjusted(),
        ...this.tables.programs(),
        keep,
        umaskCommand(files),
      ],
      executionLimits: { ...LIMITS, maxOutputSize: job.outputBytesMax },
    });
    this.bash.registerTransformPlugin({
      name: "gsv",
      transform: ({ ast }) => ({ ast: this.changed(ast as never) as never }),
    });
  }

  async run(): Promise<ShellEnd> {
    const { job } = this;
    const { print, signal } = this.runs;
    const stopped = AbortSignal.any([signal, this.unset.signal]);
    const options = { rawScript: true, stdin: latin1(job.stdin), stdinKind: "bytes", signal: stopped } as const;
    try {
      const { exitCode, stdout, stderr, env } = await this.bash.exec(wholeScript(job), options);
      const isTooMuch = exitCode === EXIT_LIMIT && /output size (?:limit )?exceeded/.test(stderr);
      const exit = this.unset.signal.aborted ? EXIT_UNSET : isTooMuch ? EXIT_TOO_MUCH : exitCode;
      print("stdout", printed(stdout));
      const word = stopped.aborted ? stderr.replace("bash: execution aborted\n", "") : stderr;
      print("stderr", Buffer.from(worded(word)));
      return { exit: await this.leave(exit, env), state: this.state, cut: !this.parsed };
    } catch (error) {
      const text = error instanceof Error ? error.message.replace(/^bash: /, "") : String(error);
      print("stderr", Buffer.from(`${job.name}: ${text}\n`));
      return { exit: 1, state: null, cut: true };
    }
  }

  // Where nothing of the script was left to do it: under set -e, or when somebody stopped it.
  private async leave(status: number, env: { readonly [name: string]: string }): Promise<number> {
    const trap = this.tables.takeExit();
    if (trap === null || this.state !== null) return status;
    const script = `${OWN.status} ${status}\n${trap}\nexit ${status}`;
    const { exitCode, stdout, stderr } = await this.bash.exec(script, {
      env: { ...env },
      cwd: env.PWD,
      rawScript: true,
    });
    this.runs.print("stdout", printed(stdout));
    this.runs.print("stderr", Buffer.from(stderr));
    return exitCode;
  }

  private changed(ast: Node): Node {
    const isFirst = !this.parsed;
    this.parsed = true;
    const known = isFirst ? [] : functionsIn(ast, this.functions);
    const whole = { ...ast, statements: [...(scriptOf(known).statements as Node[]), ...(ast.statements as Node[])] };
    const text = JSON.stringify(ast);
    return prepared(whole, {
      ...this.rules(text, isFirst),
      name: isFirst ? this.job.name : null,
      functions: this.functions,
      told: isFirst,
      ends: !(isFirst && this.job.keepsState),
    });
  }

  private rules(text: string, isFirst: boolean) {
    const shell = isFirst ? 1 : ++this.shells + 1;
    // A file that is read may set some too, and some may be set outside of it.
    this.traps ||= /\b(?:trap|source)\b|"\."/.test(text);
    return { shell, traps: this.traps, errexit: /"-\w*e\w*"|errexit/.test(text), parse };
  }

  private rewritten(text: string, told: boolean): string {
    const writer = new Bash({ defenseInDepth: false, commands: [] });
    writer.registerTransformPlugin({
      name: "gsv",
      transform: ({ ast }) => ({
        ast: prepared(ast as never, {
          ...{ ...this.rules(JSON.stringify(ast), true), name: this.job.name, functions: this.functions, told },
          // Whoever reads it goes on after it.
          ends: false,
        }) as never,
      }),
    });
    try {
      return closed(writer.transform(text).script);
    } catch {
      return text; // the interpreter says what is wrong with it
    }
  }

  // The interpreter goes on after a variable that set -u should have stopped at, once it has said so.
  private readonly sink: Sink = (stream, bytes, inner) => {
    const text = stream === "stderr" && bytes.byteLength < SHORT_BYTES ? new TextDecoder().decode(bytes) : "";
    if (inner || !/^\w+: unbound variable\n$/.test(text))
      return this.runs.print(stream, text === "" ? bytes : Buffer.from(worded(text)));
    this.runs.print(stream, Buffer.from(`bash: ${text}`));
    this.unset.abort();
  };
}

/** Its limits are named without what to do about them in somebody else's program. */
function worded(text: string): string {
  return text.replaceAll(/, increase executionLimits\.\w+|\(increase executionLimits\.\w+\)/g, "");
}

let parser: Bash | null = null;

function parse(text: string): readonly Node[] {
  parser ??= new Bash({ defenseInDepth: false, commands: [] });
  const ast: unknown = parser.transform(text).ast;
  return (ast as Node).statements as readonly Node[];
}

function umaskCommand(files: GsvFiles): CustomCommand {
  return defineCommand("umask", async (args) => {
    const { umask } = await import("./umask.ts");
    return umask(args, files);
  });
}

// What was kept comes first, silently; what is to be kept is asked last, and changes no status.
function wholeScript({ script, args, state, keepsState }: ShellJob): string {
  const before = state === null ? "" : `{\n${state.prelude}\n} 2>>${SINKS.nowhere}\n(exit ${state.status})\n`;
  // Somebody types these lines: their aliases count.
  const typed = keepsState && state === null ? "shopt -s expand_aliases\n" : "";
  const positional = args.length === 0 ? "" : `set -- ${args.map(quoted).join(" ")}\n`;
  const keep = `\n${KEEP} "$?" "$(declare -p)" "$(alias)" "$(shopt -p; set +o)" "$(declare -F)"`;
  // In the script's own first line, so that its lines count from one.
  const version = "BASH_VERSION='5.2.15(1)-release' BASH_VERSINFO=(5 2 15 1 release x86_64-pc-linux-gnu)";
  const own = script.includes("BASH_VERS") ? `${version}; ` : "";
  const jobs = script.includes("$!") ? `${OWN.lastJob}=; ` : "";
  return typed + before + positional + own + jobs + script + (keepsState ? keep : "");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function keepCommand(keep: (state: ShellState) => void, defined: Functions, tables: ShellTables): CustomCommand {
  return defineCommand(KEEP, async ([status = "0", variables = "", ...rest], { cwd, fs }) => {
    const [aliases = "", settings = "", names = ""] = rest;
    const lines = variables.split("\n").filter((line) => line.startsWith("declare ") && !ITS_OWN.test(line));
    const functions = names.split("\n").map((line) => line.replace(/^declare -f\S* /, ""));
    const texts = functions.flatMap((name) => {
      const node = defined.get(name);
      return node === undefined ? [] : [textOf(node)];
    });
    const words = [...functions, ...aliases.split("\n").map((line) => line.replace(/^alias ([^=]+)=.*$/s, "$1"))];
    const unusual = settings.split("\n").filter(isUnusual);
    keep({
      cwd,
      prelude: [...lines.map(assignment), aliases, ...texts, ...tables.kept, ...unusual].join("\n"),
      defined: words.filter((word) => word !== ""),
      status: Number(status),
      umask: fs instanceof GsvFiles ? fs.umask : null,
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

type Functions = ReadonlyMap<string, Node>;

/** A command written down again, by the interpreter's own means. */
function textOf(command: Node): string {
  const writer = new Bash({ defenseInDepth: false, commands: [] });
  writer.registerTransformPlugin({ name: "gsv", transform: () => ({ ast: scriptOf([command]) as never }) });
  return closed(writer.transform(":").script);
}

/** The end of a here-document stands alone in its line, also where the interpreter's means put a brace after it. */
function closed(text: string): string {
  const ends = new Set([...text.matchAll(/<<-?\s*['"]?(\w+)/g)].map(([, end = ""]) => end));
  let whole = text;
  for (const end of ends)
    whole = whole.replaceAll(
      new RegExp(`^(\\t*${end})(; \\}| ?\\)|;)`, "gm"),
      (_, word, rest) => `${word}\n${rest.replace(/^; /, "")}`,
    );
  return whole;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
