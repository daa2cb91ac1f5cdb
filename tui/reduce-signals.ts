// What the kernel tells, as the next state: of the process one talks to all that is said and done, of the others what wants an answer and
// what ended. Pure.

import { COMPACTING, compactedText } from "../commands/compacted.ts";
import { initPid } from "../src/abi/ids.ts";
import type { Signal } from "../src/abi/signal.ts";
import type { Ask, Effect, Entry, Reduced, Running, State } from "./state.ts";

const NOTICE_MS = 8000;

export function onSignal(state: State, signal: Signal, at: number): Reduced {
  if (signal.name === "chat.hil") return asked(state, { ...signal, since: at });
  if (signal.name === "chat.hil_closed") return closed(state, signal.id, signal.decision, signal.by);
  if (signal.pid !== state.pid) return elsewhere(state, signal, at);
  switch (signal.name) {
    case "chat.start":
      return started(state, signal.run, signal.model, at);
    case "chat.delta":
      return grown(state, signal, at);
    case "chat.text":
      return print(doing(state, "thinking", "", at), { kind: "text", turn: signal.turn, text: signal.text });
    case "chat.restart":
      // What holds a run that is put aside is said with its state.
      if (signal.putAside) return { state: doing(state, "thinking", "", at), effects: [] };
      return print(doing(state, "thinking", "", at), { kind: "again", reason: signal.reason });
    case "chat.tool_call":
      return {
        state: doing(
          state,
          "tool",
          `${signal.tool} ${subjectOf(signal.tool, signal.args)}`,
          at,
          signal.callId,
          signal.args,
        ),
        effects: [],
      };
    case "chat.tool_result":
      return toolDone(state, signal, at);
    case "chat.complete":
      return completed(state, signal);
    case "chat.compacting":
      return print(state, { kind: "note", text: COMPACTING });
    case "chat.compacted":
    case "process.compacted":
      return print(state, { kind: "note", text: `compacted ${compactedText(signal)}` });
    case "process.state":
      return { state: { ...state, state: signal.state, waitsFor: signal.waitsFor }, effects: [] };
    case "process.budget":
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

/** What a call is about, in a few words: the first of its arguments that says so. */
export function subjectOf(tool: string, args: object): string {
  const values = args as { readonly [name: string]: unknown };
  if (tool === "Search" && typeof values.query === "string") return `${values.query} in ${values.path ?? "~"}`;
  for (const name of ["command", "path", "question", "pattern", "query", "url", "pid", "message", "code"]) {
    const value = values[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return Object.keys(values).length === 0 ? "" : JSON.stringify(values);
}

function elsewhere(state: State, signal: Signal, at: number): Reduced {
  if (signal.name !== "chat.complete" && signal.name !== "process.exit") return { state, effects: [] };
  const how = signal.name === "process.exit" ? "ended" : signal.status === "ok" ? "done" : signal.status;
  return { state: { ...state, notice: { text: `${signal.pid} ${how}`, until: at + NOTICE_MS } }, effects: [] };
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
  const next = { ...state, asks, answering: asks.length > 0 && state.answering };
  return print(next, { kind: "decided", ask, decision, by: by === state.who.username ? null : by });
}

function started(state: State, runId: string, model: string, at: number): Reduced {
  const taken = state.waiting.filter((message) => message.runId === runId);
  const waiting = state.waiting.filter((message) => message.runId !== runId);
  const run: Running = { runId, doing: "thinking", what: "", since: at, chars: 0 };
  return { state: { ...state, model, run, waiting }, effects: taken.map(({ text }) => said(text)) };
}

function grown(state: State, { kind, turn, text, run }: Signal & { readonly name: "chat.delta" }, at: number): Reduced {
  const before = state.run ?? { runId: run, doing: "thinking", what: "", since: at, chars: 0 };
  const now = kind === "text" ? "writing" : "thinking";
  const next = { ...before, doing: now, what: "", chars: before.chars + text.length } as const;
  return print({ ...state, run: next }, { kind: kind === "text" ? "grows" : "thinks", turn, text });
}

function doing(state: State, what: Running["doing"], about: string, at: number, callId?: string, args?: object): State {
  const run = state.run ?? { runId: "", doing: what, what: about, since: at, chars: 0 };
  const calls = callId === undefined ? state.calls : { ...state.calls, [callId]: { args: args ?? {}, at } };
  return { ...state, run: { ...run, doing: what, what: about }, calls };
}

function toolDone(state: State, signal: Signal & { readonly name: "chat.tool_result" }, at: number): Reduced {
  const { [signal.callId]: call, ...calls } = state.calls;
  const next = { ...doing(state, "thinking", "", at), calls, lastOutput: signal.output };
  return print(next, {
    kind: "result",
    tool: signal.tool,
    args: call?.args ?? {},
    ok: signal.ok,
    output: signal.output,
    tookMs: call === undefined ? null : at - call.at,
  });
}

function completed(state: State, signal: Signal & { readonly name: "chat.complete" }): Reduced {
  const taken = state.waiting.filter((message) => message.runId === signal.run);
  const waiting = state.waiting.filter((message) => message.runId !== signal.run);
  const effects: Effect[] = taken.map(({ text }) => said(text));
  const costUsd = state.costUsd + signal.usage.costUsd;
  if (signal.mergedInto !== null) return { state: { ...state, waiting, costUsd }, effects };
  const { status, error, reason } = signal;
  effects.push({ do: "print", entry: { kind: "ended", status, error: status === "ok" ? null : (error ?? reason) } });
  const run = state.run?.runId === signal.run || state.run?.runId === "" ? null : state.run;
  return { state: { ...state, run, waiting, costUsd, calls: {} }, effects };
}

function said(text: string): Effect {
  return { do: "print", entry: { kind: "said", text } };
}

function print(state: State, entry: Entry): Reduced {
  return { state, effects: [{ do: "print", entry }] };
}
