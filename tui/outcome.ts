// What came of a call, in the few words beside it. A command that left with another status than zero has failed as a call that was refused
// has, and its last lines say why. Pure.

import { sanitize } from "../src/lib/sanitize.ts";

export interface Outcome {
  readonly isGood: boolean;
  readonly words: string;
  /** Why not. */
  readonly lines: readonly string[];
}

const LINES_MAX = 6;
/** As the tool Shell ends what it tells. */
const STATUS = /(?:^|\n)\(exit status (\d+)[^\n]*\)$/;

export function outcomeOf(tool: string, ok: boolean, output: string): Outcome {
  const text = output.replace(/\n$/, "");
  if (!ok) return { isGood: false, words: sizeOf(text), lines: rows(text).slice(0, LINES_MAX) };
  const [end, status] = (tool === "Shell" ? STATUS.exec(text) : null) ?? [];
  if (end === undefined || status === undefined) return { isGood: true, words: sizeOf(text), lines: [] };
  const printed = text.slice(0, -end.length);
  if (status === "0") return { isGood: true, words: sizeOf(printed), lines: [] };
  return { isGood: false, words: `exit ${status} · ${sizeOf(printed)}`, lines: rows(printed).slice(-LINES_MAX) };
}

function rows(text: string): readonly string[] {
  return text === "" ? [] : sanitize(text).trimEnd().split("\n");
}

function sizeOf(text: string): string {
  if (text === "") return "no output";
  const lines = text.split("\n").length;
  return lines === 1 ? `${text.length} characters` : `${lines} lines`;
}
