// Reduces signals of the kernel: all of the attached process; of others, requests and ends. Pure.

import { COMPACTING, compactedText } from "../../commands/history/compacted.ts";
import { initPid } from "../../src/abi/ids.ts";
import type { Signal, SignalOf } from "../../src/abi/signal.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { collapsedCall, withCollapsed } from "../talk/collapsed.ts";
import { failuresOf, reasonOf } from "../talk/failures.ts";
import { subjectOf } from "../talk/subject.ts";
import type { Ask } from "./asks.ts";
import { act, type Effect, note, only, print, type Reduced } from "./effect.ts";
import { nameIn } from "./names.ts";
import { onNews } from "./news.ts";
import { type ActiveRun, NEW_RUN, type Waiting } from "./process.ts";
import { noticed, type State, set } from "./state.ts";

/** The reason of a `chat.complete` for a message that was withdrawn before any run took it. */
const WITHDRAWN = "user.withdrawn";
/** Closes requests that expire or whose run ends. */
const KERNEL = "kernel";

export function onSignal(state: State, signal: Signal, at: number): Reduced {
  if (signal.name === "chat.hil") return asked(state, { ...signal, since: at });
  if (signal.name === "chat.hil_closed") return closed(state, signal);
  if (signal.name === "notification.created" || signal.name === "notification.updated") return onNews(state, signal);
  if (signal.pid !== state.process.pid) return elsewhere(state, signal, at);
  switch (signal.name) {
    case "chat.start":
      return started(state, signal, at);
    case "chat.entered":
      return entered(state, signal);
    case "chat.delta":
      return delta(state, signal, at);
    case "chat.text":
      return text(state, signal, at);
    case "chat.restart":
      return retried(state, signal, at);
    case "chat.tool_call":
      return called(state, signal, at);
    case "chat.tool_progress":
      return only(advanced(state, signal));
    case "chat.tool_result":
      return toolDone(state, signal, at);
    case "chat.complete":
      return completed(state, signal, at);
    case "chat.compacting":
      return act(state, note(COMPACTING));
    case "chat.compacted":
    case "process.compacted":
      return act(state, note(`Compacted ${compactedText(signal)}`), { do: "measure" });
    case "process.state": {
      const { state: now, waitsFor } = signal;
      const stateSince = state.process.state === now ? state.process.stateSince : at;
      const [failure] = failuresOf(signal);
      const isNew = now !== state.process.state || reasonOf(waitsFor) !== reasonOf(state.process.waitsFor);
      const shown = failure?.kind === "failure" && isNew ? [print(failure)] : [];
      return act(set(state, "process", { state: now, waitsFor, stateSince }), ...shown);
    }
    case "process.mode":
      return only(set(state, "process", { mode: signal.mode }));
    case "process.budget":
    case "process.credits":
    case "process.hook":
      return act(state, note(signal.text));
    case "process.reset":
      return act(state, note(signal.archive === null ? "Reset" : `Reset · archive ${signal.archive}`));
    case "process.exit":
      return act(set(state, "chat", { run: null }), note(`${reveal(nameIn(state, signal))} ended`), {
        do: "attach",
        pid: initPid(state.who.uid),
      });
    case "resync":
      return act(state, { do: "catch-up", afterSeq: signal.afterSeq });
    default:
      return only(state);
  }
}

function elsewhere(state: State, signal: Signal, at: number): Reduced {
  if (signal.name !== "chat.complete" && signal.name !== "process.exit") return only(state);
  const how = signal.name === "process.exit" ? "ended" : signal.status === "ok" ? "done" : signal.status;
  return only(noticed(state, `${reveal(nameIn(state, signal))} ${how}`, at, { isNews: true }));
}

function asked(state: State, ask: Ask): Reduced {
  const { asks } = state.asking;
  if (asks.some(({ id }) => id === ask.id)) return only(state);
  const { id, kind, pid, label = null, tool, call, args, why, about, hash, expiresAt, since } = ask;
  const shown = { id, kind, pid, label, tool, call, args, why, about, hash, expiresAt, since };
  const next = set(state, "asking", { asks: [...asks, shown] });
  return pid === state.process.pid ? only(next) : act(next, { do: "learn-names" });
}

function closed(state: State, { id, decision, by }: SignalOf<"chat.hil_closed">): Reduced {
  const ask = state.asking.asks.find((each) => each.id === id);
  if (ask === undefined) return only(state);
  const asks = state.asking.asks.filter((each) => each.id !== id);
  const shown = print({ kind: "decided", ask, decision, by: ask.isOurs || by === KERNEL ? null : by });
  return act(set(state, "asking", { asks }), shown);
}

function started(state: State, { run: runId, model }: SignalOf<"chat.start">, at: number): Reduced {
  const { run: before } = state.chat;
  const { taken, waiting } = takenBy(state, (id) => id === runId);
  const since = before?.runId === "" || before?.runId === runId ? before.since : at;
  const run = { ...NEW_RUN, runId, since, sinceDoing: at };
  const next = set(set(state, "process", { model, standIn: null }), "chat", { run, waiting, thinking: null });
  return act(next, ...taken.map(message));
}

/** Messages that a run takes at a step stand between the output before and after it. */
function entered(state: State, { messages }: SignalOf<"chat.entered">): Reduced {
  const runs = new Set(messages.map(({ run }) => run));
  const { taken, waiting } = takenBy(state, (id) => runs.has(id));
  return act(set(state, "chat", { waiting }), ...taken.map(message));
}

