// Flags and arguments of a command as its field table declares them: names, usage line, conversion of values, usage errors.

import { SysError } from "../src/abi/errno.ts";
import { isShortId } from "../src/abi/ids.ts";
import { isLikeKey } from "../src/lib/text/redact.ts";
import { reveal } from "../src/lib/text/sanitize.ts";
import { cutWidth } from "../src/lib/text/truncate.ts";
import type { Field, Fields } from "../src/syscalls/define.ts";
import { parseValue } from "../src/syscalls/parse.ts";

type AnyField = Field<unknown, boolean>;

/** It fits 80 columns after `usage: `. */
const USAGE_CHARS_MAX = 70;
const NAMED_PID = "init:0";

/** The arguments of a command, and the text of its help. */
export interface Spec<F extends Fields = Fields> {
  readonly name: string;
  readonly summary: string;
  readonly input: F;
  readonly examples: readonly string[];
  readonly notes?: readonly string[];
  /** Replaces the usage line made of the fields. */
  readonly usage?: string;
  /** Words after the first one belong to another program. */
  readonly passesOn?: true;
}

export interface Flag {
  readonly key: string;
  readonly spec: AnyField;
  readonly text: string;
}

export interface Words {
  readonly words: readonly string[];
  readonly json: boolean;
}

/** `-h` means help unless the command declares it, like `ls -h`. */
export function helpLetter(input: Fields): readonly string[] {
  return Object.values(input).some(({ letter }) => letter === "h") ? [] : ["-h"];
}

/** Whether one of these flags is given before `--`. */
export function asks(args: readonly string[], ...names: string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).some((token) => names.includes(token));
}

/** `-` alone is a value: stdin. */
export function looksLikeFlag(token: string): boolean {
  return token.length > 1 && token.startsWith("-");
}

