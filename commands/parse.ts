// Parses a command line by the field table of a syscall or command. Refuses with exit status 2: unknown flags, values that look like flags,
// repeated flags, numbers that are not plain decimal digits, missing and surplus arguments. `--flag value` and `--flag=value` are the same;
// `--` ends the flags.

import { isPid } from "../src/abi/ids.ts";
import type { Args, Fields } from "../src/syscalls/define.ts";
import {
  asks,
  checkedValue,
  clipFor,
  flagText,
  helpLetter,
  isHidden,
  looksLikeFlag,
  type Spec,
  takesMany,
  usageError,
  type Words,
  wordName,
} from "./args.ts";

export interface Parsed<F extends Fields> {
  readonly values: Args<F>;
  readonly json: boolean;
}

/** "help" if that was asked for. */
export async function parseCommandLine<F extends Fields>(
  spec: Spec<F>,
  args: readonly string[],
): Promise<Parsed<F> | "help"> {
  if (asks(args, "--help", ...helpLetter(spec.input))) return "help";
  const given = new Map<string, unknown>();
  const { words, json } = wordsAlone(args) ?? (await import("./flags.ts")).takeFlags(spec, args, given);
  takeWords(spec, words, given);
  fill(spec, given);
  return { values: Object.fromEntries(given) as Args<F>, json };
}

/** null if there are flags: their parser is slow to load. */
function wordsAlone(args: readonly string[]): Words | null {
  const words = args.filter((token) => token !== "--json");
  return words.some(looksLikeFlag) ? null : { words, json: words.length < args.length };
}

function takeWords(spec: Spec, typed: readonly string[], given: Map<string, unknown>): void {
  const words = withoutPid(spec, typed, given);
  const places = Object.entries(spec.input).filter(([, field]) => field.positional && !isHidden(field));
  let next = 0;
  for (const [key, field] of places) {
    if (next >= words.length) break;
    if (takesMany(field)) {
      given.set(key, checkedValue(spec, wordName(key, field), field, words.slice(next)));
      next = words.length;
    } else given.set(key, checkedValue(spec, wordName(key, field), field, words[next++]!));
  }
  const surplus = words[next];
  if (surplus === undefined) return;
  const quoting = places.some(([, field]) => field.kind === "text");
  const { prompt } = spec.input;
  const hints = [
    ...(quoting ? ["text of several words needs quotes around it"] : []),
    ...(prompt?.kind === "text" && !prompt.positional ? [`what it is asked: gsv ${spec.name} --prompt "…"`] : []),
  ];
  throw usageError(spec, `unexpected argument ${clipFor(spec, surplus)}`, hints);
}

// `send PID TEXT` and `logs PID` both work, although one of them declares the pid as a flag. No other text is a valid pid.
function withoutPid(spec: Spec, words: readonly string[], given: Map<string, unknown>): readonly string[] {
  const [first = "", ...rest] = words;
  const { pid } = spec.input;
  if (pid?.kind !== "pid" || pid.positional || isHidden(pid) || given.has("pid")) return words;
  // Without arguments, a word can only name the process.
  const isAlone = words.length === 1 && !Object.values(spec.input).some(({ positional }) => positional === true);
  if (!isPid(first) && !isAlone) return words;
  given.set("pid", first);
  return rest;
}

function fill(spec: Spec, given: Map<string, unknown>): void {
  for (const [key, field] of Object.entries(spec.input)) {
    if (given.has(key) || isHidden(field)) continue;
    if (field.fallback !== undefined) given.set(key, field.fallback);
    else if (!field.optional) {
      const text = field.positional ? wordName(key, field) : flagText(key, field);
      throw usageError(spec, `${text} is missing: ${field.doc}`);
    }
  }
}
