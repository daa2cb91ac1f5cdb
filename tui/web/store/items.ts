// A conversation as items of a list: each has a key that stays, so that finished items are painted once. Pure.

import { withoutHostCommands } from "../../../src/abi/process/host-commands.ts";
import { FAILED_NOTE, type MediaRef, type Message } from "../../../src/abi/process/message.ts";
import type { Ask } from "../../state/asks.ts";
import type { Note, Sending, Talk } from "./talk.ts";

export interface CallItem {
  readonly kind: "call";
  readonly key: string;
  readonly tool: string;
  readonly args: object;
  /** null while it runs. */
  readonly result: { readonly ok: boolean; readonly output: string; readonly tookMs: number | null } | null;
  readonly since: number;
}

export type Item =
  | {
      readonly kind: "message";
      readonly key: string;
      readonly text: string;
      readonly at: number;
      /** Not from a person: the process that sent it. */
      readonly from: string | null;
      readonly media: readonly MediaRef[];
    }
  | {
      readonly kind: "answer";
      readonly key: string;
      readonly text: string;
      readonly isOpen: boolean;
      readonly isPart: boolean;
    }
  | { readonly kind: "thought"; readonly key: string; readonly text: string; readonly isOpen: boolean }
  | { readonly kind: "event"; readonly key: string; readonly text: string }
  | { readonly kind: "note"; readonly key: string; readonly note: Note }
  | { readonly kind: "sending"; readonly key: string; readonly message: Sending }
  | CallItem;

const made = new WeakMap<Message, readonly Item[]>();

/** A call that waits for an answer is on its card, and not in the list. */
export function itemsOf(talk: Talk, asks: readonly Ask[]): readonly Item[] {
  const { messages, notes, calls, open, thinking, sending, hasMoreBefore } = talk;
  const argsOf = new Map<string, object>();
  const items: Item[] = [];
  let note = 0;
  const notesUpTo = (seq: number) => {
    for (; note < notes.length && (notes[note]?.after ?? 0) <= seq; note++) {
      const each = notes[note];
      if (each !== undefined) items.push({ kind: "note", key: `n${note}`, note: each.note });
    }
  };
  // Those of messages that are not loaded would stand before the first one.
  const first = hasMoreBefore ? (messages[0]?.id ?? 0) : 0;
  while (note < notes.length && (notes[note]?.after ?? 0) < first) note++;
  for (const message of messages) {
    notesUpTo(message.id - 1);
    if (message.role === "assistant") for (const { id, args } of message.content.toolCalls ?? []) argsOf.set(id, args);
    items.push(...itemsOfMessage(message, talk, argsOf));
  }
  notesUpTo(Number.POSITIVE_INFINITY);
  if (thinking !== "") items.push({ kind: "thought", key: "thinking", text: thinking, isOpen: true });
  if (open !== null) items.push({ kind: "answer", key: "open", text: open.text, isOpen: true, isPart: open.isPart });
  const asked = new Set(asks.map((ask) => `${ask.tool} ${JSON.stringify(ask.args)}`));
  const running = Object.entries(calls).filter(([, { tool, args }]) => !asked.has(`${tool} ${JSON.stringify(args)}`));
  for (const [callId, { tool, args, at }] of running)
    items.push({ kind: "call", key: `c${callId}`, tool, args, result: null, since: at });
  for (const message of sending) items.push({ kind: "sending", key: `s${message.key}`, message });
  return items;
}

function itemsOfMessage(message: Message, talk: Talk, argsOf: ReadonlyMap<string, object>): readonly Item[] {
  const known = made.get(message);
  if (known !== undefined) return known;
  const items = newItems(message, talk, argsOf);
  made.set(message, items);
  return items;
}

function newItems(
  message: Message,
  { argsOf: live, tookMs }: Talk,
  argsOf: ReadonlyMap<string, object>,
): readonly Item[] {
  const key = String(message.id);
  switch (message.role) {
    case "user": {
      const from = message.origin?.kind === "process" ? message.origin.pid : null;
      const { content, media = [], timestamp: at } = message;
      return [{ kind: "message", key, text: withoutHostCommands(content), at, from, media }];
    }
    case "assistant": {
      const { text, thinking = "" } = message.content;
      return [
        ...(thinking === "" ? [] : [{ kind: "thought", key: `${key}t`, text: thinking, isOpen: false } as const]),
        ...(text === "" ? [] : [{ kind: "answer", key, text, isOpen: false, isPart: false } as const]),
      ];
    }
    case "toolResult": {
      const { toolName: tool, toolCallId, isError, output } = message.content;
      const args = live[message.id] ?? argsOf.get(toolCallId) ?? {};
      const result = { ok: !isError, output, tookMs: tookMs[message.id] ?? null };
      return [{ kind: "call", key, tool, args, result, since: message.timestamp }];
    }
    default: {
      const { content } = message;
      if (!content.startsWith(FAILED_NOTE)) return [{ kind: "event", key, text: content }];
      return [{ kind: "note", key, note: { kind: "failure", text: content.slice(FAILED_NOTE.length).trim() } }];
    }
  }
}
