// The one place where the state of the terminal changes: what happened, and what there was, make what there is and what is to be done. Pure.

import type { Signal } from "../src/abi/signal.ts";
import { EMPTY, replacedBefore, withText } from "./editor.ts";
import { began, withJobsTold } from "./jobs.ts";
import { type Hands, onTyped } from "./reduce-keys.ts";
import { onSignal } from "./reduce-signals.ts";
import type { Happening, Reduced, State } from "./state.ts";
import { onViewNews, viewHearing } from "./views.ts";

const NOTICE_MS = 8000;
const NOTHING_RUNS = { run: null, waiting: [], calls: {}, costUsd: 0 };

export function reduce(state: State, happening: Happening, hands: Hands): Reduced {
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
      const input = state.input.text === "" ? withText(EMPTY, happening.message) : state.input;
      return { state: { ...state, waiting, run, input }, effects: [note(happening.why)] };
    }
    case "known": {
      const { state: process, waitsFor, model } = happening;
      return only({ ...state, state: process, waitsFor, model: model ?? state.model });
    }
    case "asked": {
      const fresh = happening.asks.filter(({ id }) => !state.asks.some((ask) => ask.id === id));
      return only({ ...state, asks: [...state.asks, ...fresh] });
    }
    case "stood":
      return only({ ...state, cwd: happening.cwd });
    case "written":
      return only({ ...state, input: withText(state.input, happening.text) });
    case "attached":
      return only({ ...state, pid: happening.pid, readOnly: happening.readOnly, ...NOTHING_RUNS });
    case "behind":
      return began(state, happening.pid, happening.text);
    case "themed":
      return only({ ...state, theme: happening.theme });
    case "completed":
      return only(completed(state, happening));
    case "told":
      return only({ ...state, notice: { text: happening.text, until: happening.at + NOTICE_MS } });
    default:
      return onViewNews(state, happening);
  }
}

function heard(state: State, signal: Signal, at: number): Reduced {
  return withJobsTold(onSignal(viewHearing(state, signal, at), signal, at), signal);
}

/** The word becomes what all candidates begin with; what is left to choose from is shown. */
function completed(state: State, { of, from, candidates }: Happening & { readonly type: "completed" }): State {
  // Somebody who went on typing wants that.
  if (state.input !== of || candidates.length === 0) return state;
  const word = common(candidates);
  const typedSoFar = of.text.slice(from, of.at);
  const input = word.length > typedSoFar.length ? replacedBefore(of, from, word) : of;
  return { ...state, input, candidates: candidates.length > 1 ? candidates : [] };
}

/** What all of them begin with. */
function common(candidates: readonly string[]): string {
  const [first = "", ...rest] = candidates;
  let length = first.length;
  for (const each of rest) while (!each.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
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
