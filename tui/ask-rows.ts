// What asks, as rows for a view: all that would run, and whether that was all.

import { approvalBody, reasonLines } from "../commands/approval-text.ts";
import type { Ask } from "./state.ts";

const ROWS_MAX = 8;
/** A small screen has a table to show too. */
const SHARE = 0.3;

export interface AskRows {
  readonly rows: readonly string[];
  /** How many more there are. */
  readonly left: number;
}

export function askRows(ask: Ask, { columns, rows }: { readonly columns: number; readonly rows: number }): AskRows {
  const all = [...approvalBody(ask), ...reasonLines(ask)].flatMap((line) =>
    Bun.wrapAnsi(line, Math.max(20, columns - 4), { hard: true, trim: false }).split("\n"),
  );
  const room = Math.max(1, Math.min(ROWS_MAX, Math.floor(rows * SHARE)));
  return { rows: all.slice(0, room), left: Math.max(0, all.length - room) };
}
