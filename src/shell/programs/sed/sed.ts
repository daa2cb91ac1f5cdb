// `sed`: runs a script on each line of files or stdin.

import { options } from "../options.ts";
import { type Call, phrase, pieces, text, Usage } from "../program.ts";
import { Lines, MORE } from "../text/lines.ts";
import { filled } from "./replacement.ts";
import { type Address, type Step, type Substitution, sedScript } from "./script.ts";

const LONG = {
  ...{ "expression=": "e", "file=": "f", quiet: "n", silent: "n", "in-place=?": "i", "regexp-extended": "E" },
  ...{ separate: "s", "null-data": "z", posix: "P", unbuffered: "u", debug: "D" },
};

const PIECE_CHARS = 16 * 1024;

export async function sed(call: Call): Promise<number> {
  // A value of -i must be in the same word.
  const args = call.args.map((arg) =>
    /^-[nErsuz]*i./.test(arg) ? `--in-place=${arg.slice(arg.indexOf("i") + 1)}` : arg,
  );
  const { flags, uses, operands } = options("sed", args, { letters: "e:f:niErsuz", long: LONG });
  const files = [...operands];
  const parts: string[] = [];
  for (const [flag, value] of uses) {
    if (flag === "e") parts.push(value);
    else if (flag === "f") parts.push(await text(call, value));
  }
  if (parts.length === 0) {
    const script = files.shift();
    if (script === undefined)
      throw new Usage("Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...");
    parts.push(script);
  }
  const script = sedScript(parts.join("\n"), flags.has("E") || flags.has("r"));
  const end = flags.has("z") ? "\0" : "\n";
  let status = 0;
  const read: Text[] = [];
  for (const name of files.length === 0 ? ["-"] : files) {
    try {
      // Input may still be written, so read it as it comes.
      read.push({ name, all: name === "-" ? null : await text(call, name) });
    } catch (error) {
      const why = phrase(error);
      call.err(
        why === "Is a directory"
          ? `sed: couldn't edit ${name}: not a regular file\n`
          : `sed: can't read ${name}: ${why}\n`,
      );
      status = 2;
    }
  }
  const suffix = flags.get("i");
  const groups = suffix !== undefined || flags.has("s") ? read.map((each) => [each]) : [read];
  for (const group of groups) {
    const run = new Run(call, script, group, { quiet: flags.has("n"), end, inPlace: suffix !== undefined });
    const exit = await run.whole();
    const [first] = group;
    if (suffix === undefined) run.flush();
    else if (first !== undefined) {
      if (suffix !== "")
        await call.files.write(
          call.path(suffix.includes("*") ? suffix.replaceAll("*", first.name) : first.name + suffix),
          Buffer.from(first.all ?? ""),
        );
      await call.files.write(call.path(first.name), Buffer.from(run.output));
    }
    if (exit !== null) return exit;
  }
  return status;
}

interface Text {
  readonly name: string;
  /** null for stdin. */
  readonly all: string | null;
}

/** Joins the inputs; a missing newline is kept only at the very end. */
async function* joined(call: Call, texts: readonly Text[], end: string): AsyncGenerator<Uint8Array> {
  for (const [at, { name, all }] of texts.entries()) {
    if (all === null) yield* pieces(call, name);
    else yield Buffer.from(at < texts.length - 1 && all !== "" && !all.endsWith(end) ? all + end : all);
  }
}

class Run {
  output = "";
  private readonly lines: Lines;
  /** The script needs to know the last line, so it reads one line ahead. */
  private readonly looksAhead: boolean;
  private isLast = false;
  private readonly written = new Map<string, string>();
  private readonly within = new Map<Step, number>();
  private at = -1;
  private space = "";
  private hold = "";
  private after: string[] = [];
  private last: RegExp | null = null;
  private substituted = false;

  constructor(
    private readonly call: Call,
    private readonly script: readonly Step[],
    texts: readonly Text[],
    private readonly how: { readonly quiet: boolean; readonly end: string; readonly inPlace: boolean },
  ) {
    this.lines = new Lines(joined(call, texts, how.end), how.end);
    this.looksAhead = script.some(({ name, from, to }) => name === "N" || from?.kind === "last" || to?.kind === "last");
    for (const { name, text, substitution } of script) {
      const file = substitution?.file ?? ("wW".includes(name) ? text : null);
      if (file !== null) this.written.set(file, "");
    }
  }

  /** The status of `q`, or null at the end of input. */
  async whole(): Promise<number | null> {
    let status: number | null = null;
    let keep = false;
    while (status === null && (keep || (await this.next()))) {
      keep = false;
      const outcome = await this.cycle();
      if (outcome.restart) keep = true;
      else if (outcome.print && !this.how.quiet) this.print(this.space);
      status = outcome.status;
      this.addQueued();
      if (this.output.length > PIECE_CHARS) this.flush();
    }
    for (const [file, text] of this.written) {
      if (file === "/dev/stdout") this.output += text;
      else if (file === "/dev/stderr") this.call.err(text);
      else await this.call.files.write(this.call.path(file), Buffer.from(text));
    }
    return status;
  }

  /** Passes output on; a file gets it as a whole. */
  flush(): void {
    if (this.how.inPlace || this.output === "") return;
    this.call.out(this.output);
    this.output = "";
  }

  private async next(): Promise<boolean> {
    const line = await this.line();
    if (line === null) return false;
    this.space = line;
    this.substituted = false;
    return true;
  }

  private async line(): Promise<string | null> {
    const here = this.lines.take();
    // Pass on the output before waiting for input.
    if (here === MORE) this.flush();
    const line = here === MORE ? await this.lines.next() : here;
    if (line === null) return null;
    this.at++;
    if (this.looksAhead) this.isLast = await this.lines.isOver();
    return line;
  }

