// awk's built-in functions.

import { Usage } from "../program.ts";
import { all, both, type Code, from, waited } from "./code.ts";
import { cellOf, code, place, type Scope, source, tableOf, text } from "./expressions.ts";
import { compared, formatted } from "./format.ts";
import { fieldsOf, type Machine } from "./machine.ts";
import type { Expression, Target } from "./syntax.ts";
import { expressionOf, Input, numberOf, type Value } from "./values.ts";

type Builtin = Extract<Expression, { is: "builtin" }>;

const RECORD: Expression = { is: "field", number: { is: "number", value: 0 } };
const NUMBERS: { readonly [name: string]: (...given: readonly number[]) => number } = {
  sin: (a = 0) => Math.sin(a),
  cos: (a = 0) => Math.cos(a),
  atan2: (a = 0, b = 0) => Math.atan2(a, b),
  exp: (a = 0) => Math.exp(a),
  log: (a = 0) => Math.log(a),
  sqrt: (a = 0) => Math.sqrt(a),
  int: (a = 0) => Math.trunc(a),
  and: (...given) => Number(given.map(whole).reduce((a, b) => a & b)),
  or: (...given) => Number(given.map(whole).reduce((a, b) => a | b)),
  xor: (...given) => Number(given.map(whole).reduce((a, b) => a ^ b)),
  lshift: (a = 0, b = 0) => Number(BigInt.asUintN(53, whole(a) << whole(b))),
  rshift: (a = 0, b = 0) => Number(whole(a) >> whole(b)),
  compl: (a = 0) => Number(BigInt.asUintN(53, ~whole(a))),
};

function whole(number: number): bigint {
  return BigInt(Math.trunc(number)) & 0x3ff_ffff_ffff_ffffn;
}

export function builtin(expression: Builtin, scope: Scope): Code<Value> {
  const { name, args, line } = expression;
  const { machine } = scope;
  const [first = RECORD, second] = args;
  const calculate = NUMBERS[name];
  if (calculate !== undefined)
    return all(
      (args.length === 0 ? [RECORD] : args).map((each) => code(each, scope)),
      (values) => calculate(...values.map(numberOf)),
    );
  switch (name) {
    case "length":
      return length(first, scope);
    case "sub":
    case "gsub":
      return substitution(expression, scope);
    case "split":
      return split(expression, scope);
    case "asort":
    case "asorti":
      return sorted(expression, scope);
    case "match":
      return matched(expression, scope);
    case "close":
      return waited(text(first, scope), (file) => machine.close(file));
    case "system":
      return waited(text(first, scope), async (command) => {
        await machine.outputs.written();
        return machine.call.run(["sh", "-c", command], new Uint8Array());
      });
    case "fflush":
      return all(
        args.map((each) => text(each, scope)),
        () => {
          machine.outputs.flush();
          return 0;
        },
      );
    case "gensub":
      return all(
        [text(first, scope), ...args.slice(1).map((each) => text(each, scope))].with(0, source(first, scope)),
        (given) => gensub(machine, given),
      );
  }
  const simple = TEXTS[name];
  if (simple === undefined) throw new Usage(`awk: line ${line}: there is no function ${name}`, 2);
  if (second === undefined && NEEDS_TWO.has(name))
    throw new Usage(`awk: line ${line}: not enough arguments to ${name}`, 2);
  return all(
    args.map((each) => code(each, scope)),
    (values) => simple(machine, values),
  );
}

const NEEDS_TWO = new Set(["substr", "index"]);
const TEXTS: { readonly [name: string]: (machine: Machine, values: readonly Value[]) => Value } = {
  substr: (machine, [value, start, size]) =>
    piece(machine.text(value), numberOf(start), size === undefined ? null : numberOf(size)),
  index: (machine, [value, part]) =>
    lettersBefore(machine.text(value), machine.text(value).indexOf(machine.text(part))) + 1,
  tolower: (machine, [value]) => machine.text(value).toLowerCase(),
  toupper: (machine, [value]) => machine.text(value).toUpperCase(),
  sprintf: (machine, [format, ...values]) => formatted(machine.text(format), values, machine.setting("CONVFMT")),
  strtonum: (machine, [value]) => numberIn(machine.text(value)),
  systime: (machine) => Math.floor(machine.call.nowMs() / 1000),
  strftime: (machine, [format = "%a %b %e %H:%M:%S %Z %Y", seconds]) =>
    timeText(machine.text(format), seconds === undefined ? machine.call.nowMs() : numberOf(seconds) * 1000),
  mktime: (machine, [value]) => instant(machine.text(value)),
  rand: (machine) => random(machine),
  srand: (machine, [seed]) => {
    const before = machine.seed;
    machine.seed = seed === undefined ? Math.floor(machine.call.nowMs() / 1000) : numberOf(seed);
    machine.random = machine.seed | 0;
    return before;
  },
};

