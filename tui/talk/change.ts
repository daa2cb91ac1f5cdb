// The change that a call makes to a text: its lines, and how many are added and removed. Pure.

import { lineDiff } from "../../src/lib/text/line-diff.ts";

export interface Change {
  /** The line before the diff, with the number of its first line. */
  readonly head: string;
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const DIFF_LINES_MAX = 2000;

/** null of a call that replaces no text. */
export function changeOf(args: object): Change | null {
  const { oldString, newString } = args as { readonly [name: string]: unknown };
  if (typeof oldString !== "string" || typeof newString !== "string") return null;
  const [head = "", ...lines] = lineDiff(oldString, newString, DIFF_LINES_MAX)?.split("\n") ?? [];
  if (head === "") return null;
  const count = (sign: string) => lines.filter((each) => each.startsWith(sign)).length;
  return { head, text: lines.join("\n"), added: count("+"), removed: count("-") };
}

/** The line number in the output of Edit; null if there is none. */
export function lineIn(output: string | null): number | null {
  const named = /^replaced \d+ in .*, (?:the first )?at line (\d+)$/m.exec(output ?? "")?.[1];
  return named === undefined ? null : Number(named);
}
