// Results are cut to a size that every client passes on whole. A cursor names where the next page begins.

import { SysError } from "../../../src/abi/errno.ts";
import { cursorAfter } from "../../../src/syscalls/list-cursor.ts";

const RESULT_CHARS_MAX = 40_000;
/** Room for the line with the cursor. */
const TEXT_CHARS_MAX = RESULT_CHARS_MAX - 300;

/** Whole lines that fit; a single line that does not fit is cut. */
export function fittingLines(lines: readonly string[]): { readonly text: string; readonly count: number } {
  let chars = 0;
  const over = lines.findIndex((line) => {
    chars += line.length + 1;
    return chars > TEXT_CHARS_MAX;
  });
  if (over === -1) return { text: lines.join("\n"), count: lines.length };
  if (over === 0) return { text: `${(lines[0] ?? "").slice(0, TEXT_CHARS_MAX).toWellFormed()}…`, count: 1 };
  return { text: lines.slice(0, over).join("\n"), count: over };
}

/** Lines of a page of a list. If some do not fit, the next page begins after the last one that does. */
export function listText(
  rows: readonly { readonly createdAt: number; readonly id: string; readonly line: string }[],
  next: string | null,
  empty: string,
): string {
  const { text, count } = fittingLines(rows.map(({ line }) => line));
  const last = rows[count - 1];
  return withCursor(text || empty, count < rows.length && last !== undefined ? cursorAfter(last) : next);
}

export function withCursor(text: string, cursor: string | number | null): string {
  return cursor === null ? text : `${text}\n(more: call again with cursor ${JSON.stringify(String(cursor))})`;
}

/** The beginning of a text that is the piece at `offset` of a longer one; `next` is where that one goes on. Both count code points. */
export function pieceOf(text: string, offset: number, next: number | null): string {
  if (text.length <= TEXT_CHARS_MAX) return withCursor(text, next);
  // A pair of surrogates stays whole.
  const end = TEXT_CHARS_MAX - (/[\ud800-\udbff]/.test(text.charAt(TEXT_CHARS_MAX - 1)) ? 1 : 0);
  const piece = text.slice(0, end);
  return withCursor(piece, offset + Array.from(piece).length);
}

export function numberIn(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (!/^[0-9]{1,15}$/.test(cursor)) throw new SysError("EINVAL", "cursor is not one of this tool");
  return Number(cursor);
}
