// State of a shell that the interpreter does not keep: sourced files, and functions as written. Only rewritten scripts call these programs.

import { type CustomCommand, defineCommand } from "just-bash/browser";
import { OWN, SENDING, SOURCES } from "../programs/internal-words.ts";
import { type Answer, answer, type Context } from "./called.ts";

const RANGE_MAX = 1_000_000;
const SOURCE = new RegExp(`${SOURCES}(\\d+)`, "g");

export interface ShellText {
  /** The rewritten text of a sourced file. */
  readonly rewritten: (text: string, sendsOutput: boolean, file: string) => string;
  /** The source of a function; null if there is none. */
  readonly written: (name: string) => string | null;
  /** Prints the message and ends the script: nothing must run with the words that are missing. */
  readonly tooMuch: (message: string) => void;
}

export class ShellTables {
  private readonly sources: { readonly text: string; readonly file: string }[] = [];

  constructor(private readonly text: ShellText) {}

  programs(): readonly CustomCommand[] {
    return [
      defineCommand(OWN.source, (args, context) => this.source(args, context)),
      defineCommand(OWN.directories, directories),
      defineCommand(OWN.range, async (args) => this.range(args.map(Number))),
      defineCommand(OWN.some, async ([count]) => answer("", "", count === "0" ? 1 : 0)),
      defineCommand(OWN.home, ([name = ""], context) => home(name, context)),
      defineCommand(OWN.functions, async (args) => this.functions(args)),
    ];
  }

  sourceAt(path: string): string | undefined {
    return this.sources[Number(path.slice(SOURCES.length))]?.text;
  }

  /** An error message with the file's name as typed. */
  named(message: string): string {
    return message.replaceAll(SOURCE, (whole, at) => this.sources[Number(at)]?.file ?? whole);
  }

  private async source(all: readonly string[], context: Context): Promise<Answer> {
    const sendsOutput = all[0] === SENDING;
    const [file = ""] = sendsOutput ? all.slice(1) : all;
    const found = await textAt(file, context);
    if (found === null) await context.assignShellVariable?.(OWN.file, file);
    else {
      this.sources.push({ text: this.text.rewritten(found, sendsOutput, file), file });
      await context.assignShellVariable?.(OWN.file, `${SOURCES}${this.sources.length - 1}`);
    }
    return answer();
  }

  private range([start = 0, end = 0, step = 1]: readonly number[]): Answer {
    const [size, way] = [Math.abs(step) || 1, end < start ? -1 : 1];
    const count = Math.floor(Math.abs(end - start) / size) + 1;
    if (count <= RANGE_MAX) return answer(Array.from({ length: count }, (_, at) => start + at * size * way).join("\n"));
    this.text.tooMuch(`bash: {${start}..${end}}: brace expansion makes more than ${RANGE_MAX} words\n`);
    return answer("", "", 1);
  }

  private functions(names: readonly string[]): Answer {
    const texts = names.map((name) => this.text.written(name));
    return answer(texts.map((text) => text ?? "").join(""), "", texts.includes(null) ? 1 : 0);
  }
}

/** Sets an array to the names that are directories; a pattern without a match is kept. */
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

/** The home directory of an account; an unknown name is kept. */
async function home(name: string, { fs, env }: Context): Promise<Answer> {
  if (name === "-") return answer(env.get("OLDPWD") ?? "~-");
  const accounts = await fs.readFile("/etc/passwd").catch(() => "");
  const fields = accounts.split("\n").map((line) => line.split(":"));
  return answer(fields.find(([account]) => account === name)?.[5] ?? `~${name}`);
}

/** A name without a slash is searched in PATH, then in the working directory. */
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
