// Runs one script: restores the shell's state, interprets the script with gsv's files and programs, and saves
// the state. The interpreter itself keeps nothing between two scripts.

import { Bash, type CustomCommand, defineCommand, getCommandNames } from "just-bash/browser";
import { ENDED_BY, exitStatusOfCode, messageOf } from "../../abi/errno.ts";
import { inQuotes } from "../../lib/text/quote.ts";
import type { SentSignal, ShellEnd, ShellJob, ShellState } from "../../targets/shell.ts";
import { Calls } from "../engine/calls.ts";
import { Coprocs } from "../engine/coprocs.ts";
import { extendInterpreter } from "../engine/engine.ts";
import { NOT_WRITTEN } from "../engine/file-limits.ts";
import { Jobs } from "../jobs/jobs.ts";
import { Traps } from "../jobs/traps.ts";
import { OWN, SINKS, withoutInternalWords } from "../programs/internal-words.ts";
import { PROGRAMS } from "../programs/table.ts";
import { type Events, eventsIn } from "../rewrite/event-traps.ts";
import { type Node, referencesIn, scriptOf, textsIn } from "../rewrite/nodes.ts";
import { adjusted } from "../rewrite/program-fixes.ts";
import { functionsIn, prepared, UNSET } from "../rewrite/syntax.ts";
import { changedText, definitionText, parse, statementText } from "../rewrite/text.ts";
import { parsable } from "../rewrite/unparsed.ts";
import { binPrograms } from "./builtins.ts";
import { worded } from "./errors.ts";
import { GsvFiles, printed, type Sink } from "./files.ts";
import type { Machine } from "./io.ts";
import { PRINTED_STATE, stateFrom } from "./kept-state.ts";
import type { KernelPort } from "./kernel-port.ts";
import { menuProgram } from "./menu.ts";
import type { OwnPrograms } from "./programs.ts";
import { scriptFilePrograms } from "./script-file.ts";
import { ShellTables } from "./shell-tables.ts";

/** The last command of a line whose state is kept. */
const KEEP = OWN.keep;
const BYTES_LIVE_MAX = 256 * 1024 * 1024;
const UNCOUNTED = 1_000_000_000;
/** Loops are bounded by the time limit only. */
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
const EXIT_TOO_LARGE = exitStatusOfCode("EFBIG");
const SHORT_BYTES = 2048;
const TOO_MUCH = /output size (?:limit )?exceeded/;
const SIGNAL_WORD = /^(?:SIG)?(?:HUP|INT|QUIT|TERM|USR[12]|ALRM|1|2|3|10|12|14|15)$/i;

export interface Runs {
  readonly kernel: KernelPort;
  readonly programs: OwnPrograms;
  readonly machine: Machine;
  readonly signal: AbortSignal;
  readonly print: Sink;
}

export class Script {
  private readonly functions = new Map<string, Node>();
  private readonly tables: ShellTables;
  private readonly files: GsvFiles;
  private readonly traps: Traps;
  private readonly jobs: Jobs;
  private readonly bash: Bash;
  private readonly stop = new AbortController();
  /** The exit status of a stopped script. */
  private stoppedWith: number | null = null;
  private state: ShellState | null = null;
  /** A script with a syntax error is refused before it runs. */
  private parsed = false;
  private hasTraps = false;
  private events: Events | null = null;
  /** Number of scripts so far: this one and those it runs. */
  private shells = 0;
  private statuses = false;
  private readonly references = new Set<string>();
  /** A required variable is unset. */
  private missed = false;
  private printedTooMuch = false;
  private printedTooLarge = false;
  /** Makes names of the rewritten script unique. */
  private lastNumber = 0;

