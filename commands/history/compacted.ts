// The one-line report of a compaction.

import type { Compacted } from "../../src/abi/signal.ts";

export const COMPACTING = "summarizing older history";

export function compactedText({ tokensBefore, tokensAfter, toSeq, model }: Compacted): string {
  const [before, after] = [tokensBefore, tokensAfter].map((tokens) => tokens.toLocaleString("en-US"));
  const lost = model === null ? ", without a summary" : "";
  return `${before} → ${after} tokens: messages up to ${toSeq} summarized${lost}`;
}
