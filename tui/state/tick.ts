// Changes by time alone: counters, a spinner, expiring notices, lists that are read again. Pure.

import { isCounting, SPIN_MS } from "../talk/activity.ts";
import { act, only, type Reduced } from "./effect.ts";
import { type State, set } from "./state.ts";

const COUNT_MS = 1000;
const LIST_MS = 1000;

/** When to draw next if nothing else happens; null if nothing moves. */
export function tickMs(state: State, spins: boolean): number | null {
  const { run } = state.chat;
  const { asks } = state.asking;
  if (showsProcesses(state)) return LIST_MS;
  if (run !== null && asks.length === 0 && spins) return SPIN_MS;
  const isMoving = run !== null || asks.length > 0 || state.overlay.notice !== null || isCounting(state.process);
  return isMoving ? COUNT_MS : null;
}

export function onTick(before: State, at: number): Reduced {
  const isOver = (before.overlay.notice?.until ?? Infinity) <= at;
  const state = isOver ? set(before, "overlay", { notice: null }) : before;
  return showsProcesses(state) ? act(state, { do: "list", byTime: true }) : only(state);
}

function showsProcesses({ overlay: { view, picker } }: State): boolean {
  return view?.kind === "top" || picker?.kind === "process";
}
