// Finds the lines that an edit most likely meant: lines that differ only in white space, else the place with the most matching lines, else the
// line with the most common words. Pure, in bounded time.

export interface Near {
  /** From 1. */
  readonly line: number;
  readonly lines: readonly string[];
  /** Only white space differs. */
  readonly byWhiteSpace: boolean;
}

const SHOWN_MAX = 6;
const LINE_CHARS_MAX = 200;
const LINES_LOOKED_AT_MAX = 100_000;
/** Minimum share of common words. */
const WORDS_SHARED_MIN = 0.5;

export function nearLines(text: string, wanted: string): Near | null {
  const lines = text.split("\n", LINES_LOOKED_AT_MAX);
  const asked = wanted.split("\n").map(squeezed);
  const meant = asked.filter((line) => line !== "");
  if (meant.length === 0) return null;
  const same = sameButForSpace(lines, meant);
  if (same !== null) return { ...shown(lines, same, meant.length), byWhiteSpace: true };
  const first = mostLines(lines, asked) ?? mostWords(lines, meant);
  return first === null ? null : { ...shown(lines, first, asked.length), byWhiteSpace: false };
}

function shown(lines: readonly string[], first: number, count: number): Pick<Near, "line" | "lines"> {
  const some = lines.slice(first, first + Math.min(count, SHOWN_MAX));
  return { line: first + 1, lines: some.map((line) => line.slice(0, LINE_CHARS_MAX).toWellFormed()) };
}

function squeezed(line: string): string {
  return line.replace(/\s+/g, " ").trim();
}

function sameButForSpace(lines: readonly string[], wanted: readonly string[]): number | null {
  const kept: string[] = [];
  const places: number[] = [];
  for (const [place, line] of lines.entries()) {
    const text = squeezed(line);
    if (text === "") continue;
    kept.push(text);
    places.push(place);
  }
  return places[runOf(wanted, kept)] ?? null;
}

/** First index of the wanted lines in sequence, or -1. Knuth-Morris-Pratt, so linear for repetitive texts, too. */
function runOf(wanted: readonly string[], lines: readonly string[]): number {
  // Failure function: length of the longest proper prefix that is also a suffix.
  const held = [0, 0];
  for (let nth = 1, same = 0; nth < wanted.length; nth++) {
    while (same > 0 && wanted[nth] !== wanted[same]) same = held[same] ?? 0;
    if (wanted[nth] === wanted[same]) same++;
    held.push(same);
  }
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && line !== wanted[matched]) matched = held[matched] ?? 0;
    if (line === wanted[matched]) matched++;
    if (matched === wanted.length) return index - matched + 1;
  }
  return -1;
}

/** Every matching line votes for a starting line. */
function mostLines(lines: readonly string[], wanted: readonly string[]): number | null {
  const nths = new Map<string, number>();
  for (const [nth, line] of wanted.entries()) if (telling(line) && !nths.has(line)) nths.set(line, nth);
  const votes = new Map<number, number>();
  let best: number | null = null;
  for (const [place, line] of lines.entries()) {
    const nth = nths.get(squeezed(line));
    if (nth === undefined) continue;
    const first = Math.max(0, place - nth);
    votes.set(first, (votes.get(first) ?? 0) + 1);
    if (best === null || (votes.get(first) ?? 0) > (votes.get(best) ?? 0)) best = first;
  }
  return best;
}

/** False for lines such as a lone bracket. */
function telling(line: string): boolean {
  return /[\p{L}\p{N}]{2}/u.test(line);
}

function mostWords(lines: readonly string[], wanted: readonly string[]): number | null {
  const line = wanted.reduce((longest, each) => (each.length > longest.length ? each : longest), "");
  const words = wordsOf(line);
  let best: { readonly place: number; readonly share: number } | null = null;
  for (const [place, each] of lines.entries()) {
    const found = wordsOf(each);
    let shared = 0;
    for (const word of found) if (words.has(word)) shared++;
    const share = shared / Math.max(1, words.size, found.size);
    if (share >= WORDS_SHARED_MIN && share > (best?.share ?? 0)) best = { place, share };
  }
  return best === null ? null : Math.max(0, best.place - wanted.indexOf(line));
}

function wordsOf(line: string): Set<string> {
  return new Set(line.slice(0, 1000).match(/[\p{L}\p{N}_]+/gu));
}

const TAB = "⇥";

/** Lines for error texts: tabs are marked, since models would copy them as spaces. */
export function shownLines(lines: readonly string[]): readonly string[] {
  const shown = lines.map((line) => line.replaceAll("\t", TAB));
  return shown.some((line) => line.includes(TAB)) ? [...shown, `${TAB} is a tab`] : shown;
}
