// Parses a sed script into commands with addresses and resolved jumps. Pure. Errors are worded as in sed.

import { expression } from "../expression.ts";
import { Usage } from "../program.ts";

export type Address =
  | { readonly kind: "line"; readonly line: number }
  | { readonly kind: "last" }
  | { readonly kind: "step"; readonly from: number; readonly step: number }
  | { readonly kind: "match"; readonly pattern: RegExp | null }
  | { readonly kind: "count"; readonly count: number };

export interface Substitution {
  /** null is the last expression used. */
  readonly pattern: RegExp | null;
  readonly text: string;
  readonly nth: number;
  readonly all: boolean;
  readonly print: boolean;
  readonly file: string | null;
}

export interface Step {
  readonly name: string;
  readonly from: Address | null;
  readonly to: Address | null;
  readonly not: boolean;
  /** The text of a, i, c; the label of b, t, T; the file of r, w; a status of q. */
  readonly text: string;
  readonly substitution: Substitution | null;
  readonly letters: ReadonlyMap<string, string>;
  /** Target of a jump, or of `{` if its address does not match. */
  target: number;
}

export function sedScript(text: string, extended: boolean): readonly Step[] {
  return new Parser(text, extended).script();
}

class Parser {
  private at = 0;
  private readonly steps: Step[] = [];

  constructor(
    private readonly text: string,
    private readonly extended: boolean,
  ) {}

  script(): readonly Step[] {
    const open: Step[] = [];
    const labels = new Map<string, number>();
    for (;;) {
      this.skip(/[\s;]/);
      if (this.at >= this.text.length) break;
      if (this.text[this.at] === "#") {
        this.until("\n");
        continue;
      }
      const step = this.step();
      if (step.name === ":") labels.set(step.text, this.steps.length);
      if (step.name === "{") open.push(step);
      if (step.name === "}") {
        const begin = open.pop();
        if (begin === undefined) this.fail("unexpected `}'");
        else begin.target = this.steps.length;
      }
      this.steps.push(step);
    }
    if (open.length > 0) throw new Usage("sed: -e expression #1, char 0: unmatched `{'");
    for (const step of this.steps) {
      if (!"btT".includes(step.name)) continue;
      const target = step.text === "" ? this.steps.length : labels.get(step.text);
      if (target === undefined)
        throw new Usage(
          `sed: -e expression #1, char ${this.text.length}: can't find label for jump to \`${step.text}'`,
        );
      step.target = target;
    }
    return this.steps;
  }

