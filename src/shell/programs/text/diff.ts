// `diff` and `cmp`: compare two files by lines and by bytes.

import { type Change, changesBetween } from "../files/changes.ts";
import { type Options, options } from "../options.ts";
import { type Call, entries, phrase, Usage, whole } from "../program.ts";

const TROUBLE = 2;

export async function diff(call: Call): Promise<number> {
  const { flags, operands } = options("diff", call.args, {
    letters: "uU:qsrNibwBc",
    long: {
      unified: "u",
      "unified=?": "U",
      brief: "q",
      "report-identical-files": "s",
      recursive: "r",
      "new-file": "N",
      "ignore-case": "i",
      "ignore-all-space": "w",
      "ignore-space-change": "b",
      "color=?": "%",
    },
    status: TROUBLE,
  });
  const [left, right] = operands;
  if (left === undefined || right === undefined)
    throw new Usage(
      `diff: missing operand after '${left ?? "diff"}'\ndiff: Try 'diff --help' for more information.`,
      TROUBLE,
    );
  try {
    return await pair(call, left, right, flags);
  } catch (error) {
    if (error instanceof Usage) throw error;
    const missing = (await call.files.stat(call.path(left)).catch(() => null)) === null && left !== "-" ? left : right;
    call.err(`diff: ${missing}: ${phrase(error)}\n`);
    return TROUBLE;
  }
}

async function pair(call: Call, left: string, right: string, flags: Options["flags"]): Promise<number> {
  const [isLeft, isRight] = [await isDirectory(call, left), await isDirectory(call, right)];
  if (isLeft && isRight) return trees(call, left, right, flags);
  if (isLeft !== isRight) {
    const inside = (directory: string, file: string) => `${directory}/${file.split("/").at(-1)}`;
    return isLeft ? pair(call, inside(left, right), right, flags) : pair(call, left, inside(right, left), flags);
  }
  const [a, b] = [await whole(call, left), await whole(call, right)];
  if (a.equals(b)) {
    if (flags.has("s")) call.out(`Files ${left} and ${right} are identical\n`);
    return 0;
  }
  if (flags.has("q")) call.out(`Files ${left} and ${right} differ\n`);
  else if (a.includes(0) || b.includes(0)) call.out(`Binary files ${left} and ${right} differ\n`);
  else return lines(call, [left, a.toString()], [right, b.toString()], flags);
  return 1;
}

async function trees(call: Call, left: string, right: string, flags: Options["flags"]): Promise<number> {
  const [a, b] = await Promise.all(
    [left, right].map(async (name) => new Set((await entries(call, name)).map((each) => each.name))),
  );
  let status = 0;
  for (const name of [...new Set([...(a ?? []), ...(b ?? [])])].sort()) {
    if (!a?.has(name) || !b?.has(name)) {
      call.out(`Only in ${a?.has(name) ? left : right}: ${name}\n`);
      status = 1;
    } else if ((await isDirectory(call, `${left}/${name}`)) && !flags.has("r")) {
      call.out(`Common subdirectories: ${left}/${name} and ${right}/${name}\n`);
    } else status = Math.max(status, await pair(call, `${left}/${name}`, `${right}/${name}`, flags));
  }
  return status;
}

async function isDirectory(call: Call, name: string): Promise<boolean> {
  return name !== "-" && (await call.files.stat(call.path(name))).kind === "directory";
}

const CUT = "\n\\ No newline at end of file";

function lines(
  call: Call,
  [left, a]: readonly [string, string],
  [right, b]: readonly [string, string],
  flags: Options["flags"],
): number {
  const [from, to] = [marked(a), marked(b)];
  const seen = (text: string) => {
    const folded = flags.has("i") ? text.toLowerCase() : text;
    return flags.has("w")
      ? folded.replaceAll(/\s+/g, "")
      : flags.has("b")
        ? folded.replaceAll(/\s+/g, " ").trimEnd()
        : folded;
  };
  const changes = changesBetween(from.map(seen), to.map(seen));
  if (changes.length === 0) return 0;
  if (flags.has("u") || flags.has("U")) {
    call.out(`--- ${left}\n+++ ${right}\n`);
    call.out(unified(from, to, changes, Number(flags.get("U") || 3)));
  } else call.out(changes.map((change) => plain(from, to, change)).join(""));
  return 1;
}

