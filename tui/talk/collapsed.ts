// Texts that the transcript shows as one line: thinking, and calls with their output. ctrl-o opens the newest, then the one before. The
// oldest are dropped. Pure.

import { FAILED_NOTE } from "../../src/abi/process/message.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import { diffRows } from "../approval-card/diff.ts";
import { themeOf } from "../screen/theme.ts";
import type { Entry } from "../state/effect.ts";
import type { Collapsed, Conversation } from "../state/process.ts";
import { type Change, changeOf, lineIn } from "./change.ts";
import { subjectOf } from "./subject.ts";

const PLAIN = themeOf({ colour: false, unicode: true });

export interface Opened {
  readonly collapsed: Collapsed;
  /** Counted from the newest. */
  readonly nth: number;
  readonly count: number;
}

const COLLAPSED_MAX = 50;
const CHARS_MAX = 2 * 1024 * 1024;

export function withCollapsed(before: readonly Collapsed[], { title, text }: Collapsed): readonly Collapsed[] {
  const kept = [...before.slice(1 - COLLAPSED_MAX), { title, text: text.slice(0, CHARS_MAX) }];
  let chars = kept.reduce((sum, each) => sum + each.text.length, 0);
  while (chars > CHARS_MAX && kept.length > 1) chars -= kept.shift()?.text.length ?? 0;
  return kept;
}

/** The next one to open; running calls come first. null if there is none. */
export function nextCollapsed({ collapsed, calls, opened }: Conversation): Opened | null {
  const running = Object.values(calls).map(({ tool, args }) => collapsedCall(tool, args, null));
  const all = [...collapsed, ...running];
  const nth = opened === null ? 0 : Math.min(opened + 1, all.length - 1);
  const next = all.at(-1 - nth);
  return next === undefined ? null : { collapsed: next, nth, count: all.length };
}

export function collapsedCall(tool: string, args: object, output: string | null): Collapsed {
  const diff = diffOf(args, lineIn(output));
  const rest = Object.entries(args).filter(([name]) => diff === null || !CHANGES.has(name));
  const asked = rest.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  const parts = [asked.join("\n"), ...(diff === null ? [] : [diff.text]), output ?? "(running)"];
  return { title: `${tool} ${subjectOf(tool, args)}`, text: parts.filter((part) => part !== "").join("\n\n") };
}

const CHANGES = new Set(["content", "oldString", "newString"]);

/** Of a call that replaces text, numbered if its `line` is known; null of any other call. */
export function diffOf(args: object, line: number | null = null): Change | null {
  const change = changeOf(args);
  if (change === null || line === null) return change;
  const moved = (_: string, first: string) => `@@ line ${Number(first) + line - 1} @@`;
  const rows = diffRows(`${change.head.replace(/^@@ line (\d+) @@/, moved)}\n${change.text}`, Infinity, PLAIN);
  return { ...change, text: Bun.stripANSI(rows.join("\n")) };
}

export function collapsedOf({ messages }: HistoryPage): readonly Collapsed[] {
  const argsOf = new Map<string, object>();
  return messages.flatMap((message): Collapsed[] => {
    if (message.role === "assistant") {
      const { thinking = "", toolCalls = [] } = message.content;
      for (const { id, args } of toolCalls) argsOf.set(id, args);
      return thinking === "" ? [] : [{ title: "thinking", text: thinking }];
    }
    if (message.role !== "toolResult") return [];
    const { toolName, toolCallId, output } = message.content;
    return [collapsedCall(toolName, argsOf.get(toolCallId) ?? {}, output)];
  });
}

/** Calls of the running turn that have no result yet. */
export function openCallsOf({ messages }: HistoryPage, now: number): Conversation["calls"] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const message = messages[last];
  if (message?.role !== "assistant") return {};
  const over = messages.slice(last).map((each) => (each.role === "toolResult" ? each.content.toolCallId : ""));
  const open = (message.content.toolCalls ?? []).filter(({ id }) => !over.includes(id));
  return Object.fromEntries(open.map(({ id, name: tool, args }) => [id, { tool, args, at: now }]));
}

/** Stored messages as the transcript shows them. */
export function entriesOf({ messages }: HistoryPage): readonly Entry[] {
  // A server may use the ids of an earlier turn again.
  const argsOf = new Map<string, object>();
  // The calls of the first results may be on the page before.
  const first = Math.max(
    0,
    messages.findIndex(({ role }) => role !== "toolResult"),
  );
  return messages.slice(first).flatMap((message): Entry[] => {
    if (message.role === "user") return [{ kind: "message", text: message.content }];
    if (message.role === "assistant") {
      const { text, thinking = "", toolCalls = [] } = message.content;
      for (const { id, args } of toolCalls) argsOf.set(id, args);
      return [
        ...(thinking === "" ? [] : [{ kind: "thought", tookMs: null } as const]),
        ...(text === "" ? [] : [{ kind: "text", turn: -1, text } as const]),
      ];
    }
    if (message.role === "system" && message.content.startsWith(FAILED_NOTE))
      return [{ kind: "failure", reason: message.content.slice(FAILED_NOTE.length).trim() }];
    if (message.role !== "toolResult") return [];
    const { toolName: tool, toolCallId, isError, output } = message.content;
    return [{ kind: "result", tool, args: argsOf.get(toolCallId) ?? {}, ok: !isError, output, tookMs: null }];
  });
}
