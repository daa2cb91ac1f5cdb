// top: the processes as a tree or a list, with rate, model and context of each. The selection follows the pid and not the row. Pure.

import { flatRows, type Live, type Row, sorted, treeRows } from "../../commands/proc/process-table.ts";
import { isInit } from "../../src/abi/ids.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { SignalOf } from "../../src/abi/signal.ts";
import type { Key } from "../line/keys.ts";
import { SORTS, type Top } from "../state/views.ts";
import { onFilterKey, stepOf } from "./table-keys.ts";

export type TopCommand =
  | { readonly name: "leave" }
  | { readonly name: "talk" | "kill" | "log" | "calls" | "abort"; readonly pid: string }
  | { readonly name: "signal"; readonly pid: string; readonly signal: "STOP" | "CONT" }
  | { readonly name: "answer"; readonly pid: string; readonly letter: "y" | "n" };

interface TopReduced {
  readonly top: Top;
  readonly command: TopCommand | null;
}

export const STATE_WORDS: { readonly [S in ProcessInfo["state"]]: string } = {
  idle: "idle",
  queued: "queued",
  running: "running",
  waiting_tool: "running a tool",
  waiting_hil: "waits for you",
  paused: "paused",
  stopped: "stopped",
  error: "failed",
};

export const NEW_TOP: Top = {
  kind: "top",
  processes: [],
  day: null,
  due: null,
  selected: null,
  asTree: true,
  sort: "age",
  filter: "",
  filtering: false,
  ending: null,
  looks: {},
  written: [],
  keptOrder: { pids: [], until: 0 },
};

const PAGE_ROWS = 10;
const HOLD_MS = 2000;
const RATE_MS = 5000;
const CHARS_PER_TOKEN = 4;
/** Each look takes the kernel a moment. */
const LOOKS_MAX = 4;
/** Rows above and below the selection that may be on the screen. */
const LOOK_ROWS = 60;

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

export function rateOf({ written }: Top, pid: string | null, now: number): number {
  const lately = written.filter((each) => each.at > now - RATE_MS && (pid === null || each.pid === pid));
  return lately.reduce((sum, { chars }) => sum + chars, 0) / CHARS_PER_TOKEN / (RATE_MS / 1000);
}

function inOrder(top: Top, processes: readonly ProcessInfo[], now: number): readonly ProcessInfo[] {
  const { keptOrder, sort } = top;
  const fresh = sortedBy(top, processes, sort, now);
  if (now >= keptOrder.until) return fresh;
  const orderOf = new Map(keptOrder.pids.map((pid, index) => [pid, index]));
  const at = ({ pid }: ProcessInfo) => orderOf.get(pid) ?? orderOf.size;
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

/** Processes that were active since the last look. Those far from the selection wait, unless the order or the filter needs them. */
export function toLookAt(top: Top): readonly ProcessInfo[] {
  const { processes, looks, selected, sort, filter } = top;
  const near = sort === "context" || filter !== "" ? null : nearby(top);
  const stale = processes.filter(
    ({ pid, lastActiveAt }) =>
      near?.has(pid) !== false && (looks[pid] === undefined || looks[pid].activeAt !== lastActiveAt),
  );
  const first = stale.filter(({ pid }) => pid === selected || looks[pid] === undefined);
  return [...new Set([...first, ...stale])].slice(0, LOOKS_MAX);
}

function nearby(top: Top): ReadonlySet<string> {
  const pids = rowsOf(top, top.keptOrder.until).map(({ process }) => process.pid);
  const at = Math.max(0, pids.indexOf(top.selected ?? ""));
  return new Set(pids.slice(Math.max(0, at - LOOK_ROWS), at + LOOK_ROWS));
}

export function withDelta(top: Top, signal: SignalOf<"chat.delta">, at: number): Top {
  const lately = top.written.filter((each) => each.at > at - RATE_MS);
  return { ...top, written: [...lately, { pid: signal.pid, at, chars: signal.text.length }] };
}

export function onTopKey(before: Top, key: Key, at: number): TopReduced {
  const top = {
    ...before,
    keptOrder: { pids: rowsOf(before, at).map(({ process }) => process.pid), until: at + HOLD_MS },
  };
  if (top.filtering) return { top: onFilterKey(top, key), command: null };
  const process = selectedOf(top, at);
  if (top.ending !== null) {
    const isKill = key.text === "y" && process?.pid === top.ending;
    const command = isKill ? ({ name: "kill", pid: process.pid } as const) : null;
    return { top: { ...top, ending: null }, command };
  }
  const by = stepOf(key, PAGE_ROWS, {});
  if (by !== null) return { top: movedTo(top, by, at), command: null };
  if (key.name === "escape" && top.filter !== "") return { top: { ...top, filter: "" }, command: null };
  if (key.name === "escape" || key.text === "q" || (key.ctrl && "ct".includes(key.text)))
    return { top, command: { name: "leave" } };
  if (key.name === "text" && !key.ctrl && !key.alt) {
    const changed = onViewLetter(top, key.text);
    if (changed !== null) return { top: changed, command: null };
  }
  if (process === null || key.ctrl || key.alt) return { top, command: null };
  if (key.name === "enter") return { top, command: { name: "talk", pid: process.pid } };
  return onLetter(top, key.text, process);
}

function onViewLetter(top: Top, letter: string): Top | null {
  const loose = { ...top, keptOrder: NEW_TOP.keptOrder };
  if (letter === "s") return { ...loose, sort: SORTS[(SORTS.indexOf(top.sort) + 1) % SORTS.length] ?? "age" };
  if (letter === "t") return { ...loose, asTree: !top.asTree };
  return letter === "/" ? { ...top, filtering: true } : null;
}

function onLetter(top: Top, letter: string, { pid, state }: ProcessInfo): TopReduced {
  switch (letter) {
    case "k":
      return { top: isInit(pid) ? top : { ...top, ending: pid, selected: pid }, command: null };
    case "p":
      return { top, command: { name: "signal", pid, signal: state === "stopped" ? "CONT" : "STOP" } };
    case "i":
      return { top, command: { name: "abort", pid } };
    case "l":
      return { top, command: { name: "log", pid } };
    case "c":
      return { top, command: { name: "calls", pid } };
    case "y":
    case "n":
      if (state !== "waiting_hil") return { top, command: null };
      return { top, command: { name: "answer", pid, letter } };
    default:
      return { top, command: null };
  }
}

function movedTo(top: Top, by: number, now: number): Top {
  const rows = rowsOf(top, now);
  const at = Math.max(
    0,
    rows.findIndex(({ process }) => process.pid === selectedOf(top, now)?.pid),
  );
  return { ...top, selected: rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.process.pid ?? null };
}