  private print(text: string): void {
    this.output += text + (this.lines.isCut ? "" : this.how.end);
  }

  private addQueued(): void {
    for (const text of this.after) {
      if (!this.output.endsWith("\n") && this.output !== "") this.output += "\n";
      this.output += text;
    }
    this.after = [];
  }

  private async cycle(): Promise<{
    readonly print: boolean;
    readonly status: number | null;
    readonly restart?: boolean;
  }> {
    for (let place = 0; place < this.script.length; place++) {
      const step = this.script[place];
      if (step === undefined || step.name === "}" || step.name === ":") continue;
      if (this.applies(step) === step.not) {
        if (step.name === "{") place = step.target;
        continue;
      }
      switch (step.name) {
        case "b":
          place = step.target - 1;
          break;
        case "t":
        case "T":
          if (this.substituted === (step.name === "t")) place = step.target - 1;
          this.substituted = false;
          break;
        case "d":
          return { print: false, status: null };
        case "D": {
          const end = this.space.indexOf("\n");
          if (end === -1) return { print: false, status: null };
          this.space = this.space.slice(end + 1);
          return { print: false, status: null, restart: true };
        }
        case "c":
          if (step.to === null || !this.within.has(step)) this.output += `${step.text}\n`;
          return { print: false, status: null };
        case "n":
          if (!this.how.quiet) this.print(this.space);
          this.addQueued();
          if (!(await this.next())) return { print: false, status: 0 };
          break;
        case "N":
          if (this.isLast) return { print: true, status: 0 };
          this.space += `\n${await this.line()}`;
          break;
        case "q":
          return { print: true, status: Number(step.text || 0) };
        case "Q":
          return { print: false, status: Number(step.text || 0) };
        default:
          await this.carryOut(step);
      }
    }
    return { print: true, status: null };
  }

  private async carryOut({ name, text, substitution, letters }: Step): Promise<void> {
    switch (name) {
      case "s":
        return this.substitute(substitution);
      case "y":
        this.space = [...this.space].map((letter) => letters.get(letter) ?? letter).join("");
        return;
      case "p":
        return this.print(this.space);
      case "P":
        this.output += `${this.space.split("\n")[0]}\n`;
        return;
      case "=":
        this.output += `${this.at + 1}\n`;
        return;
      case "a":
        this.after.push(`${text}\n`);
        return;
      case "i":
        this.output += `${text}\n`;
        return;
      case "g":
        this.space = this.hold;
        return;
      case "G":
        this.space += `\n${this.hold}`;
        return;
      case "h":
        this.hold = this.space;
        return;
      case "H":
        this.hold += `\n${this.space}`;
        return;
      case "x":
        [this.space, this.hold] = [this.hold, this.space];
        return;
      case "z":
        this.space = "";
        return;
      case "l":
        this.output += `${this.space.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\t", "\\t")}$\n`;
        return;
      case "r":
        this.after.push(await fileText(this.call, text));
        return;
      case "w":
        this.written.set(text, `${this.written.get(text) ?? ""}${this.space}\n`);
    }
  }

  private substitute(how: Substitution | null): void {
    const pattern = how?.pattern ?? this.last;
    if (how === null || pattern === null)
      throw new Usage("sed: -e expression #1, char 0: no previous regular expression");
    this.last = pattern;
    let count = 0;
    let changed = false;
    this.space = this.space.replaceAll(pattern, (...found: (string | undefined)[]) => {
      count++;
      if (count < how.nth || (count > how.nth && !how.all)) return found[0] ?? "";
      changed = true;
      return filled(how.text, found);
    });
    if (!changed) return;
    this.substituted = true;
    if (how.print) this.print(this.space);
    if (how.file !== null) this.written.set(how.file, `${this.written.get(how.file) ?? ""}${this.space}\n`);
  }

  private applies(step: Step): boolean {
    const { from, to } = step;
    if (from === null) return true;
    if (to === null) return this.matches(from);
    const until = this.within.get(step);
    if (until === undefined) {
      // With address 0, the second address may match the first line.
      const isZero = from.kind === "line" && from.line === 0;
      if (!isZero && !this.matches(from)) return false;
      if (isZero && this.at > 0) return false;
      if (isZero && this.matches(to)) return true;
      const end =
        to.kind === "line" ? to.line - 1 : to.kind === "count" ? this.at + to.count : Number.POSITIVE_INFINITY;
      if (end > this.at && !(to.kind === "last" && this.isLast)) this.within.set(step, end);
      return true;
    }
    const ends = to.kind === "line" || to.kind === "count" ? this.at >= until : this.matches(to);
    if (ends) this.within.delete(step);
    // A line number already passed ends the range.
    return !(to.kind === "line" && this.at > until) || this.matches(from);
  }

  private matches(address: Address): boolean {
    const line = this.at + 1;
    switch (address.kind) {
      case "line":
        return line === address.line;
      case "last":
        return this.isLast;
      case "step":
        return address.step === 0
          ? line === address.from
          : line >= address.from && (line - address.from) % address.step === 0;
      case "count":
        return false;
      case "match": {
        const pattern = address.pattern ?? this.last;
        if (pattern === null) throw new Usage("sed: -e expression #1, char 0: no previous regular expression");
        this.last = pattern;
        pattern.lastIndex = 0;
        return pattern.test(this.space);
      }
    }
  }
}

async function fileText(call: Call, name: string): Promise<string> {
  return text(call, name).catch(() => "");
}
