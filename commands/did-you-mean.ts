// Suggestions for a wrong name: if an error repeats a word of the command line, adds the most similar completions of that place. A suggestion is
// only shown, never used.

import { type Code, SysError } from "../src/abi/errno.ts";
import { nearest } from "../src/lib/text/nearest.ts";
import { looksLikeFlag } from "./args.ts";
import type { Commands, Io } from "./command.ts";
import type { Named } from "./lookup.ts";
import { completionOf } from "./man/complete.ts";
import type { Candidate } from "./man/complete-values.ts";

const OF_NAMES: readonly Code[] = ["ESRCH", "ENOENT", "EINVAL", "EUSAGE", "EPERM"];
const HINT = "did you mean ";
const WORD_CHARS_MAX = 60;
const SHOWN_MAX = 3;

/** Returns the error, with a hint if there is a similar name. */
export async function withNearest(
  error: unknown,
  { command, args }: Named,
  io: Io,
  commands: Commands,
): Promise<unknown> {
  if (!(error instanceof SysError) || !OF_NAMES.includes(error.code)) return error;
  if (error.hints.some((hint) => hint.startsWith(HINT))) return error;
  for (const [at, word] of args.entries()) {
    const name = word.replace(/^-+[^=]*=/, "");
    if (
      name.length < (looksLikeFlag(name) ? 3 : 2) ||
      name.length > WORD_CHARS_MAX ||
      !error.message.includes(name.replace(/^-/, ""))
    )
      continue;
    const place = [...command.spec.name.split(" "), ...args.slice(0, at)];
    const close = closest(name, await offered(error, { place, word, name }, { io, commands }).catch(() => []));
    if (close.length > 0) return new SysError(error.code, error.message, [HINT + close.join(" or "), ...error.hints]);
  }
  return error;
}

interface Place {
  readonly place: readonly string[];
  readonly word: string;
  readonly name: string;
}

async function offered(
  error: SysError,
  { place, word, name }: Place,
  by: { readonly io: Io; readonly commands: Commands },
): Promise<readonly Candidate[]> {
  const io: Io = error.code === "EUSAGE" ? Object.create(by.io, { peek: { value: async () => null } }) : by.io;
  const complete = (before: readonly string[], current: string) => completionOf(by.commands, { before, current }, io);
  // A message may be in the place of the process: complete it as `wait` would.
  if (error.code === "ESRCH") return (await complete(["wait"], "")).candidates;
  if (looksLikeFlag(name)) return (await complete(place, "-")).candidates;
  const flag = word.slice(0, word.length - name.length);
  const directory = name.slice(0, name.lastIndexOf("/") + 1);
  const { candidates } = await complete(place, flag + directory);
  return candidates.map((each) => ({ ...each, value: each.value.slice(flag.length) }));
}

/** Names with the same prefix are compared after the last colon; a label means its process. */
function closest(name: string, candidates: readonly Candidate[]): string[] {
  // The name exists: something else is wrong.
  if (candidates.some(({ value }) => value === name)) return [];
  const head = name.slice(0, name.lastIndexOf(":") + 1);
  const tails = candidates.flatMap(({ value }) => (value.startsWith(head) ? [value.slice(head.length)] : []));
  const values = [...nearest(name.slice(head.length), tails).map((tail) => head + tail), ...byEnd(name, candidates)];
  const found = [...new Set([...values, ...byLabel(name, candidates)])];
  const notes = new Map(candidates.map(({ value, note }) => [value, note]));
  return found
    .slice(0, SHOWN_MAX)
    .map((value) => (notes.get(value) && isPid(value) ? `${value} (${notes.get(value)})` : value));
}

/** The first part of a pid may be missing or mistyped. */
function byEnd(name: string, candidates: readonly Candidate[]): string[] {
  const end = name.slice(name.lastIndexOf(":") + 1);
  return candidates.flatMap(({ value }) =>
    isPid(value) && end.length > 3 && value.endsWith(`:${end}`) ? [value] : [],
  );
}

function byLabel(name: string, candidates: readonly Candidate[]): string[] {
  const typed = name.toLowerCase();
  const labels = candidates.flatMap(({ value, note }) =>
    isPid(value) && note ? [{ value, label: note.toLowerCase().replace(/ · .*/, "") }] : [],
  );
  const close = nearest(
    typed,
    labels.map(({ label }) => label),
  );
  return labels.flatMap(({ value, label }) =>
    close.includes(label) || label.split(" ").includes(typed) ? [value] : [],
  );
}

function isPid(value: string): boolean {
  return /^(?:init|task):/.test(value);
}
