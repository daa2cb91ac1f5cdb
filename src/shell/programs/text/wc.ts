// `wc`: lines, words, characters and bytes, counted in pieces.

import { options } from "../options.ts";
import { type Call, eachFile, pieces } from "../program.ts";

const KINDS = ["l", "w", "m", "c", "L"] as const;
type Counts = Record<(typeof KINDS)[number], number>;

export async function wc(call: Call): Promise<number> {
  const { flags, operands } = options(call.name, call.args, {
    letters: "lwmcL",
    long: { lines: "l", words: "w", chars: "m", bytes: "c", "max-line-length": "L" },
  });
  const shown = flags.size === 0 ? (["l", "w", "c"] as const) : KINDS.filter((kind) => flags.has(kind));
  const rows: { readonly counts: Counts; readonly name: string }[] = [];
  const total: Counts = { l: 0, w: 0, m: 0, c: 0, L: 0 };
  const status = await eachFile(call, operands, async (name) => {
    const counts = await countsOf(call, name);
    for (const kind of KINDS) total[kind] = kind === "L" ? Math.max(total.L, counts.L) : total[kind] + counts[kind];
    rows.push({ counts, name: operands.length === 0 ? "" : name });
  });
  if (operands.length > 1) rows.push({ counts: total, name: "total" });
  // Columns are as wide as the largest byte count; a single number of a single file is not padded.
  const isPlain = shown.length === 1 && operands.length < 2;
  const width = operands.length === 0 || operands.includes("-") ? 7 : String(total.c).length;
  for (const { counts, name } of rows) {
    const numbers = shown.map((kind) => (isPlain ? `${counts[kind]}` : String(counts[kind]).padStart(width)));
    call.out(`${numbers.join(" ")}${name === "" ? "" : ` ${name}`}\n`);
  }
  return status;
}

async function countsOf(call: Call, name: string): Promise<Counts> {
  const counts: Counts = { l: 0, w: 0, m: 0, c: 0, L: 0 };
  let inWord = false;
  let column = 0;
  for await (const piece of pieces(call, name)) {
    counts.c += piece.byteLength;
    for (const byte of piece) {
      if (byte === 10) {
        counts.l++;
        column = 0;
      } else if ((byte & 0xc0) !== 0x80) counts.L = Math.max(counts.L, ++column);
      // UTF-8 continuation bytes are not characters.
      if ((byte & 0xc0) !== 0x80) counts.m++;
      const isSpace = byte === 32 || (byte >= 9 && byte <= 13);
      if (!isSpace && !inWord) counts.w++;
      inWord = !isSpace;
    }
  }
  return counts;
}
