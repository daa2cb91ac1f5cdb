// What is remembered of what was typed. Pure.

import { asOneLine } from "./unfinished.ts";

/** How a line that was begun went on the last time, to be taken over with one key; empty when it never did. */
export function goingOn(begun: string, lines: readonly string[]): string {
  if (begun === "" || begun.includes("\n")) return "";
  const line = lines.findLast((each) => each.length > begun.length && each.startsWith(begun));
  return line === undefined ? "" : line.slice(begun.length);
}

/** What of a typed text is kept in history: a line each, one where its lines make one. Nothing that began with a space. */
export function linesToKeep(text: string, last: string | undefined): readonly string[] {
  if (text.trim() === "" || text.startsWith(" ")) return [];
  const whole = asOneLine(text);
  const kept: string[] = [];
  for (const each of whole === null ? text.split("\n") : [whole])
    if (each.trim() !== "" && (kept.at(-1) ?? last) !== each) kept.push(each);
  return kept;
}
