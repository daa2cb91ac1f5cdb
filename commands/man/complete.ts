// `gsv __complete N WORD…`: completions of word N (from 0) of a command line, for the scripts of `gsv completion`. One per line with a
// description after a tab; a last line `:files` adds file names. Errors are hidden (exit status 0), and no kernel is started.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { flagsOf, isHidden, looksLikeFlag, type Spec, takesMany } from "../args.ts";
import type { Command, Commands, Io } from "../command.ts";
import { GLOBAL_FLAGS, type GlobalName, isGlobal, takesValue } from "../global-flags.ts";
import { domains } from "../verbs.ts";
import { rootCommand } from "./command-tree.ts";
import { accountNames, type Candidate, type Completion, remotes, settings, valuesOf } from "./complete-values.ts";
import { summaries } from "./summaries.ts";

const NOTE_COLUMNS_MAX = 60;

const NOTHING: Completion = { candidates: [] };

const spec: Spec = {
  name: "__complete",
  summary: "Complete a word of a command line",
  usage: "gsv __complete N WORD…",
  input: {},
  examples: [],
};

export const complete = (commands: Commands): Command => ({
  spec,
  async run([index = "", ...words], io) {
    const at = /^[0-9]{1,4}$/.test(index) ? Number(index) : words.length;
    const typed = { before: words.slice(0, at), current: words[at] ?? "" };
    const { candidates, files } = await completionOf(commands, typed, io).catch(() => NOTHING);
    const lines = candidates.map(({ value, note = "" }) => {
      const shown = cutWidth(reveal(note), NOTE_COLUMNS_MAX);
      return shown === "" ? `${value}\n` : `${value}\t${shown}\n`;
    });
    await io.stdout.write(`${lines.join("")}${files ? ":files\n" : ""}`);
    return 0;
  },
});

interface Typed {
  readonly before: readonly string[];
  readonly current: string;
}

interface Source {
  readonly commands: Commands;
  readonly io: Io;
}

