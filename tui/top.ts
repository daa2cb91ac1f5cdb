// top: the processes there are, as a tree or in a row, one of them selected, by its pid and not by its place. What keys make of it. Pure.

import { flatRows, type Row, type Sort, sorted, treeRows } from "../commands/process-table.ts";
import type { ProcessInfo } from "../src/abi/process.ts";
import type { Key } from "./keys.ts";

export interface Top {
  readonly processes: readonly ProcessInfo[];
  readonly selected: string | null;
  readonly asTree: boolean;
  readonly sort: Sort;
  readonly filter: string;
  readonly filtering: boolean;
  /** Asked once more before a process is ended. */
  readonly ending: string | null;
}

export type TopWish =
  | { readonly wish: "leave" }
  | { readonly wish: "talk" | "end" | "log"; readonly pid: string }
  | { readonly wish: "signal"; readonly pid: string; readonly signal: "STOP" | "CONT" }
  | { readonly wish: "answer"; readonly pid: string; readonly decision: "approve" | "deny" };

export const NEW_TOP: Top = {
  processes: [],
  selected: null,
  asTree: true,
  sort: "age",
  filter: "",
  filtering: false,
  ending: null,
};

const NEXT_SORT: { readonly [S in Sort]: Sort } = { age: "state", state: "pid", pid: "age" };

export function rowsOf({ processes, asTree, sort, filter }: Top): readonly Row[] {
  const matching = processes.filter(({ pid, label, state, owner }) =>
    `${pid} ${label ?? ""} ${state} ${owner}`.toLowerCase().includes(filter.toLowerCase()),
  );
  return (asTree ? treeRows : flatRows)(sorted(matching, sort));
}

export function selectedOf(top: Top): ProcessInfo | null {
  const rows = rowsOf(top);
  return (rows.find(({ process }) => process.pid === top.selected) ?? rows[0])?.process ?? null;
}

export function onTopKey(top: Top, key: Key): { readonly top: Top; readonly wish: TopWish | null } {
  if (top.filtering) return { top: onFilterKey(top, key), wish: null };
  const process = selectedOf(top);
  if (top.ending !== null) {
    const wish = key.text === "y" && process?.pid === top.ending ? ({ wish: "end", pid: process.pid } as const) : null;
    return { top: { ...top, ending: null }, wish };
  }
  if (key.name === "up" || key.name === "down") return { top: movedTo(top, key.name === "up" ? -1 : 1), wish: null };
  if (key.name === "escape" || key.text === "q" || (key.ctrl && "ct".includes(key.text)))
    return { top, wish: { wish: "leave" } };
  if (process === null) return { top, wish: null };
  if (key.name === "enter") return { top, wish: { wish: "talk", pid: process.pid } };
  return onLetter(top, key.text, process);
}

function onLetter(
  top: Top,
  letter: string,
  { pid, state }: ProcessInfo,
): { readonly top: Top; readonly wish: TopWish | null } {
  switch (letter) {
    case "j":
    case "k":
      return { top: movedTo(top, letter === "k" ? -1 : 1), wish: null };
    case "s":
      return { top: { ...top, sort: NEXT_SORT[top.sort] }, wish: null };
    case "t":
      return { top: { ...top, asTree: !top.asTree }, wish: null };
    case "/":
      return { top: { ...top, filtering: true }, wish: null };
    case "x":
      return { top: { ...top, ending: pid }, wish: null };
    case "p":
      return { top, wish: { wish: "signal", pid, signal: state === "stopped" ? "CONT" : "STOP" } };
    case "l":
      return { top, wish: { wish: "log", pid } };
    case "y":
    case "n":
      if (state !== "waiting_hil") return { top, wish: null };
      return { top, wish: { wish: "answer", pid, decision: letter === "y" ? "approve" : "deny" } };
    default:
      return { top, wish: null };
  }
}

function onFilterKey(top: Top, key: Key): Top {
  if (key.name === "enter") return { ...top, filtering: false };
  if (key.name === "escape") return { ...top, filtering: false, filter: "" };
  if (key.name === "backspace") return { ...top, filter: [...top.filter].slice(0, -1).join("") };
  return key.name === "text" && !key.ctrl && !key.alt ? { ...top, filter: top.filter + key.text } : top;
}

function movedTo(top: Top, by: -1 | 1): Top {
  const rows = rowsOf(top);
  const at = Math.max(
    0,
    rows.findIndex(({ process }) => process.pid === selectedOf(top)?.pid),
  );
  return { ...top, selected: rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.process.pid ?? null };
}
