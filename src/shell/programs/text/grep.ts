// `grep`: prints matching lines of files, trees or stdin.

import { fileNames } from "../files/walk.ts";
import { countOf, type Options, options } from "../options.ts";
import { type Call, linesOf, pieces, text, Usage } from "../program.ts";
import { matcher } from "./grep-pattern.ts";
import { eachLine, Lines } from "./lines.ts";

const LONG = {
  ...{ "regexp=": "e", "file=": "f", "ignore-case": "i", "invert-match": "v", "word-regexp": "w", "line-regexp": "x" },
  ...{ count: "c", "files-with-matches": "l", "files-without-match": "L", "max-count=": "m", "only-matching": "o" },
  ...{ quiet: "q", silent: "q", "no-messages": "s", "line-number": "n", "with-filename": "H", "no-filename": "h" },
  ...{ "after-context=": "A", "before-context=": "B", "context=": "C", recursive: "r", "fixed-strings": "F" },
  ...{ "extended-regexp": "E", "perl-regexp": "P", "basic-regexp": "G", text: "a", null: "Z", "null-data": "z" },
  ...{ "include=": "+", "exclude=": "-", "exclude-dir=": "/", "color=?": "%", "colour=?": "%", "byte-offset": "b" },
};

interface Search {
  readonly flags: Options["flags"];
  readonly pattern: RegExp;
  readonly titled: boolean;
  readonly before: number;
  readonly after: number;
}

export async function grep(call: Call): Promise<number> {
  const given = options("grep", call.args, {
    letters: "e:f:ivwxclLm:oqsnHhA:B:C:rRFEPGaZzIbUy",
    long: LONG,
    digits: "C",
    status: 2,
  });
  const { flags } = given;
  const operands = [...given.operands];
  const patterns = await patternsOf(call, given, operands);
  const recursive = flags.has("r") || flags.has("R");
  const names = operands.length === 0 ? [recursive ? "." : "-"] : operands;
  const [include, exclude, excludeDir] = ["+", "-", "/"].map((flag) =>
    given.uses.filter(([used]) => used === flag).map(([, value]) => value),
  );
  const context = (flag: string) => (flags.has(flag) ? countOf("grep", flags.get(flag) ?? "", "context") : 0);
  const search: Search = {
    flags,
    pattern: matcher(patterns, call.name, flags),
    titled: !flags.has("h") && (flags.has("H") || names.length > 1 || recursive),
    before: context("B") || context("C"),
    after: context("A") || context("C"),
  };
  let found = false;
  let failed = false;
  for (const name of names) {
    try {
      const files = recursive
        ? fileNames(call, name, { include, exclude, excludeDir, bare: operands.length === 0 })
        : [name];
      for await (const file of files) {
        if (found && flags.has("q")) return 0;
        found = (await inFile(call, file, search)) || found;
      }
    } catch (error) {
      if ((error as Error).name === "Usage") throw error;
      failed = true;
      if (!flags.has("s")) call.fail(error, (why) => `grep: ${name}: ${why}`);
    }
  }
  return failed && !(found && flags.has("q")) ? 2 : found ? 0 : 1;
}

async function patternsOf(call: Call, { uses }: Options, operands: string[]): Promise<readonly string[]> {
  const patterns = uses.flatMap(([flag, value]) => (flag === "e" ? value.split("\n") : []));
  for (const [flag, value] of uses) if (flag === "f") patterns.push(...linesOf(await text(call, value)));
  if (!uses.some(([flag]) => flag === "e" || flag === "f")) {
    const first = operands.shift();
    if (first === undefined)
      throw new Usage("Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.", 2);
    patterns.push(...first.split("\n"));
  }
  return patterns;
}

/** Reports on one file, line by line while it is read. */
async function inFile(call: Call, name: string, search: Search): Promise<boolean> {
  const { flags, pattern } = search;
  const shown = name === "-" ? "(standard input)" : name;
  const max = flags.has("m") ? countOf("grep", flags.get("m") ?? "", "max count") : Number.POSITIVE_INFINITY;
  const isSilent = ["q", "l", "L", "c"].some((flag) => flags.has(flag));
  const printer = new Printer(call, search, shown);
  const lines = new Lines(pieces(call, name), flags.has("z") ? "\0" : "\n");
  let [hits, at, isBinary] = [0, 0, false];
  if (max > 0)
    await eachLine(lines, (line) => {
      isBinary ||= call.row === null && line.includes("\0") && !flags.has("a") && !flags.has("z");
      pattern.lastIndex = 0;
      const isHit = hits < max && pattern.test(line) !== flags.has("v");
      if (isHit) hits++;
      if (!isSilent && !isBinary) printer.tell(line, at, isHit);
      at++;
      if (hits > 0 && (flags.has("q") || flags.has("l") || flags.has("L"))) return false;
      // Context lines after the last match are still printed.
      return hits < max || (!isSilent && printer.wantsMore);
    });
  const title = search.titled ? shown + (flags.has("Z") ? "\0" : ":") : "";
  if (flags.has("q")) return hits > 0;
  if (flags.has("l") || flags.has("L")) {
    const wanted = flags.has("l") === hits > 0;
    if (wanted) printed(call, { path: name }, shown + (flags.has("Z") ? "\0" : "\n"));
    return flags.has("l") ? wanted : !wanted;
  }
  if (flags.has("c")) printed(call, { path: name, count: hits }, `${title}${hits}\n`);
  else if (isBinary && hits > 0) call.out(`grep: ${shown}: binary file matches\n`);
  return hits > 0;
}

/** Prints one result, as JSON or text. */
function printed(call: Call, row: object, text: string): void {
  if (call.row === null) call.out(text);
  else call.row(row);
}

/** Matching lines and their context. */
class Printer {
  private readonly held: string[] = [];
  private last = -1;
  private after = 0;

  constructor(
    private readonly call: Call,
    private readonly search: Search,
    private readonly name: string,
  ) {}

  get wantsMore(): boolean {
    return this.after > 0;
  }

  tell(line: string, at: number, isHit: boolean): void {
    const { flags, before, after } = this.search;
    if (isHit) {
      if (flags.has("o")) {
        this.parts(line, at);
        return;
      }
      const from = at - this.held.length;
      if ((before > 0 || after > 0) && this.last !== -1 && from > this.last + 1) this.call.out("--\n");
      for (const [place, each] of this.held.splice(0).entries()) this.line(each, from + place, "-");
      this.line(line, at, ":");
      this.after = after;
    } else if (this.after > 0) {
      this.after--;
      if (!flags.has("o")) this.line(line, at, "-");
    } else if (before > 0) {
      this.held.push(line);
      if (this.held.length > before) this.held.shift();
    }
  }

  private line(line: string, at: number, sign: string): void {
    const { flags, titled } = this.search;
    const end = flags.has("z") ? "\0" : "\n";
    const text = `${titled ? this.name + (flags.has("Z") ? "\0" : sign) : ""}${flags.has("n") ? `${at + 1}${sign}` : ""}${line}${end}`;
    printed(this.call, { path: this.name, line: at + 1, content: line }, text);
    this.last = at;
  }

  private parts(line: string, at: number): void {
    const { pattern, flags, titled } = this.search;
    if (flags.has("v")) return;
    pattern.lastIndex = 0;
    const end = flags.has("z") ? "\0" : "\n";
    const front = `${titled ? this.name + (flags.has("Z") ? "\0" : ":") : ""}${flags.has("n") ? `${at + 1}:` : ""}`;
    for (const [part] of line.matchAll(pattern))
      if (part !== "") printed(this.call, { path: this.name, line: at + 1, content: part }, front + part + end);
  }
}