export async function completionOf(commands: Commands, { before, current }: Typed, io: Io): Promise<Completion> {
  const typed = current.replace(/^["']/, "");
  const { candidates, files } = await atPlace(before, typed, { commands, io });
  // A value with control characters would not fit on one line, or would look like another.
  const fitting = candidates.filter(({ value }) => value.startsWith(typed) && reveal(value) === value);
  return { candidates: fitting, ...(files ? { files } : {}) };
}

async function atPlace(all: readonly string[], current: string, from: Source): Promise<Completion> {
  const { commands, io } = from;
  const { before, open, remote } = withoutGlobals(all);
  if (remote !== null) io.remotes.choose(remote);
  if (open !== null) return { candidates: await globalValues(open, current, io) };
  const [name = "", value] = current.split(/=(.*)/s);
  if (value !== undefined && isGlobal(name) && !all.includes("--")) {
    const candidates = await globalValues(name, value, io);
    return { candidates: candidates.map((each) => ({ ...each, value: `${name}=${each.value}` })) };
  }
  const at = before.findIndex((word) => !looksLikeFlag(word));
  const word = before[at];
  if (word === undefined) return { candidates: current.startsWith("-") ? LEADING_FLAGS : await firstWords(commands) };
  const rest = [...before.slice(0, at), ...before.slice(at + 1)];
  const command = await rootCommand(commands, word);
  return command === null ? NOTHING : within(command, rest, current, from);
}

function globalValues(name: GlobalName, typed: string, io: Io): Promise<readonly Candidate[]> | readonly Candidate[] {
  if (name === "--user") return accountNames(io);
  if (name === "--remote") return remotes(io);
  if (name === "--set") return settings(typed, io);
  const flag = GLOBAL_FLAGS[name];
  return "choices" in flag ? flag.choices.map((value) => ({ value })) : [];
}

interface WithoutGlobals {
  readonly before: readonly string[];
  readonly open: GlobalName | null;
  /** The kernel whose names are completed. */
  readonly remote: string | null;
}

function withoutGlobals(all: readonly string[]): WithoutGlobals {
  const before: string[] = [];
  let remote: string | null = null;
  for (let at = 0; at < all.length; at++) {
    const token = all[at] ?? "";
    if (token === "--") return { before: [...before, ...all.slice(at)], open: null, remote };
    const [name = "", inline] = token.split(/=(.*)/s);
    if (name === "--remote" && inline !== undefined) remote = inline;
    if (isGlobal(token) && takesValue(token)) {
      at++;
      if (at >= all.length) return { before, open: token, remote };
      if (token === "--remote") remote = all[at] ?? null;
    } else if (!isGlobal(name)) before.push(token);
  }
  return { before, open: null, remote };
}

/** Completes verbs below a noun, to any depth; flags may come before them. */
async function within(command: Command, before: readonly string[], current: string, from: Source): Promise<Completion> {
  const { verbs } = command;
  if (verbs === undefined) return afterCommand(command, before, current, from);
  const at = before.findIndex((word) => !looksLikeFlag(word));
  if (at === -1)
    return current.startsWith("-")
      ? afterCommand(command, [], current, from)
      : { candidates: [...verbs].map(([value, { summary }]) => ({ value, note: summary })) };
  const verb = verbs.get(before[at] ?? "");
  if (verb === undefined) return NOTHING;
  return within(await verb.load(), [...before.slice(0, at), ...before.slice(at + 1)], current, from);
}

const USUAL: readonly Candidate[] = [
  { value: "--json", note: "print JSON" },
  { value: "--help", note: "print help" },
];
const ANYWHERE: readonly Candidate[] = [
  ...USUAL,
  ...Object.entries(GLOBAL_FLAGS).map(([value, { doc }]) => ({ value, note: doc })),
];
const LEADING_FLAGS: readonly Candidate[] = [...ANYWHERE, { value: "--version", note: "print the version" }];

async function firstWords(commands: Commands): Promise<Candidate[]> {
  const own = (await summaries(commands)).map(([value, note]) => ({ value, note }));
  const nouns = [...(await domains())].map(([value, verbs]) => ({ value, note: [...verbs.keys()].join(" ") }));
  return [...own, ...nouns];
}

async function afterCommand(
  command: Command,
  before: readonly string[],
  current: string,
  from: Source,
): Promise<Completion> {
  const { spec: of } = command;
  const flags = flagsOf(of.input);
  const { words, open, ended } = read(of, before);
  if (open !== undefined) return valuesOf({ ...open, command: of.name, current, before: words, ...from });
  const equals = current.indexOf("=");
  const inline = flags.get(current.slice(0, Math.max(0, equals)));
  if (!ended && inline !== undefined && inline.spec.kind !== "flag") {
    const head = current.slice(0, equals + 1);
    const typed = { command: of.name, current: current.slice(head.length), before: words, ...from };
    const { candidates } = await valuesOf({ key: inline.key, field: inline.spec, ...typed });
    return { candidates: candidates.map(({ value, note }) => ({ value: head + value, ...(note ? { note } : {}) })) };
  }
  if (!ended && current.startsWith("-")) return { candidates: flagNames(of, before) };
  const place = placeOf(of, words.length);
  if (place !== undefined) return valuesOf({ ...place, command: of.name, current, before: words, ...from });
  return ended ? NOTHING : { candidates: flagNames(of, before, USUAL) };
}

interface Read {
  readonly words: readonly string[];
  /** The flag before the cursor, if it needs a value. */
  readonly open?: { readonly key: string; readonly field: Spec["input"][string] };
  readonly ended: boolean;
}

function read(of: Spec, before: readonly string[]): Read {
  const flags = flagsOf(of.input);
  const words: string[] = [];
  for (let at = 0; at < before.length; at++) {
    const token = before[at] ?? "";
    if (token === "--") return { words: [...words, ...before.slice(at + 1)], ended: true };
    const flag = flags.get(token);
    if (flag !== undefined && flag.spec.kind !== "flag") {
      at++;
      if (at >= before.length) return { words, open: { key: flag.key, field: flag.spec }, ended: false };
    } else if (!looksLikeFlag(token)) words.push(token);
  }
  return { words, ended: false };
}

function placeOf(of: Spec, index: number): Read["open"] {
  const places = Object.entries(of.input).filter(([, field]) => field.positional && !isHidden(field));
  const last = places.at(-1);
  const many = last !== undefined && takesMany(last[1]);
  const [key, field] = places[index] ?? (many ? last : []);
  return key === undefined || field === undefined ? undefined : { key, field };
}

function flagNames(of: Spec, before: readonly string[], everywhere = ANYWHERE): Candidate[] {
  const own = [...flagsOf(of.input)].flatMap(([name, { text, spec: field }]) =>
    name === text ? [{ value: text, note: field.doc }] : [],
  );
  const signals = Object.values(of.input).some((field) => field.of === "signal") ? SIGNAL_FLAGS : [];
  const named = new Set(own.map(({ value }) => value));
  const all = [...signals, ...own, ...everywhere.filter(({ value }) => !named.has(value))];
  return all.filter(({ value }) => !before.some((word) => word === value || word.startsWith(`${value}=`)));
}

const SIGNAL_FLAGS: readonly Candidate[] = [
  { value: "-STOP", note: "stop at the next safe point" },
  { value: "-CONT", note: "resume" },
  { value: "-INT", note: "abort the run" },
  { value: "-TERM", note: "end at the next safe point" },
  { value: "-KILL", note: "end at once" },
  { value: "-0", note: "check that it exists" },
];
