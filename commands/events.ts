// The schema of `gsv chat --json`, version 1: one JSON object a line, `init` first and `result` last, even when it fails.
// It may only grow: a key or type that was printed once keeps its name and meaning. The TypeScript types come from the same data.

import type { Signal, SignalOf } from "../src/abi/signal.ts";

export const EVENT_VERSION = 1;

const STATUSES = ["ok", "error", "aborted", "blocked", "limit", "unavailable", "timeout", "detached"] as const;
const DECISIONS = ["approve", "deny", "withdrawn", "answer", "expired"] as const;
const DELTA_KINDS = ["text", "thinking"] as const;

export type ChatStatus = (typeof STATUSES)[number];

interface Kinds {
  text: string;
  "text?": string | null;
  int: number;
  "number?": number | null;
  flag: boolean;
  object: object;
  "object?": object | null;
  status: ChatStatus;
  decision: (typeof DECISIONS)[number];
  deltaKind: (typeof DELTA_KINDS)[number];
}

/** Fields of every event: the process and its parent. Null until known. */
const COMMON = { pid: "text?", parent: "text?", run: "text?" } as const;

/** Keys of each type besides the common ones; `?` marks what may be null. No key is ever left out. */
export const EVENT_TYPES = {
  init: { v: "int", model: "text?" },
  "message.delta": { turn: "int", kind: "deltaKind", text: "text" },
  message: { turn: "int", seq: "int", text: "text", thinking: "text?" },
  "tool.start": { callId: "text", tool: "text", call: "text", args: "object" },
  "tool.end": { callId: "text", tool: "text", call: "text", ok: "flag", seq: "int", output: "text" },
  "approval.request": {
    id: "text",
    kind: "text",
    tool: "text",
    call: "text",
    args: "object",
    why: "text",
    about: "object?",
    hash: "text",
  },
  "approval.resolved": { id: "text", decision: "decision", by: "text" },
  compaction: {
    fromSeq: "int",
    toSeq: "int",
    seq: "int",
    tokensBefore: "int",
    tokensAfter: "int",
    summarised: "flag",
    cause: "text",
  },
  retry: { turn: "int", attempt: "int", reason: "text", class: "text?", until: "number?", putAside: "flag" },
  warning: { message: "text" },
  result: {
    status: "status",
    exit: "int",
    text: "text?",
    error: "text?",
    model: "text?",
    mergedInto: "text?",
    usage: "object?",
    costUsd: "number?",
  },
} as const;

type Types = typeof EVENT_TYPES;
type Shape<T extends { readonly [key: string]: keyof Kinds }> = { readonly [K in keyof T]: Kinds[T[K]] };

export type ChatEventOf<T extends keyof Types> = { readonly type: T } & Shape<typeof COMMON> & Shape<Types[T]>;
export type ChatEvent = { [T in keyof Types]: ChatEventOf<T> }[keyof Types];

/** null for signals without an event. */
export function toEvent(signal: Signal): ChatEvent | null {
  const common = { pid: signal.pid, parent: signal.parent, run: "run" in signal ? signal.run : null };
  switch (signal.name) {
    case "chat.delta":
      return { type: "message.delta", ...common, turn: signal.turn, kind: signal.kind, text: signal.text };
    case "chat.text": {
      const { turn, seq, text, thinking = null } = signal;
      return { type: "message", ...common, turn, seq, text, thinking };
    }
    case "chat.tool_call": {
      const { callId, tool, call, args } = signal;
      return { type: "tool.start", ...common, callId, tool, call, args };
    }
    case "chat.tool_result": {
      const { callId, tool, call, ok, seq, output } = signal;
      return { type: "tool.end", ...common, callId, tool, call, ok, seq, output };
    }
    case "chat.hil": {
      const { id, kind, tool, call, args, why, about, hash } = signal;
      return { type: "approval.request", ...common, id, kind, tool, call, args, why, about, hash };
    }
    case "chat.hil_closed":
      return { type: "approval.resolved", ...common, id: signal.id, decision: signal.decision, by: signal.by };
    case "chat.compacted": {
      const { fromSeq, toSeq, seq, tokensBefore, tokensAfter, model, cause } = signal;
      const tokens = { tokensBefore, tokensAfter };
      return { type: "compaction", ...common, fromSeq, toSeq, seq, ...tokens, summarised: model !== null, cause };
    }
    case "chat.restart":
      return { type: "retry", ...common, ...retryOf(signal) };
    default:
      return null;
  }
}

function retryOf({ turn, attempt, reason, class: failureClass, until, putAside }: SignalOf<"chat.restart">) {
  return { turn, attempt, reason, class: failureClass, until, putAside };
}

const SCHEMAS: { readonly [K in keyof Kinds]: object } = {
  text: { type: "string" },
  "text?": { type: ["string", "null"] },
  int: { type: "integer" },
  "number?": { type: ["number", "null"] },
  flag: { type: "boolean" },
  object: { type: "object" },
  "object?": { type: ["object", "null"] },
  status: { enum: STATUSES },
  decision: { enum: DECISIONS },
  deltaKind: { enum: DELTA_KINDS },
};

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** Schema of one line of `gsv chat --output jsonl`. Later versions may add keys. */
export function eventSchema(): object {
  const title = `gsv chat --output jsonl, version ${EVENT_VERSION}: one event a line, init first and result last`;
  const types = Object.keys(EVENT_TYPES) as (keyof Types)[];
  return { $schema: DRAFT, title, oneOf: types.map(shapeOf) };
}

export function resultSchema(): object {
  return { $schema: DRAFT, ...shapeOf("result") };
}

function shapeOf(type: keyof Types): object {
  const keys: { readonly [key: string]: keyof Kinds } = { ...COMMON, ...EVENT_TYPES[type] };
  const properties = Object.entries(keys).map(([key, kind]) => [key, SCHEMAS[kind]]);
  return {
    title: type,
    type: "object",
    properties: { type: { const: type }, ...Object.fromEntries(properties) },
    required: ["type", ...Object.keys(keys)],
  };
}
