// strace as a view: the calls of one process, one of them selected, with a filter. While it follows, the newest is selected. Pure.

import { callChoice, isChosen, isFailure, type Traced, traceCells } from "../../commands/proc/trace-table.ts";
import type { Key } from "../line/keys.ts";
import type { Strace, View } from "../state/views.ts";
import { onFilterKey, stepOf } from "./table-keys.ts";

export type StraceCommand = "leave" | "write" | "log";

/** The default size of the log. */
const CALLS_MAX = 2000;

export function newStrace(pid: string, expression: string, below: View | null): Strace {
  const nothing = { info: null, calls: [], selected: null, over: null };
  return {
    kind: "strace",
    pid,
    expression,
    ...nothing,
    filter: "",
    filtering: false,
    failedOnly: false,
    open: false,
    below,
  };
}

export function shownCalls({ calls, filter, failedOnly, expression }: Strace): readonly Traced[] {
  const choice = callChoice([expression]);
  const words = filter.toLowerCase();
  return calls.filter(
    (row) =>
      isChosen(row.call, choice) &&
      (!failedOnly || isFailure(row)) &&
      `${row.call} ${traceCells(row).argument} ${row.outcome}`.toLowerCase().includes(words),
  );
}

/** The index of the selected call among the shown ones; -1 if there is none. */
export function selectedAt(strace: Strace, shown: readonly Traced[]): number {
  if (strace.selected === null) return shown.length - 1;
  const at = shown.findLastIndex(({ id }) => id <= (strace.selected ?? 0));
  return at === -1 && shown.length > 0 ? 0 : at;
}

export function withCalls(strace: Strace, rows: readonly Traced[]): Strace {
  const last = strace.calls.at(-1)?.id ?? 0;
  const fresh = rows.filter(({ id }) => id > last);
  return fresh.length === 0 ? strace : { ...strace, calls: [...strace.calls, ...fresh].slice(-CALLS_MAX) };
}

/** `page` is the height of the table. */
export function onStraceKey(
  strace: Strace,
  key: Key,
  page: number,
): { readonly strace: Strace; readonly command: StraceCommand | null } {
  const stays = (next: Strace) => ({ strace: next, command: null });
  const commands = (command: StraceCommand) => ({ strace, command });
  if (strace.filtering) return stays(onFilterKey(strace, key));
  const by = stepOf(key, page, { k: -1, j: 1, " ": page, b: -page });
  if (by !== null) return stays(movedBy(strace, by));
  if (key.name === "escape" && strace.open) return stays({ ...strace, open: false });
  if (key.name === "escape" || key.text === "q" || (key.ctrl && "ct".includes(key.text))) return commands("leave");
  if (key.name === "enter") return stays({ ...strace, open: !strace.open });
  switch (key.text) {
    case "f":
      return stays({ ...strace, selected: strace.selected === null ? (strace.calls.at(-1)?.id ?? null) : null });
    case "e":
      return stays({ ...strace, failedOnly: !strace.failedOnly });
    case "/":
      return stays({ ...strace, filtering: true });
    case "w":
      return commands("write");
    case "l":
      return commands("log");
    default:
      return stays(strace);
  }
}

/** Down from the newest call follows again. */
function movedBy(strace: Strace, by: number): Strace {
  const shown = shownCalls(strace);
  const to = selectedAt(strace, shown) + by;
  if (to >= shown.length - (by > 1 ? 1 : 0)) return { ...strace, selected: null };
  return { ...strace, selected: shown[Math.max(0, to)]?.id ?? null };
}
