// `xargs`: words of stdin as arguments of a command, so many at a time.

import { countOf, options } from "./options.ts";
import { type Call, Usage } from "./program.ts";

const EXIT_SOME_FAILED = 123;

export async function xargs(call: Call): Promise<number> {
  const { flags, operands } = options("xargs", call.args, {
    letters: "0I:n:L:P:rtd:a:i",
    long: {
      null: "0",
      "replace=?": "I",
      "max-args=": "n",
      "max-lines=": "L",
      "max-procs=": "P",
      "no-run-if-empty": "r",
      verbose: "t",
      "delimiter=": "d",
    },
    stopsEarly: true,
  });
  const command = operands.length === 0 ? ["echo"] : operands;
  const all = Buffer.from(call.stdin).toString();
  const mark = flags.get("I");
  const items =
    mark !== undefined
      ? lines(all, flags)
      : flags.has("0") || flags.has("d")
        ? separated(all, flags)
        : flags.has("L")
          ? lines(all, flags)
          : words(all);
  const groups = mark !== undefined ? items.map((item) => [item]) : grouped(items, flags);
  let status = 0;
  for (const group of groups.length === 0 && !flags.has("r") && mark === undefined ? [[]] : groups) {
    const argv =
      mark === undefined
        ? [...command, ...group]
        : command.map((word) => word.replaceAll(mark || "{}", group[0] ?? ""));
    if (flags.has("t")) call.err(`${argv.join(" ")}\n`);
    const exit = await call.run(argv, new Uint8Array());
    if (exit === 127 || exit === 126) return exit;
    if (exit === 255) {
      call.err(`xargs: ${argv[0]}: exited with status 255; aborting\n`);
      return 124;
    }
    if (exit !== 0) status = EXIT_SOME_FAILED;
    if (call.signal?.aborted) break;
  }
  return status;
}

function grouped(items: readonly string[], flags: ReadonlyMap<string, string>): readonly (readonly string[])[] {
  const wanted = flags.get("n") ?? flags.get("L");
  if (items.length === 0) return [];
  if (wanted === undefined) return [items];
  const size = countOf("xargs", wanted, "arguments");
  if (size === 0) throw new Usage("xargs: value 0 for -n option should be >= 1");
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function separated(all: string, flags: ReadonlyMap<string, string>): readonly string[] {
  const named: { readonly [text: string]: string } = { "\\n": "\n", "\\t": "\t", "\\0": "\0" };
  const mark = flags.has("0") ? "\0" : (named[flags.get("d") ?? ""] ?? (flags.get("d") || "\n"));
  const items = all.split(mark);
  if (items.at(-1) === "") items.pop();
  return items;
}

function lines(all: string, flags: ReadonlyMap<string, string>): readonly string[] {
  if (flags.has("0") || flags.has("d")) return separated(all, flags);
  return all
    .split("\n")
    .map((line) => line.replace(/^[ \t]+/, ""))
    .filter((line) => line !== "");
}

/** Quotes and backslashes keep blanks in a word. */
function words(all: string): readonly string[] {
  const found: string[] = [];
  for (const [word] of all.matchAll(/(?:"[^"\n]*"|'[^'\n]*'|\\[\s\S]|[^\s"'\\]|["'])+/g)) {
    const bare = word.replaceAll(
      /"([^"\n]*)"|'([^'\n]*)'|\\([\s\S])|(["'])/g,
      (_, double?: string, single?: string, letter?: string, alone?: string) => {
        if (alone !== undefined)
          throw new Usage(
            `xargs: unmatched ${alone === '"' ? "double" : "single"} quote; by default quotes are special to xargs unless you use the -0 option`,
          );
        return double ?? single ?? letter ?? "";
      },
    );
    found.push(bare);
  }
  return found;
}
