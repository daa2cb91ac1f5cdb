// A request as text: one line that says who wants to do what, where, and rows for a view. Everything in it is made visible. Pure.

import { approvalBody, dangerLines, reasonLines } from "../../commands/approvals/approval-text.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import type { Ask } from "../state/asks.ts";
import { subjectOf } from "../talk/subject.ts";

/** For each tool its verb, and its object if the real one does not fit. */
const VERBS: { readonly [tool: string]: readonly [verb: string, object: string] } = {
  Read: ["read", "a file"],
  Write: ["write", "a file"],
  Edit: ["edit", "a file"],
  Delete: ["delete", "a file"],
  Search: ["search", "files"],
  Shell: ["run", "a command"],
  Fetch: ["fetch", "a page"],
  CodeMode: ["run code", ""],
};

export function wantsText({ tool, about }: Ask): string {
  const [verb, object] = VERBS[tool] ?? ["use", reveal(tool)];
  const what = about?.again === undefined ? `${verb} ${object}`.trimEnd() : `${verb} again`;
  return `wants to ${what}${placeOf(about)}`;
}

/** Includes the subject if it fits on the row; otherwise the subject is below. */
export function titleOf(ask: Ask, columns: number): string {
  if (ask.kind === "question") return `${reveal(ask.pid)} asks you`;
  if (isPlan(ask)) return `${reveal(ask.pid)} has a plan`;
  return fitsTitle(ask, columns) ? wholeTitle(ask) : `${reveal(ask.pid)} ${wantsText(ask)}`;
}

export function fitsTitle(ask: Ask, columns: number): boolean {
  if (isPlan(ask)) return false;
  const title = wholeTitle(ask);
  return !title.includes("\n") && Bun.stringWidth(title) <= columns;
}

/** The place comes before the subject, so that no command can pass for it. */
function wholeTitle(ask: Ask): string {
  const { pid, tool, about } = ask;
  const subject = reveal(realSubject(ask));
  const [verb, object] = VERBS[tool] ?? [`use ${reveal(tool)}`, ""];
  const head = `${reveal(pid)} wants to ${verb}${about?.again === undefined ? "" : " again"}${placeOf(about)}`;
  const isParted = object === "" || placeOf(about) !== "";
  return subject === "" ? head : `${head}${isParted ? ":" : ""} ${subject}`;
}

/** For a file its real path, unless it is only the home written out. */
export function realSubject({ tool, args, about }: Ask): string {
  const given = subjectOf(tool, args);
  const real = about?.path;
  return real === undefined || (given.startsWith("~/") && real.endsWith(given.slice(1))) ? given : real;
}

export function isPlan({ call }: Pick<Ask, "call">): boolean {
  return call === "hil.plan";
}

function placeOf(about: Ask["about"]): string {
  const target = about?.target ?? "gsv";
  if (target === "gsv") return "";
  return target === "host" ? " on this computer" : ` on ${reveal(target)}`;
}

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
