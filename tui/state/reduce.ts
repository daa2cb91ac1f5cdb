// The one place where the state of the terminal changes: what happened, and what there was, make what there is and what is to be done. Pure.

import { WORKING_STATES } from "../../src/abi/process/process.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { carded, isCovered, uncovered } from "../cards/cards.ts";
import { stood } from "../cards/chosen-answer.ts";
import { withText } from "../line/editor.ts";
import type { Past } from "../line/history.ts";
import { completed } from "../line/menu.ts";
import { began, withJobsTold } from "../talk/jobs.ts";
import { released, unkept } from "../talk/send.ts";
import { subjectOf } from "../talk/subject.ts";
import { onViewNews, viewHearing } from "../views/views.ts";
import type { Reduced } from "./effect.ts";
import type { AppEvent } from "./event.ts";
import { type Hands, onTyped } from "./reduce-keys.ts";
import { onSignal } from "./reduce-signals.ts";
import type { State } from "./state.ts";

const NOTICE_MS = 8000;
const NOTHING_RUNS = {
  ...({ run: null, waiting: [], calls: {}, thinking: null, fate: "next", costUsd: 0 } as const),
  ...({ context: null, standIn: null, collapsed: [], opened: null } as const),
};

export function reduce(before: State, happening: AppEvent, hands: Hands): Reduced {
  const happened = taken(before, happening, hands);
  const free = released(happened.state);
  const state = carded(isCovered(before) && !isCovered(free.state) ? uncovered(free.state) : free.state, hands.now);
  return { state, effects: free.effects.length === 0 ? happened.effects : [...happened.effects, ...free.effects] };
}

function taken(state: State, happening: AppEvent, hands: Hands): Reduced {
  switch (happening.type) {
    case "typed":
      return onTyped(state, happening.typed, happening.at, hands);
    case "signal":
      return heard(state, happening.signal, happening.at);
    case "sent":
      return sent(state, happening.key, happening.runId);
    case "answered": {
      const waiting = state.waiting.filter(({ key }) => key !== happening.key);
      const run = state.run?.runId === "" ? null : state.run;
      return { state: { ...state, waiting, run }, effects: happening.text.split("\n").map(note) };
    }
    case "refused": {
      const waiting = state.waiting.filter(({ key }) => key !== happening.key);
      const run = state.run?.runId === "" ? null : state.run;
      // What was typed is not lost with what could not be sent.
      const input = state.input.text === "" ? withText(state.input, happening.message) : state.input;
      return { state: { ...state, waiting, run, input }, effects: [note(happening.why)] };
    }
    case "known":
      return known(state, happening, hands.now);
    case "unfollowed":
      return stood(state, happening.since);
    case "filled":
      return only({ ...state, context: happening.context });
    case "asked": {
      const fresh = happening.asks.filter(({ id }) => !state.asks.some((ask) => ask.id === id));
      return only({ ...state, asks: [...state.asks, ...fresh] });
    }
    case "stood":
      return only(uncovered({ ...state, cwd: happening.cwd, past: ended(state.past, happening.entry) }));
    case "written":
      return only(uncovered({ ...state, input: withText(state.input, happening.text) }));
    case "seen":
      return only(uncovered(state));
    case "attached": {
      const { pid, readOnly } = happening;
      // Its own card is the first one now.
      return { state: uncovered({ ...state, pid, readOnly, ...NOTHING_RUNS }), effects: unkept(state) };
    }
    case "behind":
      return began(state, happening.pid, happening.text);
    case "themed":
      return only({ ...state, theme: happening.theme });
    case "completed":
      return only(completed(state, happening.of, happening.from, happening.candidates));
    case "told":
      return only({ ...state, notice: { text: happening.text, until: happening.at + NOTICE_MS } });
    default:
      return onViewNews(state, happening);
  }
}

function known(state: State, happening: AppEvent & { readonly type: "known" }, now: number): Reduced {
  const {
    state: process,
    waitsFor,
    costUsd = state.costUsd,
    collapsed = state.collapsed,
    calls = state.calls,
  } = happening;
  const model = happening.model ?? state.model;
  const stateSince = process === state.state ? state.stateSince : now;
  const run = state.run ?? (WORKING_STATES.includes(process) ? begun(happening.activeRunId ?? null, calls, now) : null);
  const next = { ...state, state: process, waitsFor, stateSince, costUsd, collapsed, model, run, calls };
  return { state: next, effects: [{ do: "measure" }] };
}

/** A run that somebody else began. */
function begun(runId: string | null, calls: State["calls"], now: number): State["run"] {
  if (runId === null) return null;
  const [call] = Object.values(calls);
  const what = call === undefined ? "" : `${call.tool} ${subjectOf(call.tool, call.args)}`;
  return { runId, doing: call === undefined ? "thinking" : "tool", what, since: now, sinceDoing: now, chars: 0 };
}

/** With how it ended. */
function ended(past: readonly Past[], entry: Past | null): readonly Past[] {
  const at = entry === null ? -1 : past.findLastIndex((each) => each.at === entry.at && each.text === entry.text);
  return entry === null || at === -1 ? past : past.with(at, entry);
}

// Its run may have begun before the answer came.
function sent(state: State, key: string, runId: string): Reduced {
  const message = state.waiting.find((each) => each.key === key);
  if (message === undefined) return only(state.run?.runId === "" ? { ...state, run: { ...state.run, runId } } : state);
  if (state.run?.runId !== runId)
    return only({ ...state, waiting: state.waiting.map((each) => (each === message ? { ...each, runId } : each)) });
  return {
    state: { ...state, waiting: state.waiting.filter((each) => each !== message) },
    effects: [{ do: "print", entry: { kind: "said", text: message.text } }],
  };
}

function note(text: string): { do: "print"; entry: { kind: "note"; text: string } } {
  return { do: "print", entry: { kind: "note", text } };
}

function only(state: State): Reduced {
  return { state, effects: [] };
}

function heard(state: State, signal: Signal, at: number): Reduced {
  return withJobsTold(onSignal(viewHearing(state, signal, at), signal, at), signal);
}
