// A long paste is one private-use character in the line, shown with its lines and size. Pure.

const LINES_MAX = 10;
const CHARS_MAX = 1200;
/** Private-use characters; input from outside never contains them. */
const FIRST = 0xf0000;

export const CHIPS = /[\u{F0000}-\u{FFFFD}]/gu;

export function isLong(text: string): boolean {
  return text.length > CHARS_MAX || text.split("\n", LINES_MAX + 1).length > LINES_MAX;
}

export function nextChip(pastes: ReadonlyMap<string, string>): string {
  return String.fromCodePoint(FIRST + pastes.size);
}

export function chipText(chip: string, text: string): string {
  const number = (chip.codePointAt(0) ?? FIRST) - FIRST + 1;
  const bytes = Buffer.byteLength(text);
  const size = bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} KB`;
  return `[paste ${number}: ${text.split("\n").length} lines, ${size}]`;
}
