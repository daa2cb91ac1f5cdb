// `sort` and `uniq`: sort lines by keys; drop or count repeated lines. The interpreter's `uniq` pads counts to 4 and has no -f, -s, -w, -z.

import { options } from "../options.ts";
import { type Call, eachFile, linesOf, text, Usage } from "../program.ts";

interface Order {
  readonly numeric: boolean;
  readonly human: boolean;
  readonly version: boolean;
  readonly month: boolean;
  readonly general: boolean;
  readonly fold: boolean;
  readonly dictionary: boolean;
  readonly blanks: boolean;
  readonly reverse: boolean;
}

interface Key extends Order {
  readonly from: readonly [field: number, letter: number];
  readonly to: readonly [field: number, letter: number] | null;
}

const LONG = {
  ...{ "key=": "k", "field-separator=": "t", "output=": "o", unique: "u", reverse: "r", "numeric-sort": "n" },
  ...{ "human-numeric-sort": "h", "version-sort": "V", "month-sort": "M", "general-numeric-sort": "g", check: "c" },
  ...{
    "ignore-case": "f",
    "ignore-leading-blanks": "b",
    "dictionary-order": "d",
    stable: "s",
    "zero-terminated": "z",
    merge: "m",
  },
};

export async function sort(call: Call): Promise<number> {
  const { flags, uses, operands } = options("sort", call.args, {
    letters: "k:t:o:urnhVMgfbdsczCmR",
    long: LONG,
    status: 2,
  });
  const end = flags.has("z") ? "\0" : "\n";
  const lines: string[] = [];
  const status = await eachFile(
    call,
    operands,
    async (name) => {
      for (const line of linesOf(await text(call, name), end)) lines.push(line);
    },
    (name, why) => (why === "Is a directory" ? `read failed: ${name}: ${why}` : `cannot read: ${name}: ${why}`),
  );
  if (status !== 0) return 2;
  const base = orderOf([...flags.keys()].join(""));
  const keys = uses.filter(([flag]) => flag === "k").map(([, value]) => keyOf(value, base));
  const compare = comparison(keys, base, flags.get("t"));
  const full = (left: string, right: string) => {
    const byKey = compare(left, right);
    if (byKey !== 0 || flags.has("s") || flags.has("u")) return byKey;
    const byLine = order(left, right);
    return base.reverse ? -byLine : byLine;
  };
  if (flags.has("c") || flags.has("C")) {
    const at = lines.findIndex(
      (line, place) => place > 0 && full(lines[place - 1] ?? "", line) > (flags.has("u") ? -1 : 0),
    );
    if (at === -1) return 0;
    if (flags.has("c")) call.err(`sort: ${operands[0] ?? "-"}:${at + 1}: disorder: ${lines[at]}\n`);
    return 1;
  }
  const sorted = lines
    .sort(full)
    .filter((line, at, all) => !flags.has("u") || at === 0 || compare(all[at - 1] ?? "", line) !== 0);
  const result = sorted.map((line) => line + end).join("");
  const output = flags.get("o");
  if (output === undefined) call.out(result);
  else await call.files.write(call.path(output), Buffer.from(result));
  return 0;
}

function orderOf(letters: string): Order {
  const has = (letter: string) => letters.includes(letter);
  return {
    ...{ numeric: has("n"), human: has("h"), version: has("V"), month: has("M"), general: has("g") },
    ...{ fold: has("f"), dictionary: has("d"), blanks: has("b"), reverse: has("r") },
  };
}

function keyOf(text: string, base: Order): Key {
  const [, field, letter, marks = "", toField, toLetter, toMarks = ""] =
    /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/.exec(text) ?? [];
  if (field === undefined || field === "0") throw new Usage(`sort: -: invalid field specification ‘${text}’`, 2);
  const own = orderOf(marks + toMarks);
  const isOwn = marks + toMarks !== "";
  const to = toField === undefined ? null : ([Number(toField), Number(toLetter ?? 0)] as const);
  return { ...(isOwn ? own : base), from: [Number(field), Number(letter ?? 1)], to };
}

function comparison(keys: readonly Key[], base: Order, separator: string | undefined) {
  if (keys.length === 0) return (left: string, right: string) => by(base, left, right);
  return (left: string, right: string) => {
    for (const key of keys) {
      const result = by(key, part(left, key, separator), part(right, key, separator));
      if (result !== 0) return result;
    }
    return 0;
  };
}

