// A diff as lines with their numbers: of a change by a tool, which has the text before and after, or of the diff that a request shows. Pure.

import { structuredPatch } from "diff";
import { reveal } from "../../../src/lib/text/sanitize.ts";

export interface DiffLine {
  /** `gap`: lines between two changes are left out. */
  readonly kind: "same" | "added" | "removed" | "gap";
  /** In the new text; of a removed line, in the old one. null if unknown. */
  readonly number: number | null;
  readonly text: string;
}

const CONTEXT = 3;
/** Comparing long texts takes seconds. */
const EDITS_MAX = 5000;
const HUNK = /^@@ (?:line (?<line>\d+)|-(?<old>\d+)(?:,\d+)? \+(?<now>\d+)(?:,\d+)?) @@/;
const LEFT_OUT = /^… (?<count>\d+) lines more …$/;

/** `first`: the number of the first line in its file; null if unknown. */
export function changeLines(before: string, after: string, first: number | null): readonly DiffLine[] {
  const options = { context: CONTEXT, maxEditLength: EDITS_MAX } as const;
  const patch = structuredPatch("", "", before, after, "", "", options);
  if (patch === undefined) return [...whole(before, "removed"), ...whole(after, "added")];
  const lines = patch.hunks.flatMap(({ oldStart, newStart, lines: rows }, at) => [
    ...(at === 0 ? [] : [GAP]),
    ...numbered(rows, { old: oldStart, now: newStart }),
  ]);
  return first === null
    ? lines.map((line) => ({ ...line, number: null }))
    : lines.map((line) => (line.number === null ? line : { ...line, number: line.number + first - 1 }));
}

/** Of a diff as the kernel writes it. */
export function shownLines(diff: string): readonly DiffLine[] {
  const rows = diff.replace(/\n ?$/, "").split("\n");
  const isNumbered = HUNK.test(rows[0] ?? "");
  const lines: DiffLine[] = [];
  let at = { old: 1, now: 1 };
  let sign = " ";
  for (const row of rows) {
    const hunk = HUNK.exec(row)?.groups;
    const leftOut = Number(LEFT_OUT.exec(row)?.groups?.count ?? 0);
    if (hunk !== undefined) {
      at = { old: Number(hunk.line ?? hunk.old), now: Number(hunk.line ?? hunk.now) };
      if (lines.length > 0) lines.push(GAP);
    } else if (leftOut > 0) {
      at = after(at, sign, leftOut);
      lines.push({ kind: "gap", number: null, text: `${leftOut} lines more` });
    } else {
      sign = /^[+-]/.exec(row)?.[0] ?? " ";
      lines.push(...numbered([row], at));
      at = after(at, sign, 1);
    }
  }
  return isNumbered ? lines : lines.map((line) => ({ ...line, number: null }));
}

interface Place {
  readonly old: number;
  readonly now: number;
}

const GAP: DiffLine = { kind: "gap", number: null, text: "" };

function numbered(rows: readonly string[], from: Place): readonly DiffLine[] {
  let at = from;
  return rows
    .filter((row) => !row.startsWith("\\"))
    .map((row) => {
      const sign = row[0] ?? " ";
      const kind = sign === "+" ? "added" : sign === "-" ? "removed" : "same";
      const line: DiffLine = { kind, number: sign === "-" ? at.old : at.now, text: reveal(row.slice(1)) };
      at = after(at, sign, 1);
      return line;
    });
}

function after({ old, now }: Place, sign: string, lines: number): Place {
  return { old: sign === "+" ? old : old + lines, now: sign === "-" ? now : now + lines };
}

function whole(text: string, kind: "added" | "removed"): readonly DiffLine[] {
  const rows = text.replace(/\n$/, "").split("\n");
  return rows.map((row, at) => ({ kind, number: at + 1, text: reveal(row) }));
}
