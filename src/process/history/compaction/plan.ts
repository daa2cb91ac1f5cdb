// Where a history is cut: what is newer stays as it is, what is older is summarised. The last message always stays, and a result never
// loses the call it answers. Pure; the same history and the same wish give the same cut, and what was cut once is not cut again.

import type { ContextShape } from "../../../store/process/verbs.ts";
import { type Keep, messageTokens } from "./rules.ts";

export interface Cut {
  /** The last message that goes. */
  readonly toSeq: number;
  readonly goes: number;
  readonly stays: number;
  /** What goes, with the summary that stood for what came before it. */
  readonly tokensGone: number;
}

/** Null where there is nothing to cut. */
export function planCut({ rows, isWhole, summaryBytes, segment }: ContextShape, keep: Keep): Cut | null {
  const begin = legalBegin(rows, wantedBegin(rows, keep));
  const first = rows[begin];
  if (first === undefined || (begin === 0 && isWhole)) return null;
  const tokensGone = historyTokens({ rows: rows.slice(0, begin), summaryBytes, segment });
  return { toSeq: first.seq - 1, goes: begin, stays: rows.length - begin, tokensGone };
}

function wantedBegin(rows: ContextShape["rows"], keep: Keep): number {
  let begin = rows.length - 1;
  let tokens = messageTokens(rows[begin]?.bytes ?? 0);
  while (begin > 0 && rows.length - begin < keep.messages) {
    tokens += messageTokens(rows[begin - 1]?.bytes ?? 0);
    if (tokens > keep.tokens) break;
    begin--;
  }
  return begin;
}

// Before a result stands the turn that called for it, or another result of that turn.
function legalBegin(rows: ContextShape["rows"], wanted: number): number {
  let begin = wanted;
  while (begin > 0 && rows[begin]?.role === "toolResult") begin--;
  return rows[begin]?.role === "toolResult" ? rows.findIndex(({ role }) => role !== "toolResult") : begin;
}

/** What the next request takes, by what was counted at the last turn or else by size. Never below zero. */
export interface Load {
  readonly tokens: number;
  readonly source: "provider" | "estimate";
}

/** `fixedBytes` is what goes along with the history: the system text and the tools. */
export function loadOf(shape: ContextShape, fixedBytes: number): Load {
  const { rows, counted, segment } = shape;
  const told = counted === null ? 0 : countedTokens(counted.usage);
  if (counted !== null && told > 0) {
    const since = rows.filter(({ seq }) => seq > counted.seq);
    // Counted before the summary took the place of what it stands for, it would be the size of another history.
    if (segment === null || counted.seq > segment.summarySeq)
      return { tokens: told + rowTokens({ rows: since }), source: "provider" };
  }
  return { tokens: messageTokens(fixedBytes) + historyTokens(shape), source: "estimate" };
}

function historyTokens({ rows, summaryBytes, segment }: Weighed & Pick<ContextShape, "summaryBytes" | "segment">) {
  return rowTokens({ rows }) + (segment === null ? 0 : messageTokens(summaryBytes));
}

type Weighed = Pick<ContextShape, "rows">;

/** Of the messages themselves, without a summary of others. */
export function rowTokens({ rows }: Weighed): number {
  return rows.reduce((tokens, { bytes }) => tokens + messageTokens(bytes), 0);
}

function countedTokens(usage: NonNullable<ContextShape["counted"]>["usage"]): number {
  const { input, cacheRead, cacheWrite, output } = usage;
  return [input, cacheRead, cacheWrite, output].reduce((sum, each) => sum + Math.max(0, each || 0), 0);
}