  private step(): Step {
    const from = this.address();
    this.skip(/\s/);
    let to: Address | null = null;
    if (from !== null && this.text[this.at] === ",") {
      this.at++;
      this.skip(/\s/);
      to = this.address();
      if (to === null) this.fail("unexpected `,'");
    }
    this.skip(/\s/);
    const not = this.text[this.at] === "!";
    if (not) this.at++;
    this.skip(/\s/);
    const name = this.text[this.at++] ?? "";
    if (name === "") this.fail("missing command");
    const base = { name, from, to, not, text: "", substitution: null, letters: new Map<string, string>(), target: 0 };
    if (name === "s") return { ...base, substitution: this.substitution() };
    if (name === "y") return { ...base, letters: this.letters() };
    if ("aic".includes(name)) return { ...base, text: this.lines() };
    if (":btTrRwWqQlL".includes(name)) {
      const end = ":rRwW".includes(name) ? /[\n]/ : /[\n;}]/;
      const from = this.at;
      while (this.at < this.text.length && !end.test(this.text[this.at] ?? "")) this.at++;
      // A semicolon also ends a label.
      const word = this.text.slice(from, this.at).trim();
      if (name !== ":" || !word.includes(";")) return { ...base, text: word };
      this.at = from + this.text.slice(from).indexOf(";");
      return { ...base, text: this.text.slice(from, this.at).trim() };
    }
    if (!"{}dDgGhHnNpPx=z".includes(name)) this.fail(`unknown command: \`${name}'`);
    return base;
  }

  private address(): Address | null {
    const rest = this.text.slice(this.at);
    const numbered = /^(\d+)(?:~(\d+))?/.exec(rest);
    if (numbered !== null) {
      this.at += numbered[0].length;
      const [, line = "", step] = numbered;
      return step === undefined
        ? { kind: "line", line: Number(line) }
        : { kind: "step", from: Number(line), step: Number(step) };
    }
    if (rest.startsWith("$")) {
      this.at++;
      return { kind: "last" };
    }
    const counted = /^\+(\d+)/.exec(rest);
    if (counted !== null) {
      this.at += counted[0].length;
      return { kind: "count", count: Number(counted[1]) };
    }
    if (rest[0] !== "/" && rest[0] !== "\\") return null;
    const mark = rest[0] === "/" ? "/" : (rest[1] ?? "/");
    this.at += rest[0] === "/" ? 1 : 2;
    const pattern = this.part(mark, true);
    const ignoreCase = this.text[this.at] === "I";
    if (ignoreCase) this.at++;
    return { kind: "match", pattern: this.expression(pattern, ignoreCase ? "i" : "") };
  }

  private substitution(): Substitution {
    const mark = this.text[this.at++] ?? "";
    const pattern = this.part(mark, true);
    const text = this.part(mark, false);
    const [flags = ""] = /^[gpiIeMm0-9]*/.exec(this.text.slice(this.at)) ?? [];
    this.at += flags.length;
    const file = this.text[this.at] === "w" ? this.until("\n").slice(1).trim() : null;
    this.skip(/[ \t]/);
    if (file === null && this.at < this.text.length && !/[\n;}#]/.test(this.text[this.at] ?? ""))
      this.fail("unknown option to `s'");
    const nth = Number(/\d+/.exec(flags)?.[0] ?? 1);
    const letters = `${/[iI]/.test(flags) ? "i" : ""}${/[mM]/.test(flags) ? "m" : ""}`;
    return {
      pattern: this.expression(pattern, letters),
      text,
      nth,
      all: flags.includes("g"),
      print: flags.includes("p"),
      file,
    };
  }

  private letters(): ReadonlyMap<string, string> {
    const mark = this.text[this.at++] ?? "";
    const plain = (text: string) => [...text.replaceAll("\\n", "\n").replaceAll("\\\\", "\\")];
    const [from, to] = [plain(this.part(mark, false)), plain(this.part(mark, false))];
    if (from.length !== to.length) this.fail("strings for `y' command are different lengths");
    return new Map(from.map((letter, at) => [letter, to[at] ?? ""]));
  }

  /** Reads up to the delimiter; a backslash makes it literal. */
  private part(mark: string, isPattern: boolean): string {
    let found = "";
    for (let inBrackets = false; this.at < this.text.length; this.at++) {
      const letter = this.text[this.at] ?? "";
      if (letter === "\\") {
        const next = this.text[++this.at] ?? "";
        if (next === mark && !(isPattern && /[.*[\]^$+?(){}|]/.test(mark))) found += mark;
        else found += next === "\n" && !isPattern ? "\n" : `\\${next}`;
      } else if (letter === mark && !inBrackets) {
        this.at++;
        return found;
      } else {
        if (isPattern && letter === "[" && !inBrackets) inBrackets = true;
        else if (letter === "]" && !/\[\^?$/.test(found)) inBrackets = false;
        found += letter;
      }
    }
    return this.fail(isPattern ? "unterminated address regex" : "unterminated `s' command");
  }

  private expression(pattern: string, flags: string): RegExp | null {
    if (pattern === "") return null;
    const named = pattern.replaceAll(/\\([nt])/g, (_, letter: string) => (letter === "n" ? "\n" : "\t"));
    return expression("sed", named, { extended: this.extended, flags: `g${flags}` });
  }

  /** Text of a, i and c: a backslash continues the line; the text may start on the command's line. */
  private lines(): string {
    this.skip(/[ \t]/);
    if (this.text[this.at] === "\\") {
      this.at++;
      this.skip(/[ \t]/);
      if (this.text[this.at] === "\n") this.at++;
    }
    let found = "";
    for (; this.at < this.text.length && this.text[this.at] !== "\n"; this.at++) {
      if (this.text[this.at] === "\\" && this.at + 1 < this.text.length) found += this.text[++this.at];
      else found += this.text[this.at];
    }
    return found;
  }

  private until(end: string): string {
    const from = this.at;
    const place = this.text.indexOf(end, from);
    this.at = place === -1 ? this.text.length : place;
    return this.text.slice(from, this.at);
  }

  private skip(what: RegExp): void {
    while (this.at < this.text.length && what.test(this.text[this.at] ?? "")) this.at++;
  }

  private fail(why: string): never {
    throw new Usage(`sed: -e expression #1, char ${this.at}: ${why}`);
  }
}
