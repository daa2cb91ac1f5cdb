// Checks and converts arguments from outside by the field table. Unknown keys are dropped on the wire, so that older kernels understand
// newer clients, and refused if a person or model wrote them.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import { ID_MAX } from "../abi/identity.ts";
import { isPid, isUuid } from "../abi/ids.ts";
import { normaliseText } from "../abi/process/message.ts";
import { clip } from "../lib/text/truncate.ts";
import type { Args, Field, FieldSpec, Fields } from "./define.ts";

export interface ParseOptions {
  readonly unknownKeys: "drop" | "refuse";
}

export function parseArgs<F extends Fields>(fields: F, raw: unknown, options: ParseOptions): Args<F> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new SysError("EINVAL", "the arguments must be an object");
  }
  if (options.unknownKeys === "refuse") {
    const stranger = Object.keys(raw).find((key) => !Object.hasOwn(fields, key));
    if (stranger !== undefined) {
      throw new SysError("EINVAL", `unknown argument ${JSON.stringify(clip(stranger))}`, [
        `valid arguments: ${shownNames(fields).join(", ") || "nothing"}`,
      ]);
    }
  }
  const parsed: { [key: string]: unknown } = {};
  for (const [name, spec] of Object.entries(fields)) {
    const value = Object.hasOwn(raw, name) ? (raw as { [key: string]: unknown })[name] : undefined;
    if (value === undefined || value === null) {
      if (spec.fallback !== undefined) parsed[name] = spec.fallback;
      else if (!spec.optional) throw new SysError("EINVAL", `${name} is missing`, [spec.doc]);
      continue;
    }
    parsed[name] = parseValue(name, spec, value);
  }
  return parsed as Args<F>;
}

function shownNames(fields: Fields): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.hide !== "both");
}

/** Throws EINVAL that says what is expected. */
export function parseValue(name: string, spec: Field<unknown, boolean>, value: unknown): unknown {
  switch (spec.kind) {
    case "text":
      return lineOf(name, spec, parseText(name, value, spec.longest ?? LIMITS.messageCharsMax));
    case "words":
      if (!Array.isArray(value) || value.length === 0) throw wrong(name, "one or more words", value);
      return value.map((item) => parseText(name, item, spec.longest ?? LIMITS.labelCharsMax));
    case "path":
      return parsePath(name, value);
    case "paths":
      if (!Array.isArray(value) || value.length === 0) throw wrong(name, "one or more paths", value);
      return value.map((item) => parsePath(name, item));
    case "int":
    case "uid":
      return parseInteger(
        name,
        value,
        spec.min ?? 0,
        spec.max ?? (spec.kind === "uid" ? ID_MAX : Number.MAX_SAFE_INTEGER),
      );
    case "flag":
      if (typeof value !== "boolean") throw wrong(name, "true or false", value);
      return value;
    case "pid":
      return parsePid(name, value);
    case "pids":
      if (!Array.isArray(value) || value.length === 0 || value.length > LIMITS.pidsPerCallMax) {
        throw wrong(name, `a list of 1 to ${LIMITS.pidsPerCallMax} pids`, value);
      }
      return value.map((item) => parsePid(name, item));
    case "uuid":
      if (typeof value !== "string" || !isUuid(value)) throw wrong(name, "an id like 0190a1b2-…", value);
      return value;
    case "choice":
      return choiceOf(name, spec, value);
    case "object":
      if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(name, "an object", value);
      return value;
  }
}

function choiceOf(name: string, { choices = [], aliases = {} }: FieldSpec<unknown>, value: unknown): string {
  const found = typeof value === "string" && Object.hasOwn(aliases, value) ? aliases[value] : value;
  if (typeof found === "string" && choices.includes(found)) return found;
  throw wrong(name, `one of ${choices.join(", ")}`, value);
}

function parseText(name: string, value: unknown, longest: number): string {
  if (typeof value !== "string") throw wrong(name, "text", value);
  if (value.length > longest)
    throw new SysError("EINVAL", `${name} has ${value.length} characters; at most ${longest} are allowed`);
  return normaliseText(value);
}

// White space counts as empty: some models refuse it.
function lineOf(name: string, { shortest = 0, line }: Field<unknown, boolean>, text: string): string {
  if (shortest > 0 && text.trim().length < shortest) throw new SysError("EINVAL", `${name} is empty`);
  if (line) refuseControl(name, text);
  return text;
}

/** Throws EINVAL that names the control character. */
export function refuseControl(name: string, text: string): void {
  const odd = /\p{Cc}/u.exec(text)?.[0].codePointAt(0);
  if (odd === undefined) return;
  const code = `U+${odd.toString(16).toUpperCase().padStart(4, "0")}`;
  throw new SysError("EINVAL", `${name} contains a control character (${code})`);
}

function parsePath(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "") throw wrong(name, "a path", value);
  if (value.includes("\u0000")) throw new SysError("EINVAL", `${name} contains a NUL byte`);
  if (Buffer.byteLength(value) > LIMITS.pathBytesMax)
    throw new SysError("ENAMETOOLONG", `${name} is longer than ${LIMITS.pathBytesMax} bytes`);
  return value.toWellFormed();
}

function parseInteger(name: string, value: unknown, min: number, max: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min || value > max) {
    throw wrong(
      name,
      max === Number.MAX_SAFE_INTEGER && !(Number(value) > max)
        ? `a whole number from ${min}`
        : `a whole number from ${min} to ${max}`,
      value,
    );
  }
  return value;
}

// An impossible pid gets the same error as an absent one.
function parsePid(name: string, value: unknown): string {
  if (typeof value !== "string") throw wrong(name, "a pid like init:1000 or task:abc123", value);
  if (!isPid(value)) throw noSuchProcess(value);
  return value;
}

export function noSuchProcess(pid: string): SysError {
  return new SysError("ESRCH", `no such process: ${pid.trim() === "" ? '""' : clip(pid)}`, [
    "gsv ps lists your processes",
  ]);
}

function wrong(name: string, expected: string, got: unknown): SysError {
  return new SysError("EINVAL", `${name} must be ${expected}, not ${clip(JSON.stringify(got) ?? String(got))}`);
}
