// top: the processes there are, as a tree or in a row, one of them selected, by its pid and not by its place; how fast each writes, who answers
// it and how full its context is. What keys make of it. Pure.

import { flatRows, type Live, type Row, sorted, treeRows } from "../../commands/proc/process-table.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import type { BudgetInfo } from "../../src/syscalls/system/spending-service.ts";
import type { Key } from "../line/keys.ts";
import { SORTS, type Top } from "../state/views.ts";

export type TopWish =
  | { readonly wish: "leave" }
  | { readonly wish: "talk" | "end" | "log" | "calls" | "stop-run"; readonly pid: string }
  | { readonly wish: "signal"; readonly pid: string; readonly signal: "STOP" | "CONT" }
  | { readonly wish: "answer"; readonly pid: string; readonly decision: "approve" | "deny" };

export const NEW_TOP: Top = {
  kind: "top",
  processes: [],
  day: null,
  selected: null,
  asTree: true,
  sort: "age",
  filter: "",
  filtering: false,
  ending: null,
  looks: {},
  written: [],
  held: { pids: [], until: 0 },
};

const HOLD_MS = 2000;
const RATE_MS = 5000;
const CHARS_PER_TOKEN = 4;
/** How many are asked about at a time: each takes the kernel a moment. */
const ASKED_MAX = 4;

export function rowsOf(top: Top, now: number): readonly Row[] {
  const { processes, asTree, filter } = top;
  const words = filter.toLowerCase();
  const matching = processes.filter(({ pid, label, state, owner }) =>
    `${pid} ${label ?? ""} ${state} ${owner} ${top.looks[pid]?.model ?? ""}`.toLowerCase().includes(words),
  );
  const rows = (asTree ? treeRows : flatRows)(inOrder(top, matching, now));
  return rows.map((row) => ({ ...row, live: liveOf(top, row.process.pid, now) }));
}

function liveOf(top: Top, pid: string, now: number): Live {
  return {
    tokensPerS: rateOf(top, pid, now),
    model: top.looks[pid]?.model ?? null,
    context: top.looks[pid]?.context ?? null,
  };
}

/** Tokens a second, over the last few. */
export function rateOf({ written }: Top, pid: string | null, now: number): number {
  const lately = written.filter((each) => each.at > now - RATE_MS && (pid === null || each.pid === pid));
  return lately.reduce((sum, { chars }) => sum + chars, 0) / CHARS_PER_TOKEN / (RATE_MS / 1000);
}

function inOrder(top: Top, processes: readonly ProcessInfo[], now: number): readonly ProcessInfo[] {
  const { held, sort } = top;
  const fresh = sortedBy(top, processes, sort, now);
  if (now >= held.until) return fresh;
  const place = new Map(held.pids.map((pid, index) => [pid, index]));
  const at = ({ pid }: ProcessInfo) => place.get(pid) ?? place.size;
  return fresh.toSorted((left, right) => at(left) - at(right));
}

function sortedBy(top: Top, processes: readonly ProcessInfo[], by: Top["sort"], now: number): readonly ProcessInfo[] {
  if (by === "age" || by === "state" || by === "pid") return sorted(processes, by);
  const value = ({ pid, costUsd }: ProcessInfo) => {
    if (by === "cost") return costUsd;
    return by === "context" ? (top.looks[pid]?.context ?? 0) : rateOf(top, pid, now);
  };
  return sorted(processes, "age").toSorted((left, right) => value(right) - value(left));
}

export function selectedOf(top: Top, now: number): ProcessInfo | null {
  const rows = rowsOf(top, now);
  return (rows.find(({ process }) => process.pid === top.selected) ?? rows[0])?.process ?? null;
}

export function withProcesses(top: Top, processes: readonly ProcessInfo[], day: BudgetInfo | null): Top {
  return { ...top, processes, day };
}

/** Who did something since it was asked about. */
export function toAskAbout({ processes, looks, selected }: Top): readonly ProcessInfo[] {
  const stale = processes.filter(
    ({ pid, lastActiveAt }) => looks[pid] === undefined || looks[pid].activeAt !== lastActiveAt,
  );
  const first = stale.filter(({ pid }) => pid === selected || looks[pid] === undefined);
  return [...new Set([...first, ...stale])].slice(0, ASKED_MAX);
}

/** What is written is counted while one looks. */
export function hearing(top: Top, signal: Signal, at: number): Top {
  if (signal.name !== "chat.delta") return top;
  const lately = top.written.filter((each) => each.at > at - RATE_MS);
  return { ...top, written: [...lately, { pid: signal.pid, at, chars: signal.text.length }] };
}

export function onTopKey(before: Top, key: Key, at: number): { readonly top: Top; readonly wish: TopWish | null } {
  const top = { ...before, held: { pids: rowsOf(before, at).map(({ process }) => process.pid), until: at + HOLD_MS } };
  if (top.filtering) return { top: onFilterKey(top, key), wish: null };
  const process = selectedOf(top, at);
  if (top.ending !== null) {
    const wish = key.text === "y" && process?.pid === top.ending ? ({ wish: "end", pid: process.pid } as const) : null;
    return { top: { ...top, ending: null }, wish };
  }
  const by = stepOf(key);
  if (by !== null) return { top: movedTo(top, by, at), wish: null };
  if (key.name === "escape" && top.filter !== "") return { top: { ...top, filter: "" }, wish: null };
  if (key.name === "escape" || key.text === "q" || (key.ctrl && "ct".includes(key.text)))
    return { top, wish: { wish: "leave" } };
  if (key.name === "text" && !key.ctrl && !key.alt) {
    const changed = onViewLetter(top, key.text);
    if (changed !== null) return { top: changed, wish: null };
  }
  if (process === null || key.ctrl || key.alt) return { top, wish: null };
  if (key.name === "enter") return { top, wish: { wish: "talk", pid: process.pid } };
  return onLetter(top, key.text, process);
}

function stepOf(key: Key): number | null {
  const page = 10;
  const named = { up: -1, down: 1, pageup: -page, pagedown: page, home: -Infinity, end: Infinity } as {
    readonly [name: string]: number;
  };
  if (key.name !== "text") return named[key.name] ?? null;
  return key.ctrl || key.alt ? null : ({ g: -Infinity, G: Infinity }[key.text] ?? null);
}

/** What is seen, and not what is done. */
function onViewLetter(top: Top, letter: string): Top | null {
  // A new order is wanted now.
  const loose = { ...top, held: NEW_TOP.held };
  if (letter === "s") return { ...loose, sort: SORTS[(SORTS.indexOf(top.sort) + 1) % SORTS.length] ?? "age" };
  if (letter === "t") return { ...loose, asTree: !top.asTree };
  return letter === "/" ? { ...top, filtering: true } : null;
}

function onLetter(
  top: Top,
  letter: string,
  { pid, state }: ProcessInfo,
): { readonly top: Top; readonly wish: TopWish | null } {
  switch (letter) {
    case "k":
      return { top: { ...top, ending: pid, selected: pid }, wish: null };
    case "p":
      return { top, wish: { wish: "signal", pid, signal: state === "stopped" ? "CONT" : "STOP" } };
    case "i":
      return { top, wish: { wish: "stop-run", pid } };
    case "l":
      return { top, wish: { wish: "log", pid } };
    case "c":
      return { top, wish: { wish: "calls", pid } };
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

function movedTo(top: Top, by: number, now: number): Top {
  const rows = rowsOf(top, now);
  const at = Math.max(
    0,
    rows.findIndex(({ process }) => process.pid === selectedOf(top, now)?.pid),
  );
  return { ...top, selected: rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.process.pid ?? null };
}
