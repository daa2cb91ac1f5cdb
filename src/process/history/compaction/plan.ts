// Decides where to cut a history: newer messages stay, older ones are summarized. The last message always stays, and no result loses its
// call. Pure: the same input gives the same cut, and a cut history is not cut again.

import type { ContextShape } from "../../../store/process/verbs.ts";
import { type Keep, messageTokens } from "./rules.ts";

export interface Cut {
  readonly toSeq: number;
  readonly goes: number;
  readonly stays: number;
  /** Tokens of the summarized messages and of an earlier summary. */
  readonly tokensGone: number;
}

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

// Keep results together with the turn that called for them.
function legalBegin(rows: ContextShape["rows"], wanted: number): number {
  let begin = wanted;
  while (begin > 0 && rows[begin]?.role === "toolResult") begin--;
  return rows[begin]?.role === "toolResult" ? rows.findIndex(({ role }) => role !== "toolResult") : begin;
}

/** Tokens of the next request: as counted by the provider at the last turn, else estimated. */
export interface Load {
  readonly tokens: number;
  readonly source: "provider" | "estimate";
}

export function loadOf(shape: ContextShape, fixedBytes: number): Load {
  const { rows, counted, segment } = shape;
  const countedNow = counted === null ? 0 : countedTokens(counted.usage);
  if (counted !== null && countedNow > 0) {
    const since = rows.filter(({ seq }) => seq > counted.seq);
    // A count from before the last compaction is of another history.
    if (segment === null || counted.seq > segment.summarySeq)
      return { tokens: countedNow + rowTokens({ rows: since }), source: "provider" };
  }
  return { tokens: messageTokens(fixedBytes) + historyTokens(shape), source: "estimate" };
}

function historyTokens({ rows, summaryBytes, segment }: Weighed & Pick<ContextShape, "summaryBytes" | "segment">) {
  return rowTokens({ rows }) + (segment === null ? 0 : messageTokens(summaryBytes));
}

type Weighed = Pick<ContextShape, "rows">;

/** Without a summary. */
export function rowTokens({ rows }: Weighed): number {
  return rows.reduce((tokens, { bytes }) => tokens + messageTokens(bytes), 0);
}

function countedTokens(usage: NonNullable<ContextShape["counted"]>["usage"]): number {
  const { input, cacheRead, cacheWrite, output } = usage;
  return [input, cacheRead, cacheWrite, output].reduce((sum, each) => sum + Math.max(0, each || 0), 0);
}
