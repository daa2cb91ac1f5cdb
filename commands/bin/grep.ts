// `grep`: lines that hold a pattern, of files, of whole trees, or of stdin.

import { translated } from "../files/grep-pattern.ts";
import { compiled } from "./expression.ts";
import { countOf, type Options, options } from "./options.ts";
import { type Call, linesOf, phrase, text } from "./program.ts";
import { fileNames } from "./walk.ts";

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
      if (!flags.has("s")) call.err(`grep: ${name}: ${phrase(error)}\n`);
    }
  }
  return failed && !(found && flags.has("q")) ? 2 : found ? 0 : 1;
}

async function patternsOf(call: Call, { uses }: Options, operands: string[]): Promise<readonly string[]> {
  const patterns = uses.flatMap(([flag, value]) => (flag === "e" ? value.split("\n") : []));
  for (const [flag, value] of uses) if (flag === "f") patterns.push(...linesOf(await text(call, value)));
  if (!uses.some(([flag]) => flag === "e" || flag === "f")) {
    const first = operands.shift();
    if (first === undefined) {
      call.err("Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n");
      return ["(?!)"];
    }
    patterns.push(...first.split("\n"));
  }
  return patterns;
}

function matcher(patterns: readonly string[], called: string, flags: Options["flags"]): RegExp {
  const fixed = flags.has("F") || called === "fgrep";
  const extended = flags.has("E") || called === "egrep";
  const source = patterns
    .map((each) => (fixed ? RegExp.escape(each) : flags.has("P") ? each : translated(each, extended)))
    .map((each) => `(?:${each})`)
    .join("|");
  const word = flags.has("w") ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
  const line = flags.has("x") ? `^(?:${word})$` : word;
  return compiled(
    "grep",
    patterns.join("\n"),
    patterns.length === 0 ? "(?!)" : line,
    `g${flags.has("i") || flags.has("y") ? "i" : ""}`,
  );
}

async function inFile(call: Call, name: string, search: Search): Promise<boolean> {
  const { flags, pattern } = search;
  const all = await text(call, name);
  const shown = name === "-" ? "(standard input)" : name;
  const lines = linesOf(all, flags.has("z") ? "\0" : "\n");
  const max = flags.has("m") ? countOf("grep", flags.get("m") ?? "", "max count") : Number.POSITIVE_INFINITY;
  const hits: number[] = [];
  for (let at = 0; at < lines.length && hits.length < max; at++) {
    pattern.lastIndex = 0;
    if (pattern.test(lines[at] ?? "") !== flags.has("v")) hits.push(at);
    if (hits.length > 0 && (flags.has("q") || flags.has("l"))) break;
  }
  const title = search.titled ? `${shown}:` : "";
  if (flags.has("q")) return hits.length > 0;
  if (flags.has("l") || flags.has("L")) {
    const wanted = flags.has("l") === hits.length > 0;
    if (wanted) call.out(`${shown}\n`);
    return flags.has("l") ? wanted : !wanted;
  }
  if (flags.has("c")) call.out(`${title}${hits.length}\n`);
  else if (all.includes("\0") && hits.length > 0 && !flags.has("a") && !flags.has("z"))
    call.out(`grep: ${shown}: binary file matches\n`);
  else if (flags.has("o")) for (const at of hits) parts(call, lines[at] ?? "", at, search, shown);
  else print(call, lines, hits, search, shown);
  return hits.length > 0;
}

function parts(call: Call, line: string, at: number, { pattern, flags, titled }: Search, name: string): void {
  if (flags.has("v")) return;
  pattern.lastIndex = 0;
  const front = `${titled ? `${name}:` : ""}${flags.has("n") ? `${at + 1}:` : ""}`;
  for (const [part] of line.matchAll(pattern)) if (part !== "") call.out(`${front}${part}\n`);
}

function print(call: Call, lines: readonly string[], hits: readonly number[], search: Search, name: string): void {
  const { flags, titled, before, after } = search;
  const isHit = new Set(hits);
  let last = -1;
  for (const hit of hits) {
    const from = Math.max(last + 1, hit - before);
    if ((before > 0 || after > 0) && last !== -1 && from > last + 1) call.out("--\n");
    for (let at = from; at <= Math.min(lines.length - 1, hit + after); at++) {
      if (at > hit && isHit.has(at)) break;
      const sign = isHit.has(at) ? ":" : "-";
      const end = flags.has("z") ? "\0" : "\n";
      call.out(`${titled ? name + sign : ""}${flags.has("n") ? `${at + 1}${sign}` : ""}${lines[at]}${end}`);
      last = at;
    }
  }
}