function random(machine: Machine): number {
  machine.random = (machine.random + 0x6d2b79f5) | 0;
  let mixed = Math.imul(machine.random ^ (machine.random >>> 15), machine.random | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Only characters beyond the BMP take more than one UTF-16 unit. */
const WIDE = /[\ud800-\udbff]/;

function lettersIn(value: string): number {
  return WIDE.test(value) ? [...value].length : value.length;
}

function lettersBefore(value: string, at: number): number {
  return at <= 0 ? at : lettersIn(value.slice(0, at));
}

function piece(value: string, start: number, size: number | null): string {
  const begin = rounded(start) - 1;
  const end = size === null ? Number.POSITIVE_INFINITY : begin + rounded(size);
  const [from, to] = [Math.max(0, begin), Math.max(0, end)];
  return WIDE.test(value) ? [...value].slice(from, to).join("") : value.slice(from, to);
}

/** Rounds half to even. */
function rounded(number: number): number {
  const near = Math.round(number);
  return Math.abs(number - Math.trunc(number)) === 0.5 && near % 2 !== 0 ? near - 1 : near;
}

function numberIn(value: string): number {
  if (/^\s*0[xX][\da-fA-F]+/.test(value)) return Number.parseInt(value, 16);
  return /^\s*0[0-7]+\s*$/.test(value) ? Number.parseInt(value, 8) : numberOf(value);
}

function length(first: Expression, scope: Scope): Code<Value> {
  if (first.is === "variable" && first.name !== "NF") {
    const cell = cellOf(first.name, scope);
    return {
      waits: false,
      run: (frame) => {
        const { value } = cell(frame);
        return value instanceof Map ? value.size : lettersIn(scope.machine.text(value));
      },
    };
  }
  return from(text(first, scope), lettersIn);
}

function substitution({ name, args, line }: Builtin, scope: Scope): Code<Value> {
  const [pattern, replacement, into = RECORD] = args;
  if (pattern === undefined || replacement === undefined)
    throw new Usage(`awk: line ${line}: not enough arguments to ${name}`, 2);
  const isTarget = into.is === "variable" || into.is === "field" || into.is === "element";
  const target: Target = isTarget ? into : { is: "variable", name: " nowhere" };
  const put = place(target, scope);
  const texts = all([source(pattern, scope), text(replacement, scope), text(into, scope)], (found) => found);
  return both(texts, put, ([expression = "", by = "", before = ""], set, frame) => {
    const { text: after, count } = replaced(before, { expression, with: by, all: name === "gsub" });
    if (count > 0) set(after, frame);
    return count;
  });
}

interface Replacing {
  readonly expression: string;
  readonly with: string;
  readonly all: boolean;
}

function replaced(
  before: string,
  { expression, with: pattern, all: every }: Replacing,
): { text: string; count: number } {
  const found = expressionOf(expression);
  let [count, end, after] = [0, 0, ""];
  let lastEnd = -1;
  for (let match = found.exec(before); match !== null; match = found.exec(before)) {
    const to = match.index + match[0].length;
    // An empty match directly after a match does not count.
    if (match[0] !== "" || match.index !== lastEnd) {
      after +=
        before.slice(end, match.index) + pattern.replaceAll(/\\\\|\\&|&/g, (part) => MEANS[part] ?? match?.[0] ?? "");
      end = to;
      count++;
      if (!every) break;
    }
    lastEnd = to;
    if (match[0] === "") found.lastIndex++;
  }
  return { text: after + before.slice(end), count };
}

const MEANS: { readonly [part: string]: string } = { "\\\\": "\\", "\\&": "&" };

function gensub(machine: Machine, [expression = "", pattern = "", how = "1", value]: readonly string[]): string {
  const before = value ?? machine.whole();
  const wanted = /^[gG]/.test(how) ? null : Math.max(1, numberOf(how));
  let count = 0;
  return before.replace(expressionOf(expression), (whole, ...groups) => {
    if (wanted !== null && ++count !== wanted) return whole;
    return pattern.replaceAll(/\\(\d|&|\\)|&/g, (part, letter: string | undefined) => {
      if (part === "&" || letter === "0") return whole;
      if (letter === "&" || letter === "\\") return letter;
      return String(groups[Number(letter) - 1] ?? "");
    });
  });
}

function split({ args, line }: Builtin, scope: Scope): Code<Value> {
  const [value, into, separator] = args;
  if (value === undefined || into?.is !== "variable") throw new Usage(`awk: line ${line}: split needs an array`, 2);
  const cell = cellOf(into.name, scope);
  const by =
    separator === undefined ? from(text(RECORD, scope), () => scope.machine.setting("FS")) : source(separator, scope);
  return all([text(value, scope), by], ([whole = "", sign = ""], frame) => {
    const table = tableOf(cell(frame), into.name);
    table.clear();
    const parts = fieldsOf(whole, separator?.is === "regex" && sign === " " ? "[ ]" : sign);
    for (const [at, part] of parts.entries()) table.set(String(at + 1), part);
    return parts.length;
  });
}

function sorted({ name, args, line }: Builtin, scope: Scope): Code<Value> {
  const [given, into = given] = args;
  if (given?.is !== "variable" || into?.is !== "variable")
    throw new Usage(`awk: line ${line}: ${name} needs an array`, 2);
  const [from_, to] = [cellOf(given.name, scope), cellOf(into.name, scope)];
  return {
    waits: false,
    run: (frame) => {
      const table = tableOf(from_(frame), given.name);
      const values: Value[] = name === "asort" ? [...table.values()] : [...table.keys()];
      values.sort((a, b) => compared(a, b, "%.6g"));
      const target = tableOf(to(frame), into.name);
      target.clear();
      for (const [at, value] of values.entries()) target.set(String(at + 1), value);
      return values.length;
    },
  };
}

function matched({ args, line }: Builtin, scope: Scope): Code<Value> {
  const [value, pattern, groups] = args;
  if (value === undefined || pattern === undefined)
    throw new Usage(`awk: line ${line}: not enough arguments to match`, 2);
  const { machine } = scope;
  const cell = groups?.is === "variable" ? cellOf(groups.name, scope) : null;
  return all([text(value, scope), source(pattern, scope)], ([whole = "", expression = ""], frame) => {
    const found = expressionOf(expression).exec(whole);
    const start = found === null ? 0 : lettersBefore(whole, found.index) + 1;
    machine.cell("RSTART").value = start;
    machine.cell("RLENGTH").value = found === null ? -1 : lettersIn(found[0]);
    if (cell !== null && groups?.is === "variable") {
      const table = tableOf(cell(frame), groups.name);
      table.clear();
      for (const [at, part] of (found ?? []).entries()) if (part !== undefined) table.set(String(at), new Input(part));
    }
    return start;
  });
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAY_MS = 24 * 60 * 60 * 1000;

function timeText(format: string, ms: number): string {
  const at = new Date(ms);
  const two = (number: number) => String(number).padStart(2, "0");
  const [day = "", month = ""] = [DAYS[at.getUTCDay()], MONTHS[at.getUTCMonth()]];
  const hour = at.getUTCHours() % 12 || 12;
  const ofYear = Math.floor((ms - Date.UTC(at.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
  const parts: { readonly [letter: string]: string } = {
    ...{ Y: String(at.getUTCFullYear()), y: two(at.getUTCFullYear() % 100), m: two(at.getUTCMonth() + 1) },
    ...{ d: two(at.getUTCDate()), e: String(at.getUTCDate()).padStart(2), j: String(ofYear).padStart(3, "0") },
    ...{ H: two(at.getUTCHours()), I: two(hour), M: two(at.getUTCMinutes()), S: two(at.getUTCSeconds()) },
    ...{ A: day, a: day.slice(0, 3), B: month, b: month.slice(0, 3), h: month.slice(0, 3) },
    ...{ p: at.getUTCHours() < 12 ? "AM" : "PM", Z: "UTC", z: "+0000", s: String(Math.floor(ms / 1000)) },
    ...{ u: String(at.getUTCDay() || 7), w: String(at.getUTCDay()), n: "\n", t: "\t", "%": "%" },
  };
  const whole = format
    .replaceAll("%F", "%Y-%m-%d")
    .replaceAll(/%[TX]/g, "%H:%M:%S")
    .replaceAll("%R", "%H:%M")
    .replaceAll(/%[Dx]/g, "%m/%d/%y")
    .replaceAll("%c", "%a %b %e %H:%M:%S %Y");
  return whole.replaceAll(/%(.)/g, (found, letter: string) => parts[letter] ?? found);
}

/** Seconds of `YYYY MM DD HH MM SS`; -1 if invalid. */
function instant(text: string): number {
  const [year, month, day, hour, minute, second] = text.trim().split(/\s+/).map(Number);
  if (second === undefined || year === undefined || month === undefined) return -1;
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  return Number.isNaN(ms) ? -1 : Math.floor(ms / 1000);
}
