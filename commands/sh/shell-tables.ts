// What a shell knows besides what the interpreter keeps: its traps, its jobs and the files it reads commands from. The programs here are
// called by rewritten scripts, and by people under the names they know.

import { type Command, type CustomCommand, defineCommand } from "just-bash/browser";
import { OWN } from "./rewrite.ts";
import { numberOf, SIGNALS, signalNamed } from "./signal-names.ts";
import { TOLD } from "./syntax.ts";

type Context = Parameters<Command["execute"]>[1];
type Answer = Awaited<ReturnType<Command["execute"]>>;

/** The script that somebody started, and no subshell of it. */
const OUTERMOST = "1:1";
const FIRST_JOB = 100_000;
export const SOURCES = "/dev/.gsv/source/";

export interface ShellText {
  /** The text of a file as the interpreter should read it. */
  readonly rewritten: (text: string, told: boolean) => string;
  /** A function as it would be typed; null where there is none. */
  readonly written: (name: string) => string | null;
  /** gsv's own wait, for processes of gsv. */
  readonly waitFor: Command["execute"];
}

export class ShellTables {
  private readonly traps = new Map<string, Map<string, string>>();
  private readonly jobs = new Map<number, number>();
  private readonly sources: string[] = [];
  private lastJob = FIRST_JOB;

  constructor(private readonly text: ShellText) {}

  programs(): readonly CustomCommand[] {
    return [
      defineCommand("trap", async (args) => this.trap(args)),
      defineCommand(OWN.leave, (args, context) => this.leave(args, context)),
      defineCommand(OWN.signal, (args, context) => this.signal(args, context)),
      defineCommand(OWN.status, async ([status = "0"]) => answer("", "", Number(status))),
      defineCommand(OWN.job, (args, context) => this.job(args, context)),
      defineCommand(OWN.wait, (args, context) => this.wait(args, context)),
      defineCommand(OWN.source, (args, context) => this.source(args, context)),
      defineCommand(OWN.directories, directories),
      defineCommand(OWN.range, async (args) => range(args.map(Number))),
      defineCommand(OWN.functions, async (args) => this.functions(args)),
      defineCommand("jobs", async () => answer()),
      defineCommand("disown", async () => answer()),
      ...["fg", "bg"].map((name) => defineCommand(name, async () => answer("", `bash: ${name}: no job control\n`, 1))),
    ];
  }

  sourceAt(path: string): string | undefined {
    return this.sources[Number(path.slice(SOURCES.length))];
  }

  /** What is to run when the outermost shell ends, once. */
  takeExit(): string | null {
    const text = this.traps.get(OUTERMOST)?.get("EXIT") ?? null;
    this.traps.get(OUTERMOST)?.delete("EXIT");
    return text;
  }

  /** The traps of the outermost shell, as commands. */
  get kept(): readonly string[] {
    return linesOf(this.traps.get(OUTERMOST) ?? new Map(), []);
  }

  private trap(all: readonly string[]): Answer {
    const { shell, args } = placed(all);
    const own = this.traps.get(shell) ?? new Map<string, string>();
    this.traps.set(shell, own);
    const [first, ...rest] = args[0] === "--" ? args.slice(1) : args;
    if (first === undefined || first === "-p")
      return answer(
        linesOf(own, rest)
          .map((line) => `${line}\n`)
          .join(""),
      );
    if (first === "-l") return answer(`${[...SIGNALS].map(([name, number]) => `${number}) SIG${name}`).join("\n")}\n`);
    const isReset = first === "-" || rest.length === 0;
    let stderr = "";
    for (const word of first === "-" || rest.length > 0 ? rest : [first]) {
      const name = signalNamed(word);
      if (name === null) stderr += `bash: trap: ${word}: invalid signal specification\n`;
      else if (isReset) own.delete(name);
      else if (UNHEARD.has(name)) stderr += `bash: trap: ${name}: gsv's shell cannot run a trap for it\n`;
      else own.set(name, first);
    }
    return answer("", stderr, stderr === "" ? 0 : 1);
  }

  private async leave(all: readonly string[], context: Context): Promise<Answer> {
    const { shell, args } = placed(all);
    const [last = "0", wanted = last] = args;
    const isNumber = /^[-+]?\d+$/.test(wanted);
    const status = isNumber ? Number(BigInt.asUintN(8, BigInt(wanted))) : 2;
    const own = this.traps.get(shell);
    const text = own?.get("EXIT") ?? "";
    own?.delete("EXIT");
    await context.assignShellVariable?.(OWN.handler, withStatus(text, status));
    await context.assignShellVariable?.(OWN.status, String(status));
    return answer("", isNumber ? "" : `bash: exit: ${wanted}: numeric argument required\n`, status);
  }

  /** `kill … $$` */
  private async signal(all: readonly string[], context: Context): Promise<Answer> {
    const { shell, args } = placed(all);
    const word = args.find((arg) => /^-\D/.test(arg) && arg !== "-s" && arg !== "-n") ?? args[args.indexOf("-s") + 1];
    const name = signalNamed((/^-?\w+$/.exec(word ?? "")?.[0] ?? "TERM").replace(/^-/, ""));
    if (name === null) return answer("", `bash: kill: ${word}: invalid signal specification\n`, 1);
    const own = this.traps.get(shell)?.get(name);
    const dies = !["CHLD", "CONT", "EXIT", "WINCH", "URG"].includes(name);
    const text = own ?? (dies ? `exit ${128 + numberOf(name)}` : "");
    await context.assignShellVariable?.(OWN.handler, name === "KILL" ? "exit 137" : text);
    return answer();
  }

  private async job([status = "0"]: readonly string[], context: Context): Promise<Answer> {
    this.jobs.set(++this.lastJob, Number(status));
    await context.assignShellVariable?.(OWN.lastJob, String(this.lastJob));
    return answer();
  }

  private async wait(args: readonly string[], context: Context): Promise<Answer> {
    const jobs = args.filter((arg) => !/^-[nf]$/.test(arg));
    if (jobs.some((arg) => !/^%?\d+$/.test(arg))) return this.text.waitFor([...args], context);
    if (jobs.length === 0) return answer("", "", this.jobs.values().next().value ?? 127);
    let last = answer();
    for (const word of jobs) {
      const pid = word.startsWith("%") ? FIRST_JOB + Number(word.slice(1)) : Number(word);
      const status = this.jobs.get(pid);
      const unknown = `bash: wait: ${word.startsWith("%") ? `${word}: no such job` : `pid ${word} is not a child of this shell`}\n`;
      last = status === undefined ? answer("", last.stderr + unknown, 127) : answer("", last.stderr, status);
    }
    return last;
  }

  private async source(all: readonly string[], context: Context): Promise<Answer> {
    const told = all[0] === TOLD;
    const [file = ""] = told ? all.slice(1) : all;
    const found = await textAt(file, context);
    if (found === null) await context.assignShellVariable?.(OWN.file, file);
    else {
      this.sources.push(this.text.rewritten(found, told));
      await context.assignShellVariable?.(OWN.file, `${SOURCES}${this.sources.length - 1}`);
    }
    return answer();
  }

  private functions(names: readonly string[]): Answer {
    const texts = names.map((name) => this.text.written(name));
    return answer(texts.map((text) => text ?? "").join(""), "", texts.includes(null) ? 1 : 0);
  }
}

