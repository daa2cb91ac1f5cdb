// Cutting text without breaking a character: by terminal columns (grapheme by grapheme) or by UTF-8 bytes (at code points).
// Text that fits comes back as it is; what was cut off is always shown by a mark or a notice.

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const UTF8 = new TextEncoder();

let graphemes: Intl.Segmenter | undefined;

export function displayWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : Bun.stringWidth(text);
}

/** At most `columns` wide, the mark included. */
export function cutWidth(text: string, columns: number, mark = "…"): string {
  if (displayWidth(text) <= columns) return text;
  const room = columns - displayWidth(mark);
  if (room < 0) return "";
  if (PRINTABLE_ASCII.test(text)) return text.slice(0, room) + mark;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let kept = 0;
  let used = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    used += displayWidth(segment);
    if (used > room) break;
    kept = index + segment.length;
  }
  return text.slice(0, kept) + mark;
}

/** Cuts the start, for texts with the important part at the end, such as paths. */
export function cutStart(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let used = 1;
  let from = text.length;
  for (const { segment, index } of [...graphemes.segment(text)].reverse()) {
    used += displayWidth(segment);
    if (used > columns) break;
    from = index;
  }
  return columns < 1 ? "" : `…${text.slice(from)}`;
}

const QUOTED_CHARS_MAX = 60;

/** A short quotation for a message; blank text stands in quotes. */
export function clip(text: string): string {
  if (text.trim() === "") return JSON.stringify(text.slice(0, QUOTED_CHARS_MAX));
  return text.length > QUOTED_CHARS_MAX ? `${text.slice(0, QUOTED_CHARS_MAX - 3).toWellFormed()}…` : text;
}

/** On one line, with a maximum number of characters. */
export function shortText(text: string, charsMax: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > charsMax ? `${line.slice(0, charsMax - 1).toWellFormed()}…` : line;
}

export interface Excerpt {
  readonly text: string;
  /** UTF-8 bytes left out; 0 when the text is whole. */
  readonly omittedBytes: number;
}

/** Beginning and end of a long text with a notice of what is missing between them, all within `bytesMax`. */
export function headAndTail(text: string, bytesMax: number): Excerpt {
  if (fits(text, bytesMax)) return { text, omittedBytes: 0 };
  const bytes = Buffer.byteLength(text);
  const room = Math.max(0, bytesMax - Buffer.byteLength(noticeOf(bytes)));
  const head = text.slice(0, bytesFromStart(text, Math.ceil(room / 2)));
  const tail = text.slice(bytesFromEnd(text, Math.floor(room / 2)));
  const omittedBytes = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
  const cut = `${head}${noticeOf(omittedBytes)}${tail}`;
  // Only a limit smaller than the notice is exceeded here.
  return { text: cut.slice(0, bytesFromStart(cut, bytesMax)), omittedBytes };
}

function noticeOf(bytes: number): string {
  return `\n[… ${bytes} bytes left out …]\n`;
}

/** Whether a text fits in UTF-8. A UTF-16 unit is one to three bytes, so most texts need no counting. */
export function fits(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return false;
  return text.length * 3 <= bytesMax || UTF8.encode(text).length <= bytesMax;
}

function bytesFromStart(text: string, bytesMax: number): number {
  let used = 0;
  let index = 0;
  while (index < text.length) {
    const point = text.codePointAt(index)!;
    used += bytesOf(point);
    if (used > bytesMax) break;
    index += point > 0xffff ? 2 : 1;
  }
  return index;
}

function bytesFromEnd(text: string, bytesMax: number): number {
  let used = 0;
  let index = text.length;
  while (index > 0) {
    const pair = index > 1 && (text.codePointAt(index - 2) ?? 0) > 0xffff;
    const start = pair ? index - 2 : index - 1;
    used += bytesOf(text.codePointAt(start)!);
    if (used > bytesMax) break;
    index = start;
  }
  return index;
}

function bytesOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
