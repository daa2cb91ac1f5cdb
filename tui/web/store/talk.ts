// One conversation: its stored messages, in order and without a gap, and what is happening after the last of them. Signals carry the number of
// the message that they report; after a gap, the messages are read again. Pure.

import type { Message } from "../../../src/abi/process/message.ts";
import type { Usage } from "../../../src/abi/process/process.ts";
import type { Signal, SignalOf } from "../../../src/abi/signal.ts";
import type { HistoryPage } from "../../../src/syscalls/services.ts";
import type { Ask } from "../../state/asks.ts";
import type { Fate, OpenCall } from "../../state/process.ts";
import { subjectOf } from "../../talk/subject.ts";

export interface Doing {
  readonly runId: string;
  readonly word: "thinking" | "writing" | "running";
  /** The call that runs. */
  readonly what: string;
  readonly since: number;
  readonly chars: number;
  /** The page came in the middle of this run: the beginning of its text may be missing. */
  readonly isJoined?: true;
}

/** A message of this page that no run has taken yet. */
export interface Sending {
  readonly key: string;
  readonly text: string;
  readonly fate: Fate;
  /** null until the kernel has it. */
  readonly runId: string | null;
}

export type Note =
  | { readonly kind: "decided"; readonly ask: Ask; readonly decision: string; readonly by: string | null }
  | { readonly kind: "ended"; readonly status: string; readonly tookMs: number; readonly usage: Usage }
  | { readonly kind: "failure" | "line"; readonly text: string };

export interface Talk {
  readonly pid: string;
  readonly messages: readonly Message[];
  readonly isRead: boolean;
  readonly hasMoreBefore: boolean;
  /** Messages are missing here: read those after the last one. */
  readonly isBehind: boolean;
  /** Arguments of calls whose results came as signals, by the number of the result. */
  readonly argsOf: { readonly [seq: number]: object };
  readonly tookMs: { readonly [seq: number]: number };
  readonly calls: { readonly [callId: string]: OpenCall };
  /** The answer in the making. `isPart`: its beginning was not seen here. */
  readonly open: { readonly turn: number; readonly text: string; readonly isPart: boolean } | null;
  readonly thinking: string;
  readonly doing: Doing | null;
  readonly sending: readonly Sending[];
  /** Shown after the message with this number. */
  readonly notes: readonly { readonly after: number; readonly note: Note }[];
}

export function newTalk(pid: string): Talk {
  return {
    ...{ pid, messages: [], isRead: false, hasMoreBefore: false, isBehind: false, argsOf: {}, tookMs: {}, calls: {} },
    ...{ open: null, thinking: "", doing: null, sending: [], notes: [] },
  };
}

export function lastSeq({ messages }: Talk): number {
  return messages.at(-1)?.id ?? 0;
}

/** The newest page, or the messages after the last one. */
export function withPage(talk: Talk, page: HistoryPage, now: number): Talk {
  const kept = talk.messages.filter(({ id }) => id < (page.messages[0]?.id ?? Infinity));
  const isJoined =
    kept.length === 0 || kept.at(-1)?.id === (page.messages[0]?.id ?? 0) - 1 || page.messages.length === 0;
  const messages = isJoined ? [...kept, ...page.messages] : page.messages;
  const isNew = !talk.isRead || !isJoined;
  const next = { ...talk, messages, isRead: true, isBehind: page.hasMoreAfter };
  const taken = new Set(page.messages.map(({ runId }) => runId));
  const sending = talk.sending.filter(({ runId }) => runId === null || !taken.has(runId));
  return {
    ...next,
    sending,
    hasMoreBefore: isNew ? page.hasMoreBefore : talk.hasMoreBefore,
    calls: openCalls(next, page.activeRunId, now),
    doing: page.activeRunId === null ? null : (talk.doing ?? { ...doing(page.activeRunId, now), isJoined: true }),
    open: page.activeRunId === null ? null : talk.open,
  };
}

export function withOlder(talk: Talk, page: HistoryPage): Talk {
  const first = talk.messages[0]?.id ?? Infinity;
  const older = page.messages.filter(({ id }) => id < first);
  return { ...talk, messages: [...older, ...talk.messages], hasMoreBefore: page.hasMoreBefore && older.length > 0 };
}

export function onTalkSignal(talk: Talk, signal: Signal, now: number): Talk {
  switch (signal.name) {
    case "chat.start":
      return behind({ ...talk, doing: doing(signal.run, now), open: null, thinking: "", calls: {} });
    case "chat.entered":
      return behind(talk);
    case "chat.delta":
      return delta(talk, signal, now);
    case "chat.text":
      return text(talk, signal, now);
    case "chat.tool_call": {
      const { callId, tool, args } = signal;
      const calls = { ...talk.calls, [callId]: { tool, args, at: now } };
      return { ...talk, calls, doing: running(talk, signal.run, `${tool} ${subjectOf(tool, args)}`, now) };
    }
    case "chat.tool_progress": {
      const call = talk.calls[signal.callId];
      if (call === undefined || talk.doing === null) return talk;
      const what = `${call.tool} ${subjectOf(call.tool, call.args)} · ${signal.text}`;
      return { ...talk, doing: { ...talk.doing, what } };
    }
    case "chat.tool_result":
      return result(talk, signal, now);
    case "chat.restart":
      return noted({ ...talk, open: null, thinking: "" }, { kind: "line", text: `Retrying: ${signal.reason}` });
    case "chat.complete":
      return complete(talk, signal, now);
    case "chat.compacted":
    case "process.compacted":
    case "resync":
      return behind(talk);
    case "process.reset":
      return { ...newTalk(talk.pid), isBehind: true, notes: [{ after: 0, note: { kind: "line", text: "Reset" } }] };
    case "process.budget":
    case "process.credits":
    case "process.hook":
      return noted(talk, { kind: "line", text: signal.text });
    default:
      return talk;
  }
}

