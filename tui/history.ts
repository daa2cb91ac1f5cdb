// What is remembered of what was typed. Pure.

import { asOneLine } from "./unfinished.ts";

/** What of a typed text is kept in history: a line each, one where its lines make one. Nothing that began with a space. */
export function linesToKeep(text: string, last: string | undefined): readonly string[] {
  if (text.trim() === "" || text.startsWith(" ")) return [];
  const whole = asOneLine(text);
  const kept: string[] = [];
  for (const each of whole === null ? text.split("\n") : [whole])
    if (each.trim() !== "" && (kept.at(-1) ?? last) !== each) kept.push(each);
  return kept;
}
