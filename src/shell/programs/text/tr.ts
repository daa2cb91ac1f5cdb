// `tr`: replaces, deletes or squeezes bytes.

import { options } from "../options.ts";
import { type Call, pieces, Usage } from "../program.ts";

const CLASSES: { readonly [name: string]: (byte: number) => boolean } = {
  alpha: (byte) => isLetter(byte),
  digit: (byte) => byte >= 48 && byte <= 57,
  alnum: (byte) => isLetter(byte) || (byte >= 48 && byte <= 57),
  upper: (byte) => byte >= 65 && byte <= 90,
  lower: (byte) => byte >= 97 && byte <= 122,
  space: (byte) => (byte >= 9 && byte <= 13) || byte === 32,
  blank: (byte) => byte === 9 || byte === 32,
  cntrl: (byte) => byte < 32 || byte === 127,
  print: (byte) => byte >= 32 && byte < 127,
  graph: (byte) => byte > 32 && byte < 127,
  punct: (byte) => byte > 32 && byte < 127 && !isLetter(byte) && !(byte >= 48 && byte <= 57),
  xdigit: (byte) => /[0-9a-fA-F]/.test(String.fromCharCode(byte)),
};
const NAMED: { readonly [letter: string]: number } = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, "\\": 92 };
const ALL = Array.from({ length: 256 }, (_, byte) => byte);
const HELP = "\nTry 'tr --help' for more information.";

function isLetter(byte: number): boolean {
  return (byte | 32) >= 97 && (byte | 32) <= 122;
}

export async function tr(call: Call): Promise<number> {
  const { flags, operands } = options("tr", call.args, {
    letters: "cCdst",
    long: { complement: "c", delete: "d", "squeeze-repeats": "s", "truncate-set1": "t" },
    stopsEarly: true,
  });
  const [deletes, squeezes] = [flags.has("d"), flags.has("s")];
  const [first, second] = operands;
  checkOperands(operands, deletes, squeezes);
  const bytes = setOf(first ?? "");
  const isOther = flags.has("c") || flags.has("C");
  const from = isOther ? ALL.filter((byte) => !bytes.includes(byte)) : bytes;
  const table = second === undefined || deletes ? null : tableOf(from, setOf(second, from.length), flags.has("t"));
  const gone = deletes ? new Set(from) : new Set<number>();
  const once = squeezes ? new Set(second === undefined ? from : setOf(second, deletes ? 0 : from.length)) : new Set();
  let last = -1;
  for await (const piece of pieces(call, "-")) {
    const output = new Uint8Array(piece.byteLength);
    let size = 0;
    for (const byte of piece) {
      if (gone.has(byte)) continue;
      const other = table?.[byte] ?? byte;
      if (other === last && once.has(other)) continue;
      last = other;
      output[size++] = other;
    }
    call.out(output.subarray(0, size));
  }
  return 0;
}

function checkOperands(operands: readonly string[], deletes: boolean, squeezes: boolean): void {
  const [first, second, third] = operands;
  const wanted = deletes === squeezes ? 2 : 1;
  if (first === undefined) throw new Usage(`tr: missing operand${HELP}`);
  if (operands.length < wanted) {
    const why = deletes ? "deleting and squeezing repeats" : "translating";
    throw new Usage(`tr: missing operand after ‘${first}’\nTwo strings must be given when ${why}.${HELP}`);
  }
  if (deletes && !squeezes && second !== undefined)
    throw new Usage(
      `tr: extra operand ‘${second}’\nOnly one string may be given when deleting without squeezing repeats.${HELP}`,
    );
  if (third !== undefined) throw new Usage(`tr: extra operand ‘${third}’${HELP}`);
}

/** Maps each byte of the first set; if the second set is shorter, its last byte is repeated. */
function tableOf(from: readonly number[], to: readonly number[], isCut: boolean): readonly number[] {
  if (to.length === 0) throw new Usage("tr: when not truncating set1, string2 must be non-empty");
  const table = [...ALL];
  for (const [at, byte] of from.entries())
    if (at < to.length || !isCut) table[byte] = to[Math.min(at, to.length - 1)] ?? byte;
  return table;
}

/** The bytes of a set, in order; `[x*]` pads to a size. */
function setOf(word: string, size = 0): readonly number[] {
  const text = Buffer.from(word).toString("latin1");
  const found: number[] = [];
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const [named, name = ""] = /^\[:(\w+):\]/.exec(rest) ?? [];
    const [repeated, shown = "", count = ""] = /^\[(\\.|[^\\])\*(\d*)\]/s.exec(rest) ?? [];
    const [equal, letter = ""] = /^\[=(.)=\]/s.exec(rest) ?? [];
    if (named !== undefined) {
      const isOne = Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
      if (isOne === undefined) throw new Usage(`tr: invalid character class ‘${name}’`);
      found.push(...ALL.filter(isOne));
      at += named.length;
    } else if (repeated !== undefined) {
      const times = count === "" || Number(count) === 0 ? Math.max(0, size - found.length) : Number(count);
      found.push(...Array<number>(times).fill(byteOf(shown).byte));
      at += repeated.length;
    } else if (equal !== undefined) {
      found.push(letter.charCodeAt(0));
      at += equal.length;
    } else {
      const one = byteOf(rest);
      at += one.length;
      const isRange = text[at] === "-" && at + 1 < text.length;
      const end = isRange ? byteOf(text.slice(at + 1)) : one;
      if (isRange) at += 1 + end.length;
      if (end.byte < one.byte) {
        const range = `${String.fromCharCode(one.byte)}-${String.fromCharCode(end.byte)}`;
        throw new Usage(`tr: range-endpoints of '${range}' are in reverse collating sequence order`);
      }
      for (let byte = one.byte; byte <= end.byte; byte++) found.push(byte);
    }
  }
  return found;
}

function byteOf(text: string): { readonly byte: number; readonly length: number } {
  const [octal] = /^\\[0-7]{1,3}/.exec(text) ?? [];
  if (octal !== undefined) return { byte: Number.parseInt(octal.slice(1), 8) & 255, length: octal.length };
  if (text[0] !== "\\" || text.length === 1) return { byte: text.charCodeAt(0), length: 1 };
  return { byte: NAMED[text[1] ?? ""] ?? text.charCodeAt(1), length: 2 };
}
