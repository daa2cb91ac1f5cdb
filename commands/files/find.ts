// `gsv find`: prints the paths that pass all tests. Has the tests of `find` for names, kinds, sizes and times, but no actions.

import { SysError } from "../../src/abi/errno.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { field } from "../../src/syscalls/define.ts";
import type { Command, Io } from "../command.ts";
import { command } from "../define.ts";
import { jsonLine } from "../io/status.ts";
import { entriesOf, statOf, type Walked, walk } from "./entries.ts";
import { globMatcher } from "./glob.ts";
import { Problems } from "./problems.ts";

const number = (doc: string, meta: string) => field.optional(field.text(doc, { meta, longest: 40 }));
const glob = (doc: string) => field.optional(field.text(doc, { meta: "GLOB", longest: 1024 }));

const input = {
  paths: field.optional(
    field.paths("where to start (default: your home)", { positional: true, meta: "PATH...", of: "file" }),
  ),
  name: glob("names that match a pattern such as *.md"),
  iname: glob("the same, in any case"),
  path: glob("paths that match a pattern"),
  type: field.optional(field.choice("f for files, d for directories, l for links", ["f", "d", "l"])),
  size: number("larger (+) or smaller (-) than N, in 512-byte blocks or c, k, M, G", "[+-]N[ckMG]"),
  mtime: number("changed more (+) or less (-) than N days ago", "[+-]N"),
  mmin: number("the same in minutes", "[+-]N"),
  newer: field.optional(field.path("changed after PATH", { meta: "PATH", of: "file" })),
  empty: field.flag("empty files and directories"),
  mindepth: field.optional(field.int("minimum depth", { meta: "N", max: 1000 })),
  maxdepth: field.optional(field.int("maximum depth", { meta: "N", max: 1000 })),
  print0: field.flag("NUL after each path, for xargs -0"),
};

const made: Command = command(
  {
    name: "find",
    summary: "Find files by name, kind, size and time",
    input,
    examples: ["gsv find '~' -name '*.md'", "gsv find /home -type f -size +1M -mtime -7"],
    notes: ["Tests start with one dash or two, and all must match. To search contents, use gsv grep."],
  },
  async ({ args, json }, io) => {
    const problems = new Problems(io, "find", json);
    const tests = await testsFrom(io, args);
    const depthMax = args.maxdepth ?? Number.POSITIVE_INFINITY;
    const end = args.print0 === true ? "\0" : "\n";
    for (const top of args.paths ?? ["."]) {
      for await (const found of walk({ sys: io.sys(), problems, depthMax }, top)) {
        if (found.depth < (args.mindepth ?? 0) || !tests.every((test) => test(found))) continue;
        if (args.empty === true && !(await isEmpty(io, found))) continue;
        const shown = io.stdout.isTTY ? reveal(found.path) : found.path;
        await io.stdout.write(json ? jsonLine({ path: found.path, ...found.entry }) : `${shown}${end}`);
        if (io.stdout.closed) return problems.status;
      }
    }
    return problems.status;
  },
);

const LONG = new RegExp(
  `^-(?:${Object.keys(input)
    .filter((key) => key !== "paths")
    .join("|")})(?:=|$)`,
);
const VALUED = /^--(?:size|mtime|mmin)$/;

export const find: Command = {
  ...made,
  // Like find: flags with one dash, and values that begin with a dash.
  run: (args, io) => {
    const words: string[] = [];
    for (let at = 0; at < args.length; at++) {
      const word = LONG.test(args[at] ?? "") ? `-${args[at]}` : (args[at] ?? "");
      const value = args[at + 1];
      if (VALUED.test(word) && value !== undefined) {
        words.push(`${word}=${value}`);
        at++;
      } else words.push(word);
    }
    return made.run(words, io);
  },
};

type Test = (found: Walked) => boolean;

interface FindTests {
  readonly name?: string;
  readonly iname?: string;
  readonly path?: string;
  readonly type?: string;
  readonly size?: string;
  readonly mtime?: string;
  readonly mmin?: string;
  readonly newer?: string;
}

async function testsFrom(io: Io, wanted: FindTests): Promise<Test[]> {
  const tests: Test[] = [];
  const { name, iname, path, type, size, mtime, mmin, newer } = wanted;
  const now = io.clock.now();
  if (name !== undefined) tests.push(byName(globMatcher(name, { ignoreCase: false })));
  if (iname !== undefined) tests.push(byName(globMatcher(iname, { ignoreCase: true })));
  if (path !== undefined) {
    const fits = globMatcher(path, { ignoreCase: false });
    tests.push((found) => fits(found.path));
  }
  if (type !== undefined) tests.push(({ entry }) => entry.kind.startsWith(type));
  if (size !== undefined) tests.push(bySize(size));
  if (mtime !== undefined) tests.push(byAge("mtime", mtime, { now, unitMs: 86_400_000 }));
  if (mmin !== undefined) tests.push(byAge("mmin", mmin, { now, unitMs: 60_000 }));
  if (newer !== undefined) {
    const { mtimeMs } = await statOf(io.sys(), newer, { link: false });
    tests.push(({ entry }) => entry.mtimeMs > mtimeMs);
  }
  return tests;
}

function byName(fits: (name: string) => boolean): Test {
  return ({ path, entry, depth }) =>
    fits(depth === 0 ? path.replace(/(?<=.)\/+$/, "").replace(/^.*\/(?=.)/s, "") : entry.name);
}

const UNITS: { readonly [unit: string]: number } = { "": 512, c: 1, k: 1024, M: 1024 ** 2, G: 1024 ** 3 };

// find rounds up to whole units before it compares.
function bySize(text: string): Test {
  const { sign, count, unit } = parsed("size", text, /^([+-]?)([0-9]{1,15})([ckMG]?)$/);
  const bytes = UNITS[unit] ?? 512;
  return ({ entry }) => compared(Math.ceil(entry.size / bytes), sign, count);
}

function byAge(test: string, text: string, { now, unitMs }: { readonly now: number; readonly unitMs: number }): Test {
  const { sign, count } = parsed(test, text, /^([+-]?)([0-9]{1,15})()$/);
  return ({ entry }) => compared(Math.floor((now - entry.mtimeMs) / unitMs), sign, count);
}

function compared(value: number, sign: string, count: number): boolean {
  return sign === "+" ? value > count : sign === "-" ? value < count : value === count;
}

function parsed(test: string, text: string, form: RegExp): { sign: string; count: number; unit: string } {
  const [, sign = "", count, unit = ""] = form.exec(text) ?? [];
  if (count === undefined) throw new SysError("EUSAGE", `-${test} takes +N, -N or N, not ${text.slice(0, 40)}`);
  return { sign, count: Number(count), unit };
}

async function isEmpty(io: Io, { path, entry }: Walked): Promise<boolean> {
  if (entry.kind === "file") return entry.size === 0;
  return entry.kind === "directory" && (await entriesOf(io.sys(), path).catch(() => [null])).length === 0;
}