export function flagText(key: string, spec: Pick<AnyField, "flag"> = {}): string {
  return `--${spec.flag ?? key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function flagsOf(input: Fields): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>();
  for (const [key, spec] of Object.entries(input)) {
    if (spec.positional || isHidden(spec)) continue;
    const text = flagText(key, spec);
    const flag: Flag = { key, spec, text };
    flags.set(text, flag);
    if (spec.letter !== undefined) flags.set(`-${spec.letter}`, flag);
  }
  return flags;
}

export function isHidden(spec: AnyField): boolean {
  return spec.hide === "cli" || spec.hide === "both";
}

export function usageLine(spec: Spec): string {
  if (spec.usage !== undefined) return spec.usage;
  const words: string[] = [];
  const flags: string[] = [];
  for (const [key, field] of Object.entries(spec.input)) {
    if (isHidden(field)) continue;
    const optional = field.optional || field.fallback !== undefined;
    const text = field.positional ? placeholder(key, field) : withValue(flagText(key, field), key, field);
    (field.positional ? words : flags).push(optional ? `[${text}]` : text);
  }
  return ["gsv", spec.name, ...words, ...flags, "[--json]"].join(" ");
}

export function withValue(text: string, key: string, spec: AnyField): string {
  if (spec.bare === true) return `${text}[=${placeholder(key, spec)}]`;
  return spec.kind === "flag" ? text : `${text} ${placeholder(key, spec)}`;
}

export function usageError(spec: Spec, message: string, hints: readonly string[] = []): SysError {
  return new SysError("EUSAGE", message, [...hints, `usage: ${shortUsage(spec)}`]);
}

// After a mistyped flag, thirty others are noise.
function shortUsage(spec: Spec): string {
  const whole = usageLine(spec);
  if (whole.length <= USAGE_CHARS_MAX || spec.usage !== undefined) return whole;
  const needed = {
    ...spec,
    input: Object.fromEntries(Object.entries(spec.input).filter(([, field]) => isNeeded(field))),
  };
  const words = usageLine(needed).replace(" [--json]", "").slice(`gsv ${spec.name}`.length);
  return `gsv ${spec.name} [FLAGS]${words}  (flags: --help)`;
}

function isNeeded(field: AnyField): boolean {
  return field.positional === true || (!field.optional && field.fallback === undefined);
}

const UNIT_MS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `--timeout 30`, `--timeout 0.5`, or with its unit as `5m`, in ms. */
export function timeoutMs(spec: Spec, seconds: string | undefined, flag = "--timeout"): number | null {
  if (seconds === undefined) return null;
  const [, count, unit = "s"] = /^([0-9]{1,8}(?:\.[0-9]{1,3})?)(ms|s|m|h)?$/.exec(seconds) ?? [];
  const ms = Math.round(Number(count) * (UNIT_MS[unit] ?? 0));
  if (count === undefined || ms === 0)
    throw usageError(
      spec,
      /^[0-9]{9}/.test(seconds)
        ? `${flag} may be at most 99999999 seconds, not ${clip(seconds)}`
        : `${flag} must be a time such as 30, 5m or 2h, not ${clip(seconds)}`,
    );
  return ms;
}

function placeholder(key: string, spec: AnyField): string {
  return spec.meta ?? spec.choices?.join("|") ?? key.toUpperCase();
}

export function wordName(key: string, spec: AnyField): string {
  const word = (spec.meta ?? key.toUpperCase()).replace(/\.\.\.$/, "");
  return word.includes("|") ? key.toUpperCase() : word;
}

export function takesMany({ kind }: AnyField): boolean {
  return kind === "pids" || kind === "words" || kind === "paths";
}

// A malformed pid is not a usage error: it reads exactly like a process that does not exist.
export function checkedValue(spec: Spec, name: string, field: AnyField, value: string | readonly string[]): unknown {
  try {
    if (field.kind === "pid" || field.kind === "pids") return pidsOrNames(name, field, value);
    if (field.of === "archive" && typeof value === "string" && isShortId(value)) return value;
    return parseValue(name, field, typeof value === "string" ? fromText(name, field, value) : value);
  } catch (error) {
    // The number as it was typed, with its zeros and all of its digits.
    if (error instanceof SysError && error.code === "EINVAL" && field.kind === "int" && typeof value === "string")
      throw usageError(spec, error.message.replace(/, not (?:\d\S*|null)$/, `, not ${clip(value)}`), error.hints);
    if (!(error instanceof SysError) || error.code !== "EINVAL") throw error;
    const isShown = typeof value !== "string" || clipFor(spec, value) === clip(value);
    throw usageError(spec, isShown ? error.message : error.message.replace(/, not .*$/s, ""), error.hints);
  }
}

/** Not a pid, nor meant as one: `define.ts` looks for the process of that name. */
export function isProcessName(word: string): boolean {
  return word.trim() !== "" && !/^(?:init|task):|\p{Cc}/u.test(word);
}

function pidsOrNames(name: string, field: AnyField, value: string | readonly string[]): unknown {
  const checked = [value].flat().map((word) => (isProcessName(word) ? NAMED_PID : word));
  parseValue(name, field, typeof value === "string" ? checked[0] : checked);
  return value;
}

function fromText(name: string, field: AnyField, text: string): unknown {
  switch (field.kind) {
    case "int":
    case "uid":
      if (!/^[0-9]+$/.test(text)) {
        throw new SysError("EINVAL", `${name} must be a whole number in decimal digits, not ${clip(text)}`);
      }
      return Number(text);
    case "object":
      try {
        return JSON.parse(text);
      } catch {
        throw new SysError("EINVAL", `${name} must be a JSON object, not ${clip(text)}`);
      }
    default:
      return text;
  }
}

/** A word on the line of a command: where keys are typed, one in the wrong place is not shown. */
export function clipFor({ name }: Spec, text: string): string {
  return /^(?:auth|passwd)(?: |$)/.test(name) && isLikeKey(text) ? "(not shown)" : clip(text);
}

export function clip(text: string): string {
  return cutWidth(reveal(text), 60) || '""';
}
