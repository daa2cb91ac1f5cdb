// Views and lists that have the keys: each has its own reducer, and here its commands become effects and the next state. Pure.

import type { Signal } from "../../src/abi/signal.ts";
import { answerOf, IGNORED_MS } from "../approval-card/approval-card-keys.ts";
import { askRows } from "../approval-card/ask-rows.ts";
import type { Key } from "../line/keys.ts";
import type { ThemeName } from "../screen/theme.ts";
import { act, type Effect, only, type Reduced, ran } from "../state/effect.ts";
import type { EventOf, ViewEvent } from "../state/event.ts";
import { noticed, type State, set } from "../state/state.ts";
import type { Picker, PickerKind, Strace, View } from "../state/views.ts";
import { newPager, onPagerKey, type PagerSize } from "./pager.ts";
import { askItems, newPicker, onPickerKey, selectedItem, themeItems, withItems } from "./picker.ts";
import { newStrace, onStraceKey, withCalls } from "./strace.ts";
import { NEW_TOP, onTopKey, type TopCommand, toLookAt, withDelta } from "./top.ts";

export interface ViewPorts {
  readonly at: number;
  readonly size: PagerSize;
}

function withView(state: State, view: View | null): State {
  return set(state, "overlay", { view });
}

function withPicker(state: State, picker: Picker | null): State {
  return set(state, "overlay", { picker });
}

export function openedTop(state: State): Reduced {
  return act(withView(state, NEW_TOP), { do: "list" });
}

export function openedStrace(state: State, pid: string, expression: string): Reduced {
  return act(withView(state, newStrace(pid, expression, state.overlay.view)), { do: "trace", pid, after: null });
}

export function openedPager(state: State, title: string, text: string): Reduced {
  return only(withView(state, newPager(title, text, state.overlay.view)));
}

export function openedPicker(state: State, kind: PickerKind): Reduced {
  switch (kind) {
    case "process":
      return act(withPicker(state, newPicker(kind, null)), { do: "list" });
    case "model":
      return act(withPicker(state, newPicker(kind, null)), { do: "offer-models" });
    case "schedule":
      return act(withPicker(state, newPicker(kind, null)), { do: "offer-schedules" });
    case "mcp":
      return act(withPicker(state, newPicker(kind, null)), { do: "offer-mcp" });
    case "theme":
      return only(withPicker(state, newPicker(kind, themeItems(state.theme))));
    case "approval":
      return only(withPicker(state, newPicker(kind, askItems(state.asking.asks))));
  }
}

/** Letters typed in one read are separate keys in a view. `left` are those typed after the last view closed. */
export function onViewKeys(state: State, key: Key, ports: ViewPorts): Reduced & { readonly left: string } {
  const letters = key.name === "text" && !key.ctrl && !key.alt ? [...key.text] : [key.text];
  const effects: Effect[] = [];
  let next = state;
  let taken = 0;
  for (; taken < letters.length && next.overlay.view !== null; taken++) {
    const reduced = onViewKey(next, next.overlay.view, { ...key, text: letters[taken] ?? "" }, ports);
    next = reduced.state;
    effects.push(...reduced.effects);
  }
  return { state: next, effects, left: letters.slice(taken).join("") };
}

function onViewKey(state: State, view: View, key: Key, ports: ViewPorts): Reduced {
  switch (view.kind) {
    case "pager":
      return only(withView(state, onPagerKey(view, key, ports.size) ?? view.below));
    case "strace":
      return onStrace(state, view, key, ports);
    case "top": {
      const { top, command } = onTopKey(view, key, ports.at);
      const next = withView(state, top);
      return command === null ? only(next) : onTopCommand(next, command, ports);
    }
  }
}

function onStrace(state: State, view: Strace, key: Key, { size }: ViewPorts): Reduced {
  const { strace, command } = onStraceKey(view, key, Math.max(1, size.rows - 6));
  switch (command) {
    case null:
      return only(withView(state, strace));
    case "leave":
      return only(withView(state, view.below));
    case "log":
      return act(state, { do: "log", pid: view.pid });
    case "write": {
      const file = `strace-${view.pid.replace(":", "-")}.txt`;
      return act(withView(state, null), ...ran(`strace --once -o ${file} ${view.pid}`));
    }
  }
}

function onTopCommand(state: State, command: TopCommand, ports: ViewPorts): Reduced {
  const left = withView(state, null);
  switch (command.name) {
    case "leave":
      return only(left);
    case "talk":
      return command.pid === state.process.pid ? only(left) : act(left, { do: "attach", pid: command.pid });
    case "log":
      return act(state, { do: "log", pid: command.pid });
    case "calls":
      return openedStrace(state, command.pid, "");
    case "signal":
      return act(state, { do: "signal", pid: command.pid, signal: command.signal }, { do: "list" });
    case "abort":
    case "kill":
      return act(state, { do: command.name, pid: command.pid }, { do: "list" });
    case "answer":
      return answered(state, command, ports);
  }
}

