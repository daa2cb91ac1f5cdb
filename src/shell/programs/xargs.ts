// `xargs`: runs a command with words from stdin as arguments.

import { countOf, options } from "./options.ts";
import { type Call, pieces, Usage } from "./program.ts";

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
  const mark = flags.get("I");
  let status = 0;
  for await (const group of groupsOf(call, flags)) {
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
    await call.room();
  }
  return status;
}

/** Maximum length of a command line. */
const LINE_CHARS = 128 * 1024;

/** The arguments of each command: as many as requested, within the limit of Linux. */
async function* groupsOf(call: Call, flags: ReadonlyMap<string, string>): AsyncGenerator<readonly string[]> {
  const mark = flags.get("I");
  const isCounted = mark !== undefined || flags.has("n") || flags.has("L");
  const size = mark !== undefined ? 1 : sizeOf(flags);
  let held: string[] = [];
  let any = false;
  for await (const part of parts(call, flags)) {
    const items = itemsOf(part, flags);
    any ||= items.length > 0;
    held.push(...items);
    const full = isCounted ? Math.floor(held.length / size) : held.length > 0 ? 1 : 0;
    for (let at = 0; at < full; at++) yield isCounted ? held.slice(at * size, (at + 1) * size) : held;
    held = isCounted ? held.slice(full * size) : [];
  }
  if (held.length > 0) yield held;
  else if (!any && !flags.has("r") && mark === undefined) yield [];
}

/** Input in parts that end at an item boundary. */
async function* parts(call: Call, flags: ReadonlyMap<string, string>): AsyncGenerator<string> {
  const end = flags.has("0") || flags.has("d") ? markOf(flags) : "\n";
  const isPrompt = flags.has("I") || flags.has("n") || flags.has("L");
  const decoder = new TextDecoder();
  let held = "";
  for await (const piece of pieces(call, flags.get("a") ?? "-")) {
    held += decoder.decode(piece, { stream: true });
    const whole = held.lastIndexOf(end);
    if (whole === -1 || (!isPrompt && held.length < LINE_CHARS)) continue;
    yield held.slice(0, whole + end.length);
    held = held.slice(whole + end.length);
  }
  yield held + decoder.decode();
}

function itemsOf(all: string, flags: ReadonlyMap<string, string>): readonly string[] {
  if (flags.has("0") || flags.has("d")) return separated(all, flags);
  return flags.has("I") || flags.has("L") ? lines(all, flags) : words(all);
}

function sizeOf(flags: ReadonlyMap<string, string>): number {
  const wanted = flags.get("n") ?? flags.get("L");
  if (wanted === undefined) return 1;
  const size = countOf("xargs", wanted, "arguments");
  if (size === 0) throw new Usage("xargs: value 0 for -n option should be >= 1");
  return size;
}

function separated(all: string, flags: ReadonlyMap<string, string>): readonly string[] {
  const items = all.split(markOf(flags));
  if (items.at(-1) === "") items.pop();
  return items;
}

function markOf(flags: ReadonlyMap<string, string>): string {
  const named: { readonly [text: string]: string } = { "\\n": "\n", "\\t": "\t", "\\0": "\0" };
  return flags.has("0") ? "\0" : (named[flags.get("d") ?? ""] ?? (flags.get("d") || "\n"));
}

function lines(all: string, flags: ReadonlyMap<string, string>): readonly string[] {
  if (flags.has("0") || flags.has("d")) return separated(all, flags);
  return all
    .split("\n")
    .map((line) => line.replace(/^[ \t]+/, ""))
    .filter((line) => line !== "");
}

/** Quotes and backslashes protect blanks. */
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
