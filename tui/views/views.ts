// What has the whole screen, or a list above the line, and takes the keys meanwhile: each view has its own reducer, and here is what comes of
// what they wish. Pure.

import type { Signal } from "../../src/abi/signal.ts";
import type { Answer } from "../../src/syscalls/approval/approval-service.ts";
import { askRows } from "../cards/ask-rows.ts";
import type { Key } from "../line/keys.ts";
import type { ThemeName } from "../screen/theme.ts";
import type { Ask } from "../state/asks.ts";
import type { Effect, Reduced } from "../state/effect.ts";
import type { ViewNews } from "../state/event.ts";
import type { State } from "../state/state.ts";
import type { Picker, PickerKind, Strace, View } from "../state/views.ts";
import { newPager, onPagerKey, type PagerSize } from "./pager.ts";
import { askItems, newPicker, onPickerKey, refreshed, selectedItem, themeItems } from "./picker.ts";
import { newStrace, onStraceKey, withCalls } from "./strace.ts";
import { hearing, NEW_TOP, onTopKey, type TopWish, toAskAbout, withProcesses } from "./top.ts";

/** What a view may need besides its state. */
export interface ViewHands {
  readonly at: number;
  readonly size: PagerSize;
  readonly answerOf: (ask: Ask, letter: string) => Answer | null;
  readonly ran: (text: string) => readonly Effect[];
}

/** Keys of the first moments of what asks were meant for something else. */
const DEAF_MS = 400;
const NOTICE_MS = 4000;

export function openedTop(state: State): Reduced {
  return { state: { ...state, view: NEW_TOP }, effects: [{ do: "list" }] };
}

export function openedStrace(state: State, pid: string, expression: string): Reduced {
  const view = newStrace(pid, expression, state.view);
  return { state: { ...state, view }, effects: [{ do: "trace", pid, after: null }] };
}

export function openedPager(state: State, title: string, text: string): Reduced {
  return stay({ ...state, view: newPager(title, text, state.view) });
}

export function openedPicker(state: State, kind: PickerKind): Reduced {
  switch (kind) {
    case "process":
      return { state: { ...state, picker: newPicker(kind, null) }, effects: [{ do: "list" }] };
    case "model":
      return { state: { ...state, picker: newPicker(kind, null) }, effects: [{ do: "offer-models" }] };
    case "theme":
      return stay({ ...state, picker: newPicker(kind, themeItems(state.theme)) });
    case "approval":
      return stay({ ...state, picker: newPicker(kind, askItems(state.asks)) });
  }
}

/** Keys typed in one breath are one text; in a view each letter means something. What is left once no view has the screen is told. */
export function onViewKeys(state: State, key: Key, hands: ViewHands): Reduced & { readonly left: string } {
  const letters = key.name === "text" && !key.ctrl && !key.alt ? [...key.text] : [key.text];
  const effects: Effect[] = [];
  let next = state;
  let taken = 0;
  for (; taken < letters.length && next.view !== null; taken++) {
    const reduced = onViewKey(next, next.view, { ...key, text: letters[taken] ?? "" }, hands);
    next = reduced.state;
    effects.push(...reduced.effects);
  }
  return { state: next, effects, left: letters.slice(taken).join("") };
}

function onViewKey(state: State, view: View, key: Key, hands: ViewHands): Reduced {
  switch (view.kind) {
    case "pager": {
      const pager = onPagerKey(view, key, hands.size);
      return stay({ ...state, view: pager ?? view.below });
    }
    case "strace": {
      const { strace, wish } = onStraceKey(view, key, Math.max(1, hands.size.rows - 6));
      if (wish === null) return stay({ ...state, view: strace });
      if (wish.wish === "leave") return stay({ ...state, view: view.below });
      if (wish.wish === "log") return { state, effects: [{ do: "log", pid: wish.pid }] };
      const file = `strace-${wish.pid.replace(":", "-")}.txt`;
      return { state: { ...state, view: null }, effects: hands.ran(`strace --once -o ${file} ${wish.pid}`) };
    }
    case "top": {
      const { top, wish } = onTopKey(view, key, hands.at);
      return wish === null ? stay({ ...state, view: top }) : onTopWish({ ...state, view: top }, wish, hands);
    }
  }
}

function onTopWish(state: State, wish: TopWish, hands: ViewHands): Reduced {
  const left = { ...state, view: null };
  switch (wish.wish) {
    case "leave":
      return stay(left);
    case "talk":
      return { state: left, effects: wish.pid === state.pid ? [] : [{ do: "attach", pid: wish.pid }] };
    case "log":
      return { state, effects: [{ do: "log", pid: wish.pid }] };
    case "calls":
      return openedStrace(state, wish.pid, "");
    case "signal":
      return { state, effects: [{ do: "signal", pid: wish.pid, signal: wish.signal }, { do: "list" }] };
    case "stop-run":
      return { state, effects: [{ do: "stop-run", pid: wish.pid }, { do: "list" }] };
    case "end":
      return { state, effects: [{ do: "end", pid: wish.pid }, { do: "list" }] };
    case "answer":
      return answered(state, wish, hands);
  }
}

