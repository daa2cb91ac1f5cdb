// `xargs`: runs a command with words from stdin as arguments.

import { countOf, options } from "./options.ts";
import { type Call, pieces, Usage } from "./program.ts";

const EXIT_SOME_FAILED = 123;
const EXIT_ABORTED = 124;
const PROCS_MAX = 64;

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
  const commands = new Commands(call, procsOf(flags));
  for await (const group of groupsOf(call, flags)) {
    const argv =
      mark === undefined
        ? [...command, ...group]
        : command.map((word) => word.replaceAll(mark || "{}", group[0] ?? ""));
    if (flags.has("t")) call.err(`${argv.join(" ")}\n`);
    if (!(await commands.start(argv)) || call.signal?.aborted) break;
    await call.room();
  }
  return await commands.end();
}

/** Runs several commands at the same time. */
class Commands {
  private readonly running = new Set<Promise<void>>();
  private status = 0;
  /** The exit status of xargs after a command that ends it. */
  private last: number | null = null;
  private failure: { readonly error: unknown } | null = null;

  constructor(
    private readonly call: Call,
    private readonly most: number,
  ) {}

  /** Waits for a free place. False if no command may follow. */
  async start(argv: readonly string[]): Promise<boolean> {
    if (this.isOver) return false;
    const run = this.run(argv)
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.running.delete(run));
    this.running.add(run);
    while (this.running.size >= this.most) await Promise.race(this.running);
    return !this.isOver;
  }

  private get isOver(): boolean {
    return this.last !== null || this.failure !== null;
  }

  async end(): Promise<number> {
    await Promise.all(this.running);
    if (this.failure !== null) throw this.failure.error;
    return this.last ?? this.status;
  }

  private async run(argv: readonly string[]): Promise<void> {
    const exit = await this.call.run(argv, new Uint8Array());
    if (exit === 127 || exit === 126) this.last ??= exit;
    else if (exit === 255) {
      this.call.err(`xargs: ${argv[0]}: exited with status 255; aborting\n`);
      this.last ??= EXIT_ABORTED;
    } else if (exit !== 0) this.status = EXIT_SOME_FAILED;
  }
}

/** `-P 0`: as many as possible. */
function procsOf(flags: ReadonlyMap<string, string>): number {
  const wanted = flags.get("P") ?? "1";
  if (!/^\d+$/.test(wanted)) throw new Usage(`xargs: invalid number "${wanted}" for -P option`);
  return Math.min(Number(wanted) || PROCS_MAX, PROCS_MAX);
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
