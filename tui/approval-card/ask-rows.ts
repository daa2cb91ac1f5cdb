// The text of a request as rows of a view: folded to the width, cut to the height. Pure.

import { approvalBody, dangerLines, reasonLines } from "../../commands/approvals/approval-card-text.ts";
import type { Ask } from "../state/asks.ts";

const ROWS_MAX = 8;
/** The rest of a small screen is for the table. */
const SHARE = 0.3;

interface AskRows {
  readonly rows: readonly string[];
  readonly left: number;
}

/** The whole call, and how many of its rows do not fit. */
export function askRows(ask: Ask, { columns, rows }: { readonly columns: number; readonly rows: number }): AskRows {
  const all = [...dangerLines(ask), ...approvalBody(ask), ...reasonLines(ask)].flatMap((line) =>
    hangingRows(line, Math.max(20, columns - 4)),
  );
  const room = Math.max(1, Math.min(ROWS_MAX, Math.floor(rows * SHARE)));
  return { rows: all.slice(0, room), left: Math.max(0, all.length - room) };
}

/** Each row of a wrapped line repeats the line's mark, so that no quoted text begins a row. */
export function hangingRows(line: string, columns: number, outdent = 0): readonly string[] {
  const mark = /^ *(?:\| )?/.exec(line)?.[0] ?? "";
  const room = Math.max(10, columns - mark.length);
  const rows = Bun.wrapAnsi(line.slice(mark.length), room, { hard: true, trim: false });
  return rows.split("\n").map((row) => `${mark.slice(outdent)}${row}`);
}
