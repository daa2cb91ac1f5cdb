// What came of a call, in the few words beside it. A command that left with another status than zero has failed as a call that was refused
// has, and its last lines say why. Pure.

import { sanitize } from "../../src/lib/text/sanitize.ts";
import { diffOf } from "./collapsed.ts";

export interface Outcome {
  readonly isGood: boolean;
  readonly words: string;
  /** Why not. */
  readonly lines: readonly string[];
}

const LINES_MAX = 6;
/** As the tool Shell ends what it tells. */
const STATUS = /(?:^|\n)\(exit status (\d+)[^\n]*\)$/;

export interface Ended {
  readonly tool: string;
  readonly args: object;
  readonly ok: boolean;
  readonly output: string;
}

export function outcomeOf({ tool, args, ok, output }: Ended): Outcome {
  const text = output.replace(/\n$/, "");
  const change = ok ? changeText(tool, args) : null;
  if (change !== null) return { isGood: true, words: change, lines: [] };
  if (!ok) return { isGood: false, words: sizeOf(text), lines: rows(text).slice(0, LINES_MAX) };
  const [end, status] = (tool === "Shell" ? STATUS.exec(text) : null) ?? [];
  if (end === undefined || status === undefined) return { isGood: true, words: sizeOf(text), lines: [] };
  const printed = text.slice(0, -end.length);
  if (status === "0") return { isGood: true, words: sizeOf(printed), lines: [] };
  return { isGood: false, words: `exit ${status} · ${sizeOf(printed)}`, lines: rows(printed).slice(-LINES_MAX) };
}

/** Of a change what was changed, and not how long the answer to it is. */
function changeText(tool: string, args: object): string | null {
  const diff = diffOf(args);
  if (diff !== null) return `+${diff.added} -${diff.removed}`;
  const { content } = args as { readonly content?: unknown };
  if (tool === "Delete") return "";
  return typeof content === "string" ? sizeOf(content.replace(/\n$/, "")) : null;
}

function rows(text: string): readonly string[] {
  return text === "" ? [] : sanitize(text).trimEnd().split("\n");
}

function sizeOf(text: string): string {
  if (text === "") return "no output";
  const lines = text.split("\n").length;
  if (lines > 1) return `${lines} lines`;
  return text.length === 1 ? "1 character" : `${text.length} characters`;
}
