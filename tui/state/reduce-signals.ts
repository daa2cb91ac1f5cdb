// What the kernel tells, as the next state: of the process one talks to all that is said and done, of the others what wants an answer and
// what ended. Pure.

import { COMPACTING, compactedText } from "../../commands/history/compacted.ts";
import { initPid } from "../../src/abi/ids.ts";
import type { Signal } from "../../src/abi/signal.ts";
import { collapsedCall, withCollapsed } from "../talk/collapsed.ts";
import { subjectOf } from "../talk/subject.ts";
import type { Ask } from "./asks.ts";
import type { Effect, Entry, Reduced } from "./effect.ts";
import type { ActiveRun } from "./process.ts";
import type { State } from "./state.ts";

/** The end of a message that was taken back before it was said. */
const WITHDRAWN = "user.withdrawn";
/** Who closes what nobody has to answer any more. */
const KERNEL = "kernel";
const NOTICE_MS = 8000;

export function onSignal(state: State, signal: Signal, at: number): Reduced {
  if (signal.name === "chat.hil") return asked(state, { ...signal, since: at });
  if (signal.name === "chat.hil_closed") return closed(state, signal.id, signal.decision, signal.by);
  if (signal.pid !== state.pid) return elsewhere(state, signal, at);
  switch (signal.name) {
    case "chat.start":
      return started(state, signal.run, signal.model, at);
    case "chat.entered":
      return entered(state, signal);
    case "chat.delta":
      return grown(state, signal, at);
    case "chat.text":
      return committed(state, signal, at);
    case "chat.restart": {
      // What holds a run that is put aside is said with its state.
      const { state: over, effects } = thought(state, at);
      const next = standing(doing(over, "thinking", "", at), signal);
      if (signal.putAside) return { state: next, effects };
      return { state: next, effects: [...effects, { do: "print", entry: { kind: "again", reason: signal.reason } }] };
    }
    case "chat.tool_call":
      return called(state, signal, at);
    case "chat.tool_result":
      return toolDone(state, signal, at);
    case "chat.complete":
      return completed(state, signal, at);
    case "chat.compacting":
      return print(state, { kind: "note", text: COMPACTING });
    case "chat.compacted":
    case "process.compacted":
      return {
        state,
        effects: [
          { do: "print", entry: { kind: "note", text: `compacted ${compactedText(signal)}` } },
          { do: "measure" },
        ],
      };
    case "process.state": {
      const stateSince = state.state === signal.state ? state.stateSince : at;
      return { state: { ...state, state: signal.state, waitsFor: signal.waitsFor, stateSince }, effects: [] };
    }
    case "process.budget":
    case "process.credits":
    case "process.hook":
      return print(state, { kind: "note", text: signal.text });
    case "process.reset":
      return print(state, {
        kind: "note",
        text: `reset${signal.archive === null ? "" : `; archived to ${signal.archive}`}`,
      });
    case "process.exit":
      return {
        state: { ...state, run: null },
        effects: [
          { do: "print", entry: { kind: "note", text: `${signal.pid} has ended` } },
          { do: "attach", pid: initPid(state.who.uid) },
        ],
      };
    case "resync":
      return { state, effects: [{ do: "catch-up", afterSeq: signal.afterSeq }] };
    default:
      return { state, effects: [] };
  }
}

function elsewhere(state: State, signal: Signal, at: number): Reduced {
  if (signal.name !== "chat.complete" && signal.name !== "process.exit") return { state, effects: [] };
  const how = signal.name === "process.exit" ? "ended" : signal.status === "ok" ? "done" : signal.status;
  return {
    state: { ...state, notice: { text: `${signal.pid} ${how}`, until: at + NOTICE_MS, isNews: true } },
    effects: [],
  };
}

function asked(state: State, ask: Ask): Reduced {
  if (state.asks.some(({ id }) => id === ask.id)) return { state, effects: [] };
  const { id, kind, pid, tool, call, args, why, about, hash, expiresAt, since } = ask;
  const shown = { id, kind, pid, tool, call, args, why, about, hash, expiresAt, since };
  return { state: { ...state, asks: [...state.asks, shown] }, effects: [] };
}

function closed(state: State, id: string, decision: string, by: string): Reduced {
  const ask = state.asks.find((each) => each.id === id);
  if (ask === undefined) return { state, effects: [] };
  const asks = state.asks.filter((each) => each.id !== id);
  return print({ ...state, asks }, { kind: "decided", ask, decision, by: ask.isOurs || by === KERNEL ? null : by });
}

function started(state: State, runId: string, model: string, at: number): Reduced {
  const taken = state.waiting.filter((message) => message.runId === runId);
  const waiting = state.waiting.filter((message) => message.runId !== runId);
  const since = state.run?.runId === "" || state.run?.runId === runId ? state.run.since : at;
  const run: ActiveRun = { runId, doing: "thinking", what: "", since, sinceDoing: at, chars: 0 };
  return {
    state: { ...state, model, run, waiting, thinking: null, standIn: null },
    effects: taken.map(({ text }) => said(text)),
  };
}

