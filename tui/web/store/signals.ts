// Signals of the kernel: what waits for a person, the rate of each process, and the open conversation. Pure.

import { processName } from "../../../src/abi/process/process-name.ts";
import { SIGNAL_NAMES, type Signal } from "../../../src/abi/signal.ts";
import { reveal } from "../../../src/lib/text/sanitize.ts";
import { wishText } from "../../approval-card/approval-card-title.ts";
import type { Ask } from "../../state/asks.ts";
import { withDelta } from "../../views/top.ts";
import { processIn, type State } from "./state.ts";
import { noted, onTalkSignal } from "./talk.ts";

/** Deltas have a subscription of their own, because most views need none. */
export const NAMES = SIGNAL_NAMES.filter((name) => name !== "chat.delta" && name !== "storage.progress");

const SPOKEN_CHARS_MAX = 300;

export function onSignals(state: State, signals: readonly Signal[], now: number): State {
  return signals.reduce((before, signal) => onSignal(before, signal, now), state);
}

function onSignal(state: State, signal: Signal, now: number): State {
  if (signal.name === "chat.hil") return asked(state, { ...signal, since: now });
  if (signal.name === "chat.hil_closed") return closed(state, signal);
  if (signal.name === "notification.created" || signal.name === "notification.updated") {
    const title = signal.name === "notification.created" ? reveal(signal.title) : state.spoken;
    return { ...state, news: { unread: signal.unread, revision: state.news.revision + 1 }, spoken: title };
  }
  const top = signal.name === "chat.delta" ? withDelta(state.top, signal, now) : state.top;
  const next = { ...state, top: withState(top, signal) };
  const { talk } = state;
  if (talk === null || signal.pid !== talk.pid) return next;
  const spoken = signal.name === "chat.text" ? reveal(signal.text).slice(0, SPOKEN_CHARS_MAX) : state.spoken;
  return { ...next, spoken, talk: onTalkSignal(talk, signal, now) };
}

/** Before the list is read again. */
function withState(top: State["top"], signal: Signal): State["top"] {
  if (signal.name !== "process.state") return top;
  const { pid, state, queued, waitsFor } = signal;
  const processes = top.processes.map((each) => (each.pid === pid ? { ...each, state, queued, waitsFor } : each));
  return { ...top, processes };
}

function asked(state: State, signal: Ask): State {
  const { asks } = state;
  if (asks.some(({ id }) => id === signal.id)) return state;
  const { id, kind, pid, label = null, tool, call, args, why, about, hash, expiresAt, since } = signal;
  const ask = { id, kind, pid, label, tool, call, args, why, about, hash, expiresAt, since };
  return { ...state, asks: [...asks, ask], spoken: `${nameOf(state, ask)} ${wishOf(ask)}` };
}

function closed(state: State, { id, pid, decision, by }: Extract<Signal, { readonly name: "chat.hil_closed" }>): State {
  const ask = state.asks.find((each) => each.id === id);
  if (ask === undefined) return state;
  const next = { ...state, asks: state.asks.filter((each) => each.id !== id) };
  const { talk } = state;
  if (talk?.pid !== pid) return next;
  return { ...next, talk: noted(talk, { kind: "decided", ask, decision, by: ask.isOurs === true ? null : by }) };
}

/** The browser may be on another computer than the kernel. */
export function wishOf(ask: Ask): string {
  return wishText(ask, "the kernel's computer");
}

export function nameOf(
  state: State,
  { pid, label = null }: { readonly pid: string; readonly label?: string | null },
): string {
  const known = processIn(state, pid);
  return reveal(processName({ pid, label: label ?? known?.label ?? null }, state.top.processes));
}