/** Only what could be read whole is answered here. */
function answered(
  state: State,
  wish: TopWish & { readonly wish: "answer" },
  { at, size, answerOf }: ViewHands,
): Reduced {
  const ask = state.asks.find(({ pid }) => pid === wish.pid);
  if (ask === undefined || at - ask.since < DEAF_MS) return stay(state);
  const answer = answerOf(ask, wish.decision === "approve" ? "y" : "n");
  if (ask.kind === "question" || answer === null || (wish.decision === "approve" && askRows(ask, size).left > 0))
    return stay({ ...state, notice: { text: "too much for here: enter shows it whole", until: at + NOTICE_MS } });
  return { state, effects: [{ do: "answer", answer }, { do: "list" }] };
}

export function onPickerKeys(state: State, picker: Picker, key: Key, hands: ViewHands): Reduced {
  const { picker: next, wish } = onPickerKey(picker, key);
  const closed = { ...state, picker: null };
  switch (wish?.wish) {
    case undefined:
      return stay({ ...state, picker: next });
    case "leave":
      return stay(closed);
    case "new":
      return { state: closed, effects: [{ do: "new" }] };
    case "peek":
      return { state: closed, effects: [{ do: "log", pid: wish.id }] };
    case "end":
      return { state: { ...state, picker: next }, effects: [{ do: "end", pid: wish.id }, { do: "list" }] };
    case "choose":
      return chosen(closed, picker.kind, wish.id, hands);
  }
}

function chosen(state: State, kind: PickerKind, id: string, { ran }: ViewHands): Reduced {
  switch (kind) {
    case "process":
      return { state, effects: id === state.pid ? [] : [{ do: "attach", pid: id }] };
    case "model":
      return { state, effects: ran(`model ${state.pid} ${id}`) };
    case "theme":
      return { state, effects: [{ do: "theme", name: id as ThemeName }] };
    case "approval": {
      // The card is the one place where it is answered.
      const asks = state.asks.toSorted((left, right) => Number(right.id === id) - Number(left.id === id));
      return stay({ ...state, asks, answering: state.input.text !== "" });
    }
  }
}

export function onViewNews(state: State, news: ViewNews): Reduced {
  switch (news.type) {
    case "listed": {
      const picker = refreshed(state, news.processes);
      const hasty = takenAtOnce(state, picker);
      if (hasty !== null) return hasty;
      if (state.view?.kind !== "top") return stay({ ...state, picker });
      const view = withProcesses(state.view, news.processes, news.day);
      const processes = toAskAbout(view);
      return { state: { ...state, picker, view }, effects: processes.length === 0 ? [] : [{ do: "look", processes }] };
    }
    case "looked":
      if (state.view?.kind !== "top") return stay(state);
      return stay({ ...state, view: { ...state.view, looks: { ...state.view.looks, ...news.looks } } });
    case "traced": {
      const view = withStrace(state.view, news.pid, (strace) => ({
        ...withCalls(strace, news.rows),
        info: news.info ?? strace.info,
      }));
      if (view === null || view === state.view) return stay(state);
      const after = straceIn(view, news.pid)?.calls.at(-1)?.id ?? 0;
      return { state: { ...state, view }, effects: [{ do: "trace", pid: news.pid, after }] };
    }
    case "untraced":
      return stay({ ...state, view: withStrace(state.view, news.pid, (strace) => ({ ...strace, over: news.why })) });
    case "paged":
      return openedPager(state, news.title, news.text);
    case "offered":
      if (state.picker?.kind !== news.kind) return stay(state);
      return (
        takenAtOnce(state, { ...state.picker, items: news.items }) ??
        stay({ ...state, picker: { ...state.picker, items: news.items } })
      );
  }
}

/** Who typed faster than the list came gets what they chose. */
function takenAtOnce(state: State, picker: Picker | null): Reduced | null {
  const item = picker?.hasty === true && picker.kind === "process" ? selectedItem(picker) : null;
  if (item === null) return null;
  return { state: { ...state, picker: null }, effects: item.isNow ? [] : [{ do: "attach", pid: item.id }] };
}

/** top counts what is written, of whomever. */
export function viewHearing(state: State, signal: Signal, at: number): State {
  return state.view?.kind === "top" ? { ...state, view: hearing(state.view, signal, at) } : state;
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

function stay(state: State): Reduced {
  return { state, effects: [] };
}