/** Said now, where it belongs: between what was before it and what comes of it. */
function entered(state: State, { messages }: Signal & { readonly name: "chat.entered" }): Reduced {
  const runs = new Set(messages.map(({ run }) => run));
  const taken = state.waiting.filter(({ runId }) => runId !== null && runs.has(runId));
  const waiting = state.waiting.filter((message) => !taken.includes(message));
  return { state: { ...state, waiting }, effects: taken.map(({ text }) => said(text)) };
}

function grown(state: State, { kind, turn, text, run }: Signal & { readonly name: "chat.delta" }, at: number): Reduced {
  const before = state.run ?? { ...NEW_RUN, runId: run, since: at, sinceDoing: at };
  const now = kind === "text" ? "writing" : "thinking";
  const sinceDoing = before.doing === now ? before.sinceDoing : at;
  const next = { ...before, doing: now, what: "", sinceDoing, chars: before.chars + text.length } as const;
  if (kind === "thinking") {
    const thinking = { text: (state.thinking?.text ?? "") + text, since: state.thinking?.since ?? at };
    return { state: { ...state, run: next, thinking }, effects: [] };
  }
  const over = thought({ ...state, run: next }, at);
  return { state: over.state, effects: [...over.effects, { do: "print", entry: { kind: "grows", turn, text } }] };
}

function standing(state: State, { fallbackModel, class: failed }: Signal & { readonly name: "chat.restart" }): State {
  if (fallbackModel === undefined || state.model === null) return state;
  const of = state.standIn?.of ?? state.model;
  return { ...state, model: fallbackModel, standIn: { of, model: fallbackModel, class: failed } };
}

/** Thinking is over: one line, which can be opened. */
function thought(state: State, at: number): Reduced {
  const { thinking } = state;
  if (thinking === null) return { state, effects: [] };
  const collapsed = withCollapsed(state.collapsed, { title: "thinking", text: thinking.text });
  return print({ ...state, thinking: null, collapsed }, { kind: "thought", tookMs: at - thinking.since });
}

function committed(state: State, signal: Signal & { readonly name: "chat.text" }, at: number): Reduced {
  const { turn, text, thinking = "" } = signal;
  const unseen = thinking !== "" && state.thinking === null && state.run?.doing !== "writing";
  const over = thought(unseen ? { ...state, thinking: { text: thinking, since: at } } : state, at);
  const next = doing(over.state, "thinking", "", at);
  return { state: next, effects: [...over.effects, { do: "print", entry: { kind: "text", turn, text } }] };
}

const NEW_RUN: ActiveRun = { runId: "", doing: "thinking", what: "", since: 0, sinceDoing: 0, chars: 0 };

function doing(state: State, what: ActiveRun["doing"], about: string, at: number): State {
  const run = state.run ?? { ...NEW_RUN, since: at };
  return { ...state, run: { ...run, doing: what, what: about, sinceDoing: at } };
}

function called(state: State, signal: Signal & { readonly name: "chat.tool_call" }, at: number): Reduced {
  const { tool, args, callId } = signal;
  const over = thought(state, at);
  const next = doing(over.state, "tool", `${tool} ${subjectOf(tool, args)}`, at);
  return { state: { ...next, calls: { ...next.calls, [callId]: { tool, args, at } } }, effects: over.effects };
}

function toolDone(state: State, signal: Signal & { readonly name: "chat.tool_result" }, at: number): Reduced {
  const { tool, ok, output } = signal;
  const { [signal.callId]: call, ...calls } = state.calls;
  const args = call?.args ?? {};
  const collapsed = withCollapsed(state.collapsed, collapsedCall(tool, args, output));
  const [other] = Object.values(calls);
  // Of calls that run beside each other one still does.
  const next =
    other === undefined
      ? doing(state, "thinking", "", at)
      : doing(state, "tool", `${other.tool} ${subjectOf(other.tool, other.args)}`, other.at);
  const tookMs = call === undefined ? null : at - call.at;
  return print({ ...next, calls, collapsed }, { kind: "result", tool, args, ok, output, tookMs });
}

function completed(state: State, signal: Signal & { readonly name: "chat.complete" }, at: number): Reduced {
  const taken = state.waiting.filter((message) => message.runId === signal.run);
  const waiting = state.waiting.filter((message) => message.runId !== signal.run);
  const effects: Effect[] = taken.map(({ text }) => said(text));
  const costUsd = state.costUsd + signal.usage.costUsd;
  const { run: going } = state;
  const isOther = going !== null && going.runId !== "" && going.runId !== signal.run;
  if (signal.reason === WITHDRAWN) return { state: { ...state, waiting }, effects: [] };
  if (signal.mergedInto !== null || isOther) return { state: { ...state, waiting, costUsd }, effects };
  const over = thought(state, at);
  const { status, error, reason, usage } = signal;
  const tookMs = state.run === null ? null : at - state.run.since;
  const why = status === "ok" ? null : (error ?? reason);
  effects.push(...over.effects, { do: "print", entry: { kind: "ended", status, error: why, tookMs, usage } });
  effects.push({ do: "measure" });
  const run = state.run?.runId === signal.run || state.run?.runId === "" ? null : state.run;
  return { state: { ...over.state, run, waiting, costUsd, calls: {}, fate: "next" }, effects };
}

function said(text: string): Effect {
  return { do: "print", entry: { kind: "said", text } };
}

function print(state: State, entry: Entry): Reduced {
  return { state, effects: [{ do: "print", entry }] };
}
