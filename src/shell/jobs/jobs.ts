// Job control with bash's messages and statuses: `&`, jobs, wait, fg, bg, disown and kill %1. The kernel runs the jobs.

import { type Command, type CustomCommand, defineCommand } from "just-bash/browser";
import type { JobEnd, JobRow, SentSignal, ShellState } from "../../targets/shell.ts";
import { type Answer, answer, type Context, placed } from "../interpreter/called.ts";
import { PRINTED_STATE_WORDS } from "../interpreter/kept-state.ts";
import type { KernelPort } from "../interpreter/kernel-port.ts";
import { LIVE, OWN } from "../programs/internal-words.ts";
import { killOptions, numberOf, signalNamed, signalTable } from "./signal-names.ts";
import type { Traps } from "./traps.ts";

export interface JobsOptions {
  readonly kernel: KernelPort;
  readonly traps: Traps;
  /** Interactive: jobs are reported. */
  readonly isTyped: boolean;
  /** The state that a job inherits from its shell. */
  readonly state: (printed: readonly string[], context: Context) => ShellState;
  /** Prints immediately, not when the command ends. */
  readonly tell: (text: string) => void;
  /** gsv's commands with the same names, for gsv processes. */
  readonly program: (name: "wait" | "kill") => Promise<Command | undefined>;
}

const EXIT_NO_FORK = 254;
const EXIT_UNKNOWN = 127;
const ENDED_BY: { readonly [signal: number]: string } = {
  ...{ 1: "Hangup", 2: "Interrupt", 3: "Quit", 6: "Aborted", 9: "Killed" },
  ...{ 10: "User defined signal 1", 12: "User defined signal 2", 14: "Alarm clock", 15: "Terminated" },
};

export class Jobs {
  /** The job that `fg` waits for. */
  private foreground: number | null = null;

  constructor(private readonly options: JobsOptions) {}

  programs(): readonly CustomCommand[] {
    return [
      defineCommand(OWN.job, (args, context) => this.start(args, context)),
      defineCommand(OWN.wait, (args, context) => this.wait(args, context)),
      defineCommand(OWN.drain, (args) => this.drain(args)),
      defineCommand("jobs", (args) => this.jobs(args)),
      defineCommand("fg", (args) => this.fg(args)),
      defineCommand("bg", (args) => this.bg(args)),
      defineCommand("disown", (args) => this.disown(args)),
      defineCommand("kill", (args, context) => this.kill(args, context)),
    ];
  }

  /** ctrl-c ends the foreground job. */
  async sent(signal: SentSignal): Promise<void> {
    if (this.foreground !== null) await this.options.kernel.job("signal", this.foreground, signal);
  }

  /** Jobs that ended since the last report, and their output. */
  async notices(): Promise<string> {
    const rows = (await this.list()).filter(({ exit, reported }) => exit !== null && !reported);
    let text = "";
    for (const row of rows) {
      const end = await this.options.kernel.job("wait", [row.pid]);
      text += `${textOf(end, "stdout")}${textOf(end, "stderr")}${this.line(row, await this.list(), false)}`;
    }
    if (rows.length > 0) await this.forget(rows);
    return text;
  }

  private list(): Promise<readonly JobRow[]> {
    return this.options.kernel.job("list");
  }

  private async forget(rows: readonly JobRow[]): Promise<void> {
    await this.options.kernel.job(
      "forget",
      rows.map(({ pid }) => pid),
    );
  }

  private async start(all: readonly string[], context: Context): Promise<Answer> {
    const live = all[0] === LIVE;
    const { shell, args } = placed(live ? all.slice(1) : all);
    const [text = "", script = "", ...words] = args;
    const state = this.options.state(words.slice(0, PRINTED_STATE_WORDS), context);
    const positional = words.slice(PRINTED_STATE_WORDS);
    const job = await this.options.kernel.job("start", { text, shell, script, args: positional, state, live });
    if (job === null) return answer("", "bash: fork: retry: Resource temporarily unavailable\n", EXIT_NO_FORK);
    await context.assignShellVariable?.(OWN.lastJob, String(job.pid));
    return answer("", this.options.isTyped ? `[${job.number}] ${job.pid}\n` : "");
  }

  private async wait(all: readonly string[], context: Context): Promise<Answer> {
    const { shell, args } = placed(all);
    const { names, next, variable } = waitOptions(args);
    if (names.some((name) => !/^%|^\d+$/.test(name)))
      return (await this.options.program("wait"))?.execute([...args], context) ?? answer("", "", EXIT_UNKNOWN);
    const rows = await this.list();
    if (next) return this.waitNext(rows, { shell, names, variable }, context);
    if (names.length === 0) return this.waitAll(rows.filter((row) => row.shell === shell));
    let last = answer();
    for (const name of names) {
      const row = named(name, rows);
      const unknown = name.startsWith("%") ? `${name}: no such job` : `pid ${name} is not a child of this shell`;
      const one =
        row === undefined ? answer("", `bash: wait: ${unknown}\n`, EXIT_UNKNOWN) : await this.ended([row.pid]);
      last = joined(last, one);
    }
    return last;
  }