/** Lines of a text; the last one notes a missing newline. */
function marked(all: string): string[] {
  if (all === "") return [];
  const found = all.split("\n");
  if (found.at(-1) === "") found.pop();
  else found[found.length - 1] += CUT;
  return found;
}

function plain(from: readonly string[], to: readonly string[], { at, gone, to: place, come }: Change): string {
  const range = (start: number, count: number) =>
    count === 0 ? `${start}` : count === 1 ? `${start + 1}` : `${start + 1},${start + count}`;
  const letter = gone === 0 ? "a" : come === 0 ? "d" : "c";
  const before = from
    .slice(at, at + gone)
    .map((line) => `< ${line}\n`)
    .join("");
  const after = to
    .slice(place, place + come)
    .map((line) => `> ${line}\n`)
    .join("");
  return `${range(at, gone)}${letter}${range(place, come)}\n${before}${letter === "c" ? "---\n" : ""}${after}`;
}

function unified(from: readonly string[], to: readonly string[], changes: readonly Change[], context: number): string {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    if (last !== undefined && change.at - (last.at + last.gone) <= context * 2) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  return hunks.map((hunk) => hunkText(from, to, hunk, context)).join("");
}

function hunkText(from: readonly string[], to: readonly string[], hunk: readonly Change[], context: number): string {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) return "";
  const start = Math.max(0, first.at - context);
  const end = Math.min(from.length, last.at + last.gone + context);
  const place = first.to - (first.at - start);
  const grown = hunk.reduce((sum, { gone, come }) => sum + come - gone, 0);
  const range = (at: number, count: number) => `${count === 0 ? at : at + 1}${count === 1 ? "" : `,${count}`}`;
  let output = `@@ -${range(start, end - start)} +${range(place, end - start + grown)} @@\n`;
  let at = start;
  const same = (until: number) => {
    for (; at < until; at++) output += ` ${from[at]}\n`;
  };
  for (const change of hunk) {
    same(change.at);
    for (; at < change.at + change.gone; at++) output += `-${from[at]}\n`;
    for (const line of to.slice(change.to, change.to + change.come)) output += `+${line}\n`;
  }
  same(end);
  return output;
}

export async function cmp(call: Call): Promise<number> {
  const { flags, operands } = options("cmp", call.args, {
    letters: "sln:b",
    long: { silent: "s", quiet: "s", verbose: "l", "bytes=": "n" },
    status: TROUBLE,
  });
  const [left, right = "-"] = operands;
  if (left === undefined)
    throw new Usage("cmp: missing operand after 'cmp'\ncmp: Try 'cmp --help' for more information.", TROUBLE);
  const read: Buffer[] = [];
  for (const name of [left, right]) {
    try {
      const enough = flags.has("n") ? Number(flags.get("n")) : undefined;
      read.push((await whole(call, name, enough)).subarray(0, enough));
    } catch (error) {
      if (!flags.has("s")) call.err(`cmp: ${name}: ${phrase(error)}\n`);
      return TROUBLE;
    }
  }
  const [a = Buffer.alloc(0), b = Buffer.alloc(0)] = read;
  if (a.equals(b)) return 0;
  if (flags.has("s")) return 1;
  const size = Math.min(a.length, b.length);
  let line = 1;
  for (let at = 0; at < size; at++) {
    if (a[at] !== b[at]) {
      if (!flags.has("l")) {
        call.out(`${left} ${right} differ: byte ${at + 1}, line ${line}\n`);
        return 1;
      }
      call.out(`${at + 1} ${(a[at] ?? 0).toString(8).padStart(3)} ${(b[at] ?? 0).toString(8).padStart(3)}\n`);
    }
    if (a[at] === 10) line++;
  }
  if (a.length === b.length) return 1;
  const [short, place] = a.length < b.length ? [left, size] : [right, size];
  call.err(
    place === 0
      ? `cmp: EOF on ${short} which is empty\n`
      : `cmp: EOF on ${short} after byte ${place}, ${a[size - 1] === 10 ? `line ${line - 1}` : `in line ${line}`}\n`,
  );
  return 1;
}