export function noted(talk: Talk, note: Note): Talk {
  const { notes } = talk;
  const last = notes.at(-1);
  const isSame = last?.after === lastSeq(talk) && JSON.stringify(last.note) === JSON.stringify(note);
  return isSame ? talk : { ...talk, notes: [...notes, { after: lastSeq(talk), note }] };
}

function behind(talk: Talk): Talk {
  return { ...talk, isBehind: true };
}

function doing(runId: string, now: number): Doing {
  return { runId, word: "thinking", what: "", since: now, chars: 0 };
}

function running({ doing: before }: Talk, runId: string, what: string, now: number): Doing {
  return { ...(before ?? doing(runId, now)), word: "running", what };
}

function delta(talk: Talk, { run, turn, kind, text: more }: SignalOf<"chat.delta">, now: number): Talk {
  const before = talk.doing ?? doing(run, now);
  const chars = before.chars + more.length;
  if (kind === "thinking")
    return { ...talk, thinking: talk.thinking + more, doing: { ...before, word: "thinking", what: "", chars } };
  const isSame = talk.open?.turn === turn;
  const isPart = isSame ? talk.open?.isPart === true : before.isJoined === true && before.chars === 0;
  const open = { turn, text: (isSame ? (talk.open?.text ?? "") : "") + more, isPart };
  return { ...talk, open, doing: { ...before, word: "writing", what: "", chars } };
}

function text(talk: Talk, { run, seq, text: whole, thinking }: SignalOf<"chat.text">, now: number): Talk {
  const content = { text: whole, ...(thinking !== undefined && { thinking }) };
  const message: Message = { id: seq, runId: run, timestamp: now, role: "assistant", content };
  const next = { ...talk, open: null, thinking: "" };
  return { ...withMessage(next, message), doing: { ...(talk.doing ?? doing(run, now)), word: "thinking", what: "" } };
}

function result(talk: Talk, signal: SignalOf<"chat.tool_result">, now: number): Talk {
  const { run, seq, callId, tool, ok, output } = signal;
  const { [callId]: call, ...calls } = talk.calls;
  const content = {
    ...{ toolName: tool, toolCallId: callId, isError: !ok, output },
    outcome: ok ? ("completed" as const) : ("failed" as const),
  };
  const message: Message = { id: seq, runId: run, timestamp: now, role: "toolResult", content };
  const [other] = Object.values(calls);
  const what = other === undefined ? "" : `${other.tool} ${subjectOf(other.tool, other.args)}`;
  const word = other === undefined ? "thinking" : "running";
  return {
    ...withMessage({ ...talk, calls }, message),
    ...(call !== undefined && {
      argsOf: { ...talk.argsOf, [seq]: call.args },
      tookMs: { ...talk.tookMs, [seq]: now - call.at },
    }),
    doing: { ...(talk.doing ?? doing(run, now)), word, what },
  };
}

function complete(talk: Talk, signal: SignalOf<"chat.complete">, now: number): Talk {
  const { run, status, error, usage, mergedInto } = signal;
  const sending = talk.sending.filter(({ runId }) => runId !== run);
  const isOther = mergedInto !== null || (talk.doing !== null && talk.doing.runId !== run);
  if (isOther) return behind({ ...talk, sending });
  const tookMs = talk.doing === null ? 0 : now - talk.doing.since;
  const ended = noted(
    { ...talk, sending, doing: null, open: null, thinking: "", calls: {} },
    {
      kind: "ended",
      ...{ status, tookMs, usage },
    },
  );
  const failed =
    status !== "ok" && status !== "aborted" ? noted(ended, { kind: "failure", text: error ?? status }) : ended;
  return behind(failed);
}

/** Only the next number may follow the last one. */
function withMessage(talk: Talk, message: Message): Talk {
  const last = lastSeq(talk);
  if (message.id <= last) return talk;
  return message.id === last + 1 ? { ...talk, messages: [...talk.messages, message] } : behind(talk);
}

/** Calls of the last answer that have no result yet, if a run is active. */
function openCalls({ messages, calls }: Talk, runId: string | null, now: number): Talk["calls"] {
  if (runId === null) return {};
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const message = messages[last];
  if (message?.role !== "assistant") return calls;
  const over = new Set(messages.slice(last).map((each) => (each.role === "toolResult" ? each.content.toolCallId : "")));
  const open = (message.content.toolCalls ?? []).filter(({ id }) => !over.has(id));
  const known = Object.entries(calls).filter(([id]) => !over.has(id));
  const stored = open.map(({ id, name: tool, args }) => [id, calls[id] ?? { tool, args, at: now }] as const);
  return Object.fromEntries([...known, ...stored]);
}