  private async waitAll(rows: readonly JobRow[]): Promise<Answer> {
    let all = answer();
    const left = new Set(rows.filter(({ reported }) => !reported).map(({ pid }) => pid));
    while (left.size > 0) {
      const one = await this.ended([...left]);
      left.delete(one.pid ?? 0);
      all = { ...joined(all, one), exitCode: one.stopped === true ? one.exitCode : 0 };
      if (one.stopped === true || one.pid === undefined) break;
    }
    return all;
  }

  private async waitNext(
    rows: readonly JobRow[],
    { shell, names, variable }: { shell: string; names: readonly string[]; variable: string | null },
    context: Context,
  ): Promise<Answer> {
    const own = names.length === 0 ? rows.filter((row) => row.shell === shell) : names.map((name) => named(name, rows));
    const pids = own.flatMap((row) => (row === undefined || row.reported ? [] : [row.pid]));
    if (pids.length === 0) return answer("", "", EXIT_UNKNOWN);
    const one = await this.ended(pids);
    if (variable !== null && one.pid !== undefined) await context.assignShellVariable?.(variable, String(one.pid));
    return one;
  }

  /** The first job that ended: prints its output, marks it as reported, returns its status. */
  private async ended(pids: readonly number[]): Promise<Answer & { stopped?: boolean; pid?: number }> {
    const outcome = await this.options.traps.interruptible(this.options.kernel.job("wait", pids));
    if ("status" in outcome) return { ...answer("", "", outcome.status), stopped: true };
    const end = outcome.value;
    if (end === null) return answer("", "", EXIT_UNKNOWN);
    if (!this.options.isTyped) await this.forget([end]);
    return { ...output(end), pid: end.pid };
  }

  /** Called at the end of a command substitution: it also catches the output of its jobs. */
  private async drain([status = "0"]: readonly string[]): Promise<Answer> {
    let all = answer();
    for (const { pid, live } of await this.list())
      if (!live) all = joined(all, output(await this.options.kernel.job("wait", [pid])));
    return { ...all, exitCode: Number(status) };
  }

  private async jobs(args: readonly string[]): Promise<Answer> {
    const letters = args.filter((arg) => /^-[lnprs]+$/.test(arg)).join("");
    const names = args.filter((arg) => !arg.startsWith("-"));
    const all = await this.list();
    const known = all.filter(({ reported }) => !reported);
    const rows = names.length === 0 ? known : names.flatMap((name) => named(name, known) ?? []);
    const missing = names.filter((name) => named(name, known) === undefined);
    const shown = rows.filter(({ exit }) => !(letters.includes("r") && exit !== null) && !letters.includes("s"));
    const lines = shown.map((row) =>
      letters.includes("p") ? `${row.pid}\n` : this.line(row, known, letters.includes("l")),
    );
    await this.forget(shown.filter(({ exit }) => exit !== null && !letters.includes("p")));
    const stderr = missing.map((name) => `bash: jobs: ${name}: no such job\n`).join("");
    return answer(lines.join(""), stderr, missing.length === 0 ? 0 : 1);
  }

  private line(row: JobRow, rows: readonly JobRow[], withPid: boolean): string {
    const open = rows.filter(({ reported }) => !reported);
    const mark = current(open)?.pid === row.pid ? "+" : previous(open)?.pid === row.pid ? "-" : " ";
    const state = `${withPid ? `${row.pid} ` : " "}${stateOf(row).padEnd(24)}`;
    return `[${row.number}]${mark} ${state}${row.text}${row.exit === null ? " &" : ""}\n`;
  }

  private async fg([name = "%+"]: readonly string[]): Promise<Answer> {
    const row = await this.controlled("fg", name);
    if (!("pid" in row)) return row;
    this.foreground = row.pid;
    try {
      this.options.tell(`${row.text}\n`);
      const end = await this.ended([row.pid]);
      await this.forget([row]);
      return end;
    } finally {
      this.foreground = null;
    }
  }

  private async bg([name = "%+"]: readonly string[]): Promise<Answer> {
    const row = await this.controlled("bg", name);
    return "pid" in row ? answer("", `bash: bg: job ${row.number} already in background\n`) : row;
  }

  private async controlled(command: string, name: string): Promise<JobRow | Answer> {
    if (!this.options.isTyped) return answer("", `bash: ${command}: no job control\n`, 1);
    const rows = (await this.list()).filter(({ reported }) => !reported);
    const row = named(name.startsWith("%") || /^\d{6,}$/.test(name) ? name : `%${name}`, rows);
    const shown = name === "%+" ? "current" : name;
    return row ?? answer("", `bash: ${command}: ${shown}: no such job\n`, 1);
  }