  constructor(
    private readonly job: ShellJob,
    private readonly runs: Runs,
  ) {
    this.tables = new ShellTables({
      rewritten: (text, sendsOutput, file) => this.rewritten(text, sendsOutput, file),
      written: (name) => {
        const node = this.functions.get(name);
        return node === undefined ? null : definitionText(node);
      },
      tooMuch: (message) => {
        runs.print("stderr", Buffer.from(message));
        this.stopWith(EXIT_LIMIT);
      },
    });
    const { outputBytesMax } = job;
    const calls = new Calls(new Set([...runs.programs.names, "gsv", ...PROGRAMS.keys()]), outputBytesMax);
    const own = runs.programs.of(calls);
    const toShell = (signal: SentSignal) => runs.kernel.job("signalShell", signal);
    this.traps = new Traps(runs.machine.clock, job.isJob === true ? toShell : null);
    this.jobs = new Jobs({
      kernel: runs.kernel,
      traps: this.traps,
      isTyped: job.keepsState,
      state: (printed, { cwd }) => this.stateNow(printed, cwd, this.traps.inherited),
      tell: (text) => runs.print("stdout", Buffer.from(text)),
      program: async (wanted) => {
        const program = own.find(({ name }) => name === wanted);
        return program !== undefined && "load" in program ? await program.load() : program;
      },
    });
    const names = [...own.map(({ name }) => name), ...PROGRAMS.keys()];
    this.files = new GsvFiles({
      kernel: runs.kernel,
      sink: this.sink,
      sourceAt: (path) => this.tables.sourceAt(path),
      umask: job.state?.umask ?? null,
      random: runs.machine.random,
      clock: runs.machine.clock,
      programs: new Set([...names, ...getCommandNames()]),
    });
    const bin = { files: this.files, machine: runs.machine, calls, outputBytesMax };
    this.bash = new Bash({
      fs: this.files,
      cwd: job.state?.cwd ?? job.cwd,
      env: { ...job.env },
      defenseInDepth: false,
      customCommands: [
        ...own,
        ...binPrograms(bin),
        ...adjusted((work) => this.files.whileListing(work)),
        ...scriptFilePrograms(),
        ...this.tables.programs(),
        ...this.traps.programs(),
        ...this.jobs.programs(),
        this.keepCommand(),
        umaskCommand(this.files),
        menuProgram(),
      ],
      executionLimits: { ...LIMITS, maxOutputSize: outputBytesMax },
    });
    const { clock } = runs.machine;
    extendInterpreter(this.bash, { clock, calls, coprocs: new Coprocs(clock) });
    this.bash.registerTransformPlugin({
      name: "gsv",
      transform: ({ ast }) => ({ ast: this.changed(ast as never) as never }),
    });
  }

  async run(): Promise<ShellEnd> {
    const { job } = this;
    const { print, signal } = this.runs;
    const stopped = AbortSignal.any([signal, this.stop.signal]);
    const options = { rawScript: true, stdin: latin1(job.stdin), stdinKind: "bytes", signal: stopped } as const;
    try {
      const { exitCode, stdout, stderr, env } = await this.bash.exec(parsable(wholeScript(job), parse), options);
      print("stdout", printed(stdout));
      const word = stopped.aborted ? stderr.replace("bash: execution aborted\n", "") : stderr;
      // A typed line has no line numbers.
      const text = this.worded(word);
      print("stderr", Buffer.from(job.keepsState ? text.replaceAll(/^bash: line \d+: /gm, "bash: ") : text));
      const status = await this.leave(this.stoppedWith ?? this.exitOf(exitCode, stderr), env);
      const isLost = job.keepsState && this.stoppedWith !== null;
      return { exit: status, state: this.state, cut: !this.parsed || isLost };
    } catch (error) {
      const text = error instanceof Error ? error.message.replace(/^bash: /, "") : String(error);
      print("stderr", Buffer.from(`${job.name}: ${text}\n`));
      return { exit: 1, state: null, cut: true };
    } finally {
      await this.runs.kernel.settle();
    }
  }

  /** The interpreter ends a script with the same status at every limit. */
  private exitOf(status: number, stderr: string): number {
    if (status === EXIT_LIMIT && (this.printedTooLarge || NOT_WRITTEN.test(stderr))) return EXIT_TOO_LARGE;
    if (status === EXIT_LIMIT && (this.printedTooMuch || TOO_MUCH.test(stderr))) return ENDED_BY.output;
    return status === 1 && this.missed ? EXIT_UNSET : status;
  }

