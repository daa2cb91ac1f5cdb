// What the transcript shows as one line and keeps the rest of: thinking, and calls with what came of them. ctrl-o opens the newest, and
// again the one before. Bounded: the oldest go. Pure.

import { lineDiff } from "../../src/lib/text/line-diff.ts";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import { diffRows } from "../cards/diff.ts";
import { themeOf } from "../screen/theme.ts";
import type { Collapsed } from "../state/process.ts";
import type { State } from "../state/state.ts";
import { subjectOf } from "./subject.ts";

/** What is kept has no colours: whoever shows it gives them. */
const PLAIN = themeOf({ colour: false, unicode: true });

export interface Opened {
  readonly fold: Collapsed;
  /** Of those there are, counted from the newest. */
  readonly nth: number;
  readonly count: number;
}

const COLLAPSED_MAX = 50;
const CHARS_MAX = 2 * 1024 * 1024;
const DIFF_LINES_MAX = 2000;

export function withCollapsed(collapsed: readonly Collapsed[], fold: Collapsed): readonly Collapsed[] {
  const kept = [...collapsed.slice(1 - COLLAPSED_MAX), { ...fold, text: fold.text.slice(0, CHARS_MAX) }];
  let chars = kept.reduce((sum, { text }) => sum + text.length, 0);
  while (chars > CHARS_MAX && kept.length > 1) chars -= kept.shift()?.text.length ?? 0;
  return kept;
}

/** The next to open; calls that go on come first. Null where there is nothing. */
export function nextCollapsed({
  collapsed,
  calls,
  opened,
}: Pick<State, "collapsed" | "calls" | "opened">): Opened | null {
  const going = Object.values(calls).map(({ tool, args }) => collapsedCall(tool, args, null));
  const all = [...collapsed, ...going];
  const nth = opened === null ? 0 : Math.min(opened + 1, all.length - 1);
  const fold = all.at(-1 - nth);
  return fold === undefined ? null : { fold, nth, count: all.length };
}

/** A call with what came of it; null while it goes on. */
export function collapsedCall(tool: string, args: object, output: string | null): Collapsed {
  const diff = diffOf(args, placeIn(output));
  const rest = Object.entries(args).filter(([name]) => diff === null || !CHANGES.has(name));
  const asked = rest.map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
  const parts = [asked.join("\n"), ...(diff === null ? [] : [diff.text]), output ?? "(it goes on)"];
  return { title: `${tool} ${subjectOf(tool, args)}`, text: parts.filter((part) => part !== "").join("\n\n") };
}

const CHANGES = new Set(["content", "oldString", "newString"]);

export interface Difference {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

/** The line that an answer to Edit names; null where it names none. */
function placeIn(output: string | null): number | null {
  const named = /^replaced \d+ in .*, (?:the first )?at line (\d+)$/m.exec(output ?? "")?.[1];
  return named === undefined ? null : Number(named);
}

/** Of a call that changes a piece of a file, numbered where it is known at which line that begins; null of any other. */
export function diffOf(args: object, line: number | null = null): Difference | null {
  const { oldString, newString } = args as { readonly [name: string]: unknown };
  if (typeof oldString !== "string" || typeof newString !== "string") return null;
  const text = lineDiff(oldString, newString, DIFF_LINES_MAX);
  if (text === null) return null;
  const lines = text.split("\n").slice(1);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  const moved = (_: string, first: string) => `@@ line ${Number(first) + (line ?? 0) - 1} @@`;
  const numbered = () => Bun.stripANSI(diffRows(text.replace(/^@@ line (\d+) @@/, moved), Infinity, PLAIN).join("\n"));
  return { text: line === null ? lines.join("\n") : numbered(), added: count("+"), removed: count("-") };
}

/** Of what was said before one came. */
export function collapsedOf({ messages }: HistoryPage): readonly Collapsed[] {
  const asked = new Map<string, object>();
  return messages.flatMap((message): Collapsed[] => {
    if (message.role === "assistant") {
      const { thinking = "", toolCalls = [] } = message.content;
      for (const { id, args } of toolCalls) asked.set(id, args);
      return thinking === "" ? [] : [{ title: "thinking", text: thinking }];
    }
    if (message.role !== "toolResult") return [];
    const { toolName, toolCallId, output } = message.content;
    return [collapsedCall(toolName, asked.get(toolCallId) ?? {}, output)];
  });
}

/** Calls of the run that goes on that have no result yet. */
export function openCallsOf({ messages }: HistoryPage, now: number): State["calls"] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const message = messages[last];
  if (message?.role !== "assistant") return {};
  const over = messages.slice(last).map((each) => (each.role === "toolResult" ? each.content.toolCallId : ""));
  const open = (message.content.toolCalls ?? []).filter(({ id }) => !over.includes(id));
  return Object.fromEntries(open.map(({ id, name: tool, args }) => [id, { tool, args, at: now }]));
}