  private async disown(args: readonly string[]): Promise<Answer> {
    const names = args.filter((arg) => !arg.startsWith("-"));
    const rows = (await this.list()).filter(({ reported }) => !reported);
    if (args.some((arg) => /^-\w*a/.test(arg))) await this.forget(rows);
    let stderr = "";
    for (const name of names.length === 0 && args.length === 0 ? ["%+"] : names) {
      const row = named(name, rows);
      if (row === undefined) stderr += `bash: disown: ${name === "%+" ? "current" : name}: no such job\n`;
      else await this.forget([row]);
    }
    return answer("", stderr, stderr === "" ? 0 : 1);
  }

  /** Separates jobs (`%1`) from gsv processes. */
  private async kill(args: readonly string[], context: Context): Promise<Answer> {
    if (/^-[lL]$/.test(args[0] ?? "")) return signalList(args.slice(1));
    const { signal, flags, targets } = killOptions(args);
    const own = targets.filter((word) => /^%|^-?\d+$/.test(word));
    const others = targets.filter((word) => !own.includes(word));
    if (own.length === 0 || others.length > 0) {
      const program = await this.options.program("kill");
      const rest = (await program?.execute([...flags, ...others], context)) ?? answer("", "", EXIT_UNKNOWN);
      if (own.length === 0 || rest.exitCode !== 0) return rest;
    }
    const name = signal === "0" ? "0" : signalNamed(signal);
    if (name === null) return answer("", `bash: kill: ${signal}: invalid signal specification\n`, 1);
    const rows = await this.list();
    let stderr = "";
    for (const word of own) {
      const row = named(word, rows);
      const none = word.startsWith("%") ? `${word}: no such job` : `(${word}) - No such process`;
      if (row === undefined || row.exit !== null) stderr += `bash: kill: ${none}\n`;
      else if (name !== "0") await this.options.kernel.job("signal", row.pid, { name, number: numberOf(name) });
    }
    return answer("", stderr, stderr === "" ? 0 : 1);
  }
}

/** `kill -l`: all signals, or those with these names, numbers or exit statuses. */
function signalList(words: readonly string[]): Answer {
  let [found, wrong] = ["", ""];
  for (const word of words) {
    const status = Number(word) > 128 ? String(Number(word) - 128) : word;
    const name = signalNamed(status);
    if (name === null) wrong += `bash: kill: ${word}: invalid signal specification\n`;
    else found += /^\d+$/.test(word) ? `${name}\n` : `${numberOf(name)}\n`;
  }
  return words.length === 0 ? answer(signalTable()) : answer(found, wrong, wrong === "" ? 0 : 1);
}

function waitOptions(args: readonly string[]) {
  const at = args.indexOf("-p");
  const variable = at === -1 ? null : (args[at + 1] ?? null);
  const rest = args.filter((_, place) => at === -1 || (place !== at && place !== at + 1));
  return {
    variable,
    next: rest.some((arg) => /^-f?n/.test(arg)),
    names: rest.filter((arg) => !/^-[nf]+$|^--$/.test(arg)),
  };
}

/** `%1`, `%%`, `%-`, `%sleep`, `%?word`, or a pid. */
function named(name: string, rows: readonly JobRow[]): JobRow | undefined {
  const open = rows.filter(({ reported }) => !reported);
  if (!name.startsWith("%")) return rows.find(({ pid }) => String(pid) === name);
  const word = name.slice(1);
  if (/^\d+$/.test(word)) return open.find(({ number }) => String(number) === word);
  if (word === "" || word === "%" || word === "+") return current(open);
  if (word === "-") return previous(open);
  return open.find(({ text }) => (word.startsWith("?") ? text.includes(word.slice(1)) : text.startsWith(word)));
}

function current(open: readonly JobRow[]): JobRow | undefined {
  return open.at(-1);
}

function previous(open: readonly JobRow[]): JobRow | undefined {
  return open.at(-2) ?? open.at(-1);
}

function stateOf({ exit, signal }: JobRow): string {
  if (exit === null) return "Running";
  if (signal !== null) return ENDED_BY[signal] ?? `Signal ${signal}`;
  return exit === 0 ? "Done" : `Exit ${exit}`;
}

function textOf(end: JobEnd | null, stream: "stdout" | "stderr"): string {
  const pieces = end?.pieces.filter((piece) => piece.stream === stream) ?? [];
  return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
}

function output(end: JobEnd | null): Answer {
  const pieces = end?.pieces.filter(({ stream }) => stream === "stdout") ?? [];
  const stdout = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString("latin1");
  return {
    stdout,
    stdoutKind: "bytes",
    stdoutEncoding: "binary",
    stderr: textOf(end, "stderr"),
    exitCode: end?.exit ?? 0,
  };
}

/** In order; returns the last status. */
function joined(before: Answer, one: Answer): Answer {
  return { ...one, ...BYTES, stdout: before.stdout + one.stdout, stderr: before.stderr + one.stderr };
}

const BYTES = { stdoutKind: "bytes", stdoutEncoding: "binary" } as const;