  // The script could not do it itself: it ended by set -e or was stopped.
  private async leave(status: number, env: { readonly [name: string]: string }): Promise<number> {
    if (this.state !== null || (this.job.keepsState && this.stoppedWith !== null)) return status;
    const trap = this.traps.takeExit();
    if (trap === null) return status;
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

  /** Handles a signal; false if it ends the script. */
  sent(signal: SentSignal): boolean {
    if (this.traps.sent(signal)) return true;
    void this.jobs.sent(signal);
    this.stopWith(128 + signal.number);
    return false;
  }

  private changed(ast: Node): Node {
    const isFirst = !this.parsed;
    this.parsed = true;
    const known = isFirst ? [] : functionsIn(ast, this.functions);
    // Not in the text: an open here-document or a backslash at its end would reach it.
    const kept = isFirst && this.job.keepsState ? parse(`${KEEP} ${PRINTED_STATE}`) : [];
    const written = ast.statements as Node[];
    const whole = { ...ast, statements: [...(scriptOf(known).statements as Node[]), ...written, ...kept] };
    return prepared(whole, {
      ...this.rules(ast, isFirst),
      name: isFirst ? this.job.name : null,
      isMain: isFirst,
      file: isFirst ? "" : null,
      functions: this.functions,
      sendsOutput: isFirst,
      ends: !(isFirst && this.job.keepsState),
    });
  }

  private rules(ast: Node, isFirst: boolean) {
    const texts = textsIn(ast);
    const some = (pattern: RegExp) => texts.some((text) => pattern.test(text));
    const shell = isFirst ? 1 : ++this.shells + 1;
    // Sourced files may set traps too, and traps may be inherited.
    this.hasTraps ||= some(/\b(?:trap|source)\b|^\.$/);
    // A script run by a program is a shell of its own and gets no events.
    const signals = isFirst && some(/\btrap\b/) && some(SIGNAL_WORD);
    const errexit = some(/^-\w*e\w*$|errexit/);
    this.events = eventsIn(texts) ?? this.events;
    this.traps.heardEvents = this.events;
    const { hasTraps: traps, events, nextNumber } = this;
    // A sourced file may define functions with such names.
    const commands = some(/^(?:source|\.|eval)$/) ? new Set<string>() : this.runs.programs.names;
    // A sourced file may use what is defined here.
    this.files.keepsFiles ||= some(/^[-+]\w*C|noclobber/);
    this.statuses ||= some(/PIPESTATUS|pipefail/);
    for (const name of referencesIn(ast)) this.references.add(name);
    const { statuses, references } = this;
    return {
      shell,
      traps,
      signals,
      events,
      errexit,
      parse,
      write: statementText,
      commands,
      nextNumber,
      statuses,
      references,
    };
  }

  private rewritten(text: string, sendsOutput: boolean, file: string): string {
    try {
      return changedText(text, (ast) =>
        prepared(ast, {
          ...{ ...this.rules(ast, true), name: this.job.name, functions: this.functions, sendsOutput, file },
          isMain: false,
          // The caller continues after a sourced file.
          ends: false,
        }),
      );
    } catch (error) {
      // The interpreter would report it with status 1.
      return `printf '%s\\n' ${inQuotes(`bash: ${file}: ${messageOf(error)}`)} >&2\nreturn 2`;
    }
  }

  private readonly nextNumber = () => String(++this.lastNumber);

  private readonly sink: Sink = (stream, bytes) => {
    const text = stream === "stderr" && bytes.byteLength < SHORT_BYTES ? new TextDecoder().decode(bytes) : "";
    if (text.startsWith(`bash: ${UNSET}`)) this.missed = true;
    if (TOO_MUCH.test(text)) this.printedTooMuch = true;
    if (NOT_WRITTEN.test(text)) this.printedTooLarge = true;
    this.runs.print(stream, text === "" ? bytes : Buffer.from(this.worded(text)));
  };

  private worded(text: string): string {
    const shown = worded(this.tables.named(this.files.worded(text))).replaceAll(UNSET, "");
    return /^\++ /m.test(shown) ? withoutInternalWords(shown) : shown;
  }

  private stopWith(status: number): void {
    this.stoppedWith ??= status;
    this.stop.abort();
  }

  private stateNow(printed: readonly string[], cwd: string, traps: readonly string[]): ShellState {
    return stateFrom(printed, { cwd, traps, umask: this.files.umask, functions: this.functions });
  }

  private keepCommand(): CustomCommand {
    return defineCommand(KEEP, async (printed, { cwd }) => {
      this.state = this.stateNow(printed, cwd, this.traps.kept);
      return { stdout: "", stderr: await this.jobs.notices(), exitCode: this.state.status };
    });
  }
}

function umaskCommand(files: GsvFiles): CustomCommand {
  return defineCommand("umask", async (args) => {
    const { umask } = await import("./umask.ts");
    return umask(args, files);
  });
}

// Restores the state first, silently. A backslash at the end continues into nothing.
function wholeScript({ script, args, state, keepsState }: ShellJob): string {
  // On its own, a failure would end the shell under set -e.
  const status = state === null || state.status === 0 ? "" : `(exit ${state.status})\n`;
  const before = state === null ? "" : `{\n${state.prelude}\n} 2>>${SINKS.nowhere}\n${status}`;
  // Typed lines expand aliases.
  const typed = keepsState ? `unset OLDPWD\n${state === null ? "shopt -s expand_aliases\n" : ""}` : "";
  const positional = args.length === 0 ? "" : `set -- ${args.map(inQuotes).join(" ")}\n`;
  // On the script's first line, so that line numbers start at one.
  const version = "BASH_VERSION='5.2.15(1)-release' BASH_VERSINFO=(5 2 15 1 release x86_64-pc-linux-gnu)";
  const own = script.includes("BASH_VERS") ? `${version}; ` : "";
  const jobs = script.includes("$!") ? `${OWN.lastJob}=; ` : "";
  const nowhere = !keepsState && /OLDPWD|\bcd -|~-/.test(script) ? "unset OLDPWD; " : "";
  return typed + before + positional + own + jobs + nowhere + script + (script.endsWith("\\") ? "\n" : "");
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