/** Events inside of the interpreter, which does not tell of them. */
const UNHEARD = new Set(["ERR", "DEBUG", "RETURN"]);

function answer(stdout = "", stderr = "", exitCode = 0): Answer {
  return { stdout, stderr, exitCode };
}

function placed(args: readonly string[]): { readonly shell: string; readonly args: readonly string[] } {
  const prefix = "--shell=";
  const own = args.findIndex((arg) => !arg.startsWith(prefix));
  const [first] = args;
  const shell = first?.startsWith(prefix) === true ? first.slice(prefix.length) : OUTERMOST;
  return { shell, args: own === -1 ? [] : args.slice(own) };
}

function linesOf(traps: ReadonlyMap<string, string>, wanted: readonly string[]): readonly string[] {
  const names = wanted.map(signalNamed);
  return [...traps]
    .filter(([name]) => names.length === 0 || names.includes(name))
    .map(([name, text]) => `trap -- '${text.replaceAll("'", `'\\''`)}' ${name === "EXIT" ? name : `SIG${name}`}`);
}

/** In a trap, `exit` alone leaves with the status the shell had. */
function withStatus(text: string, status: number): string {
  return text.replaceAll(/(^|[;&|{(\n]\s*)exit(?=\s*(?:$|[;&|})\n]))/g, `$1exit ${status}`);
}

const RANGE_MAX = 1_000_000;

function range([start = 0, end = 0, step = 1]: readonly number[]): Answer {
  const [size, way] = [Math.abs(step) || 1, end < start ? -1 : 1];
  const count = Math.floor(Math.abs(end - start) / size) + 1;
  if (count > RANGE_MAX) return answer("", `bash: {${start}..${end}}: more than ${RANGE_MAX} words\n`, 1);
  return answer(Array.from({ length: count }, (_, at) => start + at * size * way).join("\n"));
}

/** Sets an array to those of the names that are directories; a pattern that nothing matched stays what it is. */
async function directories([variable = "", ...names]: readonly string[], context: Context): Promise<Answer> {
  const { fs, cwd } = context;
  const found: string[] = [];
  for (const name of names) {
    const stat = await fs.stat(fs.resolvePath(cwd, name)).catch(() => null);
    if (stat?.isDirectory === true) found.push(`${name}/`);
  }
  const shown = found.length === 0 && names.length === 1 ? [`${names[0]}/`] : found;
  for (const [at, name] of shown.entries()) await context.assignShellVariable?.(variable, name, String(at));
  return answer();
}

/** A name without a slash is looked for as a program is, and then here. */
async function textAt(file: string, { fs, cwd, env }: Context): Promise<string | null> {
  const places = file.includes("/") ? [] : (env.get("PATH") ?? "").split(":").filter((each) => each !== "");
  for (const place of [...places.map((each) => `${each}/${file}`), file]) {
    try {
      const path = fs.resolvePath(cwd, place);
      if ((await fs.stat(path)).isDirectory) continue;
      return await fs.readFile(path);
    } catch {}
  }
  return null;
}
