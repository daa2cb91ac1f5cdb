// `head`: prints the beginning of files and reads no more than it prints.

import { countOf, type Options, options } from "../options.ts";
import { type Call, eachFile, linesOf, pieces, text, whole } from "../program.ts";

export const GRAMMAR = {
  letters: "n:c:qvz",
  digits: "n",
  long: { "lines=": "n", "bytes=": "c", quiet: "q", silent: "q", verbose: "v", "zero-terminated": "z" },
} as const;

const NEWLINE = 10;

export interface Amount {
  readonly wanted: string;
  readonly count: number;
  readonly unit: "lines" | "bytes";
  /** The byte that ends a line: NUL with -z. */
  readonly end: number;
}

export function amountOf(name: string, flags: Options["flags"]): Amount {
  const bytes = flags.get("c");
  const wanted = bytes ?? flags.get("n") ?? "10";
  const unit = bytes === undefined ? "lines" : "bytes";
  return { wanted, count: countOf(name, wanted, unit), unit, end: flags.has("z") ? 0 : NEWLINE };
}

/** How much of stdin a `head` with these arguments reads; null if not known in advance. */
export function shareOf(words: readonly string[]): Amount | null {
  try {
    const { flags, operands } = options("head", words, GRAMMAR);
    const amount = amountOf("head", flags);
    return amount.wanted.startsWith("-") || operands.some((each) => each !== "-") ? null : amount;
  } catch {
    return null; // head reports the error itself
  }
}

export async function head(call: Call): Promise<number> {
  const { flags, operands } = options(call.name, call.args, GRAMMAR);
  const { wanted, count, unit, end: lineEnd } = amountOf(call.name, flags);
  const titled = titles(call, flags, operands);
  return eachFile(
    call,
    operands,
    async (name) => {
      if (wanted.startsWith("-")) {
        const all =
          unit === "lines"
            ? await withoutLast(call, name, count, lineEnd)
            : (await whole(call, name)).subarray(0, -count || undefined);
        titled(name);
        return call.out(all);
      }
      const source = pieces(call, name);
      const first = await source.next();
      titled(name);
      let left = count;
      for (let piece = first; left > 0 && !piece.done; piece = left > 0 ? await source.next() : piece) {
        const end =
          unit === "lines"
            ? afterLines(piece.value, left, lineEnd)
            : { at: Math.min(left, piece.value.byteLength), left: 0 };
        left = unit === "lines" ? end.left : left - end.at;
        call.out(piece.value.subarray(0, end.at));
      }
    },
    (name, why) =>
      why === "Is a directory" ? `error reading '${name}': ${why}` : `cannot open '${name}' for reading: ${why}`,
  );
}

/** The offset at which so many lines end in a piece, and how many lines are still missing. */
export function afterLines(
  piece: Uint8Array,
  wanted: number,
  lineEnd: number,
): { readonly at: number; readonly left: number } {
  let left = wanted;
  for (let at = 0; left > 0; ) {
    const end = piece.indexOf(lineEnd, at);
    if (end === -1) break;
    at = end + 1;
    if (--left === 0) return { at, left };
  }
  return { at: piece.byteLength, left };
}

async function withoutLast(call: Call, name: string, count: number, lineEnd: number): Promise<string> {
  const end = String.fromCharCode(lineEnd);
  const lines = linesOf(await text(call, name), end);
  const kept = lines.slice(0, Math.max(0, lines.length - count));
  return kept.map((line) => line + end).join("");
}

export function titles(call: Call, flags: Options["flags"], operands: readonly string[]): (name: string) => void {
  const wanted = flags.has("v") || (operands.length > 1 && !flags.has("q"));
  let first = true;
  return (name) => {
    if (wanted) call.out(`${first ? "" : "\n"}==> ${name === "-" ? "standard input" : name} <==\n`);
    first = false;
  };
}