/** Approves only a request that is shown whole. */
function answered(
  state: State,
  { pid, letter }: TopCommand & { readonly name: "answer" },
  { at, size }: ViewPorts,
): Reduced {
  const ask = state.asking.asks.find((each) => each.pid === pid);
  if (ask === undefined || at - ask.since < IGNORED_MS) return only(state);
  const answer = answerOf(ask, letter);
  if (ask.kind === "question" || answer === null || (letter === "y" && askRows(ask, size).left > 0))
    return only(noticed(state, "too long to approve here: enter shows all", at));
  return act(state, { do: "answer", answer }, { do: "list" });
}

export function onPickerKeys(state: State, picker: Picker, key: Key): Reduced {
  const { picker: next, command } = onPickerKey(picker, key);
  const closed = withPicker(state, null);
  switch (command?.name) {
    case undefined:
      return only(withPicker(state, next));
    case "leave":
      return only(closed);
    case "new":
      return act(closed, { do: "new" });
    case "log":
      if (picker.kind === "schedule") return act(closed, ...ran(`sched history ${command.id}`));
      if (picker.kind === "mcp") return act(closed, ...ran(`mcp logs ${command.id}`));
      return act(closed, { do: "log", pid: command.id });
    case "kill":
      return act(withPicker(state, next), { do: "kill", pid: command.id }, { do: "list" });
    case "choose":
      return chosen(closed, picker.kind, command.id);
  }
}

function chosen(state: State, kind: PickerKind, id: string): Reduced {
  const { pid } = state.process;
  switch (kind) {
    case "process":
      return id === pid ? only(state) : act(state, { do: "attach", pid: id });
    case "model":
      return act(state, ...ran(`model ${pid} ${id}`));
    case "schedule":
      return act(state, ...ran(`sched show ${id}`));
    case "mcp":
      return act(state, ...ran(`mcp show ${id}`));
    case "theme":
      return act(state, { do: "theme", name: id as ThemeName });
    case "approval": {
      // Requests are answered on their cards only.
      const asks = state.asking.asks.toSorted((left, right) => Number(right.id === id) - Number(left.id === id));
      return only(set(state, "asking", { asks, cardHasKeys: state.line.input.text !== "" }));
    }
  }
}

export function onViewEvent(state: State, event: ViewEvent): Reduced {
  const { view, picker } = state.overlay;
  switch (event.type) {
    case "listed":
      return listed(state, event);
    case "looked":
      if (view?.kind !== "top") return only(state);
      return only(withView(state, { ...view, looks: { ...view.looks, ...event.looks } }));
    case "traced": {
      const next = withStrace(view, event.pid, (strace) => ({
        ...withCalls(strace, event.rows),
        info: event.info ?? strace.info,
      }));
      if (next === null || next === view) return only(state);
      const after = straceIn(next, event.pid)?.calls.at(-1)?.id ?? 0;
      return act(withView(state, next), { do: "trace", pid: event.pid, after });
    }
    case "trace-over":
      return only(
        withView(
          state,
          withStrace(view, event.pid, (strace) => ({ ...strace, over: event.why })),
        ),
      );
    case "paged":
      return openedPager(state, event.title, event.text);
    case "offered": {
      if (picker?.kind !== event.kind) return only(state);
      const next = { ...picker, items: event.items };
      return chosenInHaste(state, next) ?? only(withPicker(state, next));
    }
  }
}

function listed(state: State, { processes, day, due }: EventOf<"listed">): Reduced {
  const { view } = state.overlay;
  const picker = withItems(state.overlay.picker, processes, state.process.pid);
  const hasty = chosenInHaste(state, picker);
  if (hasty !== null) return hasty;
  const next = withPicker(state, picker);
  if (view?.kind !== "top") return only(next);
  const top = { ...view, processes, day, due };
  const stale = toLookAt(top);
  const shown = withView(next, top);
  return stale.length === 0 ? only(shown) : act(shown, { do: "look", processes: stale });
}

function chosenInHaste(state: State, picker: Picker | null): Reduced | null {
  const item = picker?.hasty === true && picker.kind === "process" ? selectedItem(picker) : null;
  if (item === null) return null;
  const closed = withPicker(state, null);
  return item.isNow ? only(closed) : act(closed, { do: "attach", pid: item.id });
}

export function withRate(state: State, signal: Signal, at: number): State {
  const { view } = state.overlay;
  if (view?.kind !== "top" || signal.name !== "chat.delta") return state;
  return withView(state, withDelta(view, signal, at));
}

function withStrace(view: View | null, pid: string, change: (strace: Strace) => Strace): View | null {
  if (view === null || view.kind === "top") return view;
  if (view.kind === "strace" && view.pid === pid) return change(view);
  const below = withStrace(view.below, pid, change);
  return below === view.below ? view : { ...view, below };
}

function straceIn(view: View | null, pid: string): Strace | null {
  if (view === null || view.kind === "top") return null;
  return view.kind === "strace" && view.pid === pid ? view : straceIn(view.below, pid);
}