/** Without a separator, a field includes the blanks before it. */
function part(line: string, { from, to, blanks }: Key, separator: string | undefined): string {
  const fields = separator === undefined ? (line.match(/[ \t]*[^ \t]+|[ \t]+$/g) ?? []) : line.split(separator);
  const between = separator ?? "";
  const [first, letter] = from;
  const rest = fields.slice(first - 1, to === null ? undefined : to[0]);
  const cut = to !== null && to[1] > 0 ? [...rest.slice(0, -1), (rest.at(-1) ?? "").slice(0, to[1])] : rest;
  const whole = cut.join(between);
  return (blanks ? whole.replace(/^[ \t]+/, "") : whole).slice(letter - 1);
}

function by(how: Order, left: string, right: string): number {
  const result = plainly(how, left, right);
  return how.reverse ? -result : result;
}

function plainly(how: Order, left: string, right: string): number {
  if (how.numeric) return numberIn(left) - numberIn(right);
  if (how.general) return (Number.parseFloat(left) || 0) - (Number.parseFloat(right) || 0);
  if (how.human) return scaled(left) - scaled(right);
  if (how.month) return monthOf(left) - monthOf(right);
  if (how.version) return versions(left, right);
  const shown = (text: string) => {
    const bare = how.blanks ? text.replace(/^[ \t]+/, "") : text;
    const plain = how.dictionary ? bare.replaceAll(/[^\p{L}\p{N}\s]/gu, "") : bare;
    return how.fold ? plain.toUpperCase() : plain;
  };
  return order(shown(left), shown(right));
}

/** Byte order, as in the C locale. */
function order(left: string, right: string): number {
  if (left === right) return 0;
  return /[\ud800-\udfff]/.test(left + right)
    ? Buffer.compare(Buffer.from(left), Buffer.from(right))
    : left < right
      ? -1
      : 1;
}

function numberIn(text: string): number {
  return Number(/^\s*(-?(?:\d+\.?\d*|\.\d+))/.exec(text)?.[1] ?? 0);
}

function scaled(text: string): number {
  const unit = /^\s*-?[\d.]+([KMGTPE])/.exec(text)?.[1] ?? "";
  return numberIn(text) * 1024 ** " KMGTPE".indexOf(unit || " ");
}

function monthOf(text: string): number {
  return ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].indexOf(
    text.trim().slice(0, 3).toLowerCase(),
  );
}

function versions(left: string, right: string): number {
  const parts = (text: string): readonly string[] => text.match(/\d+|\D+/g) ?? [];
  const [a, b] = [parts(left), parts(right)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [x = "", y = ""] = [a[at], b[at]];
    const result = /^\d/.test(x) && /^\d/.test(y) ? Number(x) - Number(y) : order(x, y);
    if (result !== 0) return result;
  }
  return 0;
}

export async function uniq(call: Call): Promise<number> {
  const { flags, operands } = options("uniq", call.args, {
    letters: "cdDuif:s:w:z",
    long: {
      count: "c",
      repeated: "d",
      unique: "u",
      "ignore-case": "i",
      "skip-fields=": "f",
      "skip-chars=": "s",
      "check-chars=": "w",
      "all-repeated": "D",
      "zero-terminated": "z",
    },
  });
  const end = flags.has("z") ? "\0" : "\n";
  const seen = (line: string) => {
    const fields = Number(flags.get("f") ?? 0);
    const rest = line.replace(new RegExp(`^(?:[ \\t]*[^ \\t]+){0,${fields}}`), "").slice(Number(flags.get("s") ?? 0));
    const kept = flags.has("w") ? rest.slice(0, Number(flags.get("w"))) : rest;
    return flags.has("i") ? kept.toLowerCase() : kept;
  };
  let result = "";
  const flush = (run: readonly string[]) => {
    if (
      run.length === 0 ||
      (flags.has("u") && run.length > 1) ||
      ((flags.has("d") || flags.has("D")) && run.length === 1)
    )
      return;
    const front = flags.has("c") ? `${String(run.length).padStart(7)} ` : "";
    result += flags.has("D") ? run.map((line) => line + end).join("") : front + run[0] + end;
  };
  const [input = "-", output] = operands;
  const status = await eachFile(call, [input], async (name) => {
    let run: string[] = [];
    for (const line of linesOf(await text(call, name), end)) {
      if (run.length > 0 && seen(run[0] ?? "") !== seen(line)) {
        flush(run);
        run = [];
      }
      run.push(line);
    }
    flush(run);
  });
  if (output === undefined) call.out(result);
  else await call.files.write(call.path(output), Buffer.from(result));
  return status;
}