function takenBy({ chat: { waiting } }: State, isTaken: (runId: string) => boolean) {
  const taken = waiting.filter(({ runId }) => runId !== null && isTaken(runId));
  return { taken, waiting: taken.length === 0 ? waiting : waiting.filter((each) => !taken.includes(each)) };
}

function message({ text }: Waiting): Effect {
  return print({ kind: "message", text });
}

function delta(state: State, { kind, turn, text, run: runId }: SignalOf<"chat.delta">, at: number): Reduced {
  const before = state.chat.run ?? { ...NEW_RUN, runId, since: at, sinceDoing: at };
  const doing = kind === "text" ? "writing" : "thinking";
  const sinceDoing = before.doing === doing ? before.sinceDoing : at;
  const run: ActiveRun = { ...before, doing, what: "", sinceDoing, chars: before.chars + text.length };
  if (kind === "thinking") {
    const { thinking } = state.chat;
    const more = { text: (thinking?.text ?? "") + text, since: thinking?.since ?? at };
    return only(set(state, "chat", { run, thinking: more }));
  }
  const over = thought(set(state, "chat", { run }), at);
  return act(over.state, ...over.effects, print({ kind: "delta", turn, text }));
}

function text(state: State, { turn, text, thinking = "" }: SignalOf<"chat.text">, at: number): Reduced {
  const { chat } = state;
  const isUnseen = thinking !== "" && chat.thinking === null && chat.run?.doing !== "writing";
  const seen = isUnseen ? set(state, "chat", { thinking: { text: thinking, since: at } }) : state;
  const over = thought(seen, at);
  return act(doing(over.state, "thinking", "", at), ...over.effects, print({ kind: "text", turn, text }));
}

function retried(state: State, signal: SignalOf<"chat.restart">, at: number): Reduced {
  const over = thought(state, at);
  const next = withStandIn(doing(over.state, "thinking", "", at), signal);
  // The reason of a paused run comes with the state of its process.
  if (signal.putAside) return act(next, ...over.effects);
  return act(next, ...over.effects, print({ kind: "retry", reason: signal.reason }));
}

function withStandIn(state: State, { fallbackModel, class: failed }: SignalOf<"chat.restart">): State {
  const { model, standIn } = state.process;
  if (fallbackModel === undefined || model === null) return state;
  return set(state, "process", {
    model: fallbackModel,
    standIn: { of: standIn?.of ?? model, model: fallbackModel, class: failed },
  });
}

/** Thinking is over: it collapses to one line. */
function thought(state: State, at: number): Reduced {
  const { thinking, collapsed } = state.chat;
  if (thinking === null) return only(state);
  const kept = withCollapsed(collapsed, { title: "thinking", text: thinking.text });
  const entry = print({ kind: "thought", tookMs: at - thinking.since });
  return act(set(state, "chat", { thinking: null, collapsed: kept }), entry);
}

function doing(state: State, what: ActiveRun["doing"], about: string, at: number): State {
  const run = state.chat.run ?? { ...NEW_RUN, since: at };
  return set(state, "chat", { run: { ...run, doing: what, what: about, sinceDoing: at } });
}

function called(state: State, { tool, args, callId }: SignalOf<"chat.tool_call">, at: number): Reduced {
  const over = thought(state, at);
  const next = doing(over.state, "tool", `${tool} ${subjectOf(tool, args)}`, at);
  const calls = { ...next.chat.calls, [callId]: { tool, args, at } };
  return act(set(next, "chat", { calls }), ...over.effects);
}

/** Shows how far the call is that the run shows. */
function advanced(state: State, { callId, text }: SignalOf<"chat.tool_progress">): State {
  const { calls, run } = state.chat;
  const call = calls[callId];
  if (call === undefined || run === null || run.doing !== "tool" || run.sinceDoing !== call.at) return state;
  return set(state, "chat", { run: { ...run, what: `${call.tool} ${subjectOf(call.tool, call.args)} · ${text}` } });
}

function toolDone(state: State, signal: SignalOf<"chat.tool_result">, at: number): Reduced {
  const { tool, ok, output } = signal;
  const { [signal.callId]: call, ...calls } = state.chat.calls;
  const args = call?.args ?? {};
  const collapsed = withCollapsed(state.chat.collapsed, collapsedCall(tool, args, output));
  // Another call of the same turn may still run.
  const [other] = Object.values(calls);
  const next =
    other === undefined
      ? doing(state, "thinking", "", at)
      : doing(state, "tool", `${other.tool} ${subjectOf(other.tool, other.args)}`, other.at);
  const tookMs = call === undefined ? null : at - call.at;
  const entry = print({ kind: "result", tool, args, ok, output, tookMs });
  return act(set(next, "chat", { calls, collapsed }), entry);
}

function completed(state: State, signal: SignalOf<"chat.complete">, at: number): Reduced {
  const { run } = state.chat;
  const { taken, waiting } = takenBy(state, (id) => id === signal.run);
  const rest = set(state, "chat", { waiting });
  if (signal.reason === WITHDRAWN) return only(rest);
  const effects = taken.map(message);
  const paid = set(rest, "process", { costUsd: state.process.costUsd + signal.usage.costUsd });
  const isOther = run !== null && run.runId !== "" && run.runId !== signal.run;
  if (signal.mergedInto !== null || isOther) return act(paid, ...effects);
  const over = thought(paid, at);
  const { status, error, reason, usage } = signal;
  const ended = print({
    kind: "ended",
    status,
    error: status === "ok" ? null : (error ?? reason),
    tookMs: run === null ? null : at - run.since,
    usage,
  });
  const next = set(over.state, "chat", { run: null, calls: {}, fate: "next" });
  return act(next, ...effects, ...over.effects, ended, { do: "measure" });
}
