// The result of a call in a few words. A command with an exit status other than zero has failed like a refused call, and its last lines say
// why. Pure.

import { sanitize } from "../../src/lib/text/sanitize.ts";
import { changeOf } from "./change.ts";

export interface Outcome {
  readonly isGood: boolean;
  readonly words: string;
  readonly lines: readonly string[];
}

const LINES_MAX = 6;
/** The last line of the tool Shell. */
const STATUS = /(?:^|\n)\(exit status (\d+)[^\n]*\)$/;

export interface EndedCall {
  readonly tool: string;
  readonly args: object;
  readonly ok: boolean;
  readonly output: string;
}

export function outcomeOf({ tool, args, ok, output }: EndedCall): Outcome {
  const text = output.replace(/\n$/, "");
  const change = ok ? changeText(tool, args) : null;
  if (change !== null) return { isGood: true, words: change, lines: [] };
  if (!ok) return { isGood: false, words: sizeText(text), lines: rows(text).slice(0, LINES_MAX) };
  const [end, status] = (tool === "Shell" ? STATUS.exec(text) : null) ?? [];
  if (end === undefined || status === undefined) return { isGood: true, words: sizeText(text), lines: [] };
  const printed = text.slice(0, -end.length);
  if (status === "0") return { isGood: true, words: sizeText(printed), lines: [] };
  return { isGood: false, words: `exit ${status} · ${sizeText(printed)}`, lines: rows(printed).slice(-LINES_MAX) };
}

/** The size of a change to a file, not of the tool's output. */
function changeText(tool: string, args: object): string | null {
  const diff = changeOf(args);
  if (diff !== null) return `+${diff.added} -${diff.removed}`;
  const { content } = args as { readonly content?: unknown };
  if (tool === "Delete") return "";
  return typeof content === "string" ? sizeText(content.replace(/\n$/, "")) : null;
}

function rows(text: string): readonly string[] {
  return text === "" ? [] : sanitize(text).trimEnd().split("\n");
}

function sizeText(text: string): string {
  if (text === "") return "no output";
  const lines = text.split("\n").length;
  if (lines > 1) return `${lines} lines`;
  return text.length === 1 ? "1 char" : `${text.length} chars`;
}
