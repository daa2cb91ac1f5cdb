// Rules of compaction: when it is due and how much stays. The settings compaction.* win, each limited to a quarter of the model's window;
// else the policy of the process. Pure.

import { LIMITS } from "../../../abi/config/limits.ts";
import type { HistoryPolicy, OverflowPolicy, ReplacingSetting } from "../../../abi/process/segment.ts";

export interface Window {
  readonly windowTokens: number;
  readonly outputTokens: number;
}

export interface CompactionSettings {
  readonly enabled: boolean;
  readonly reserveTokens: number | null;
  readonly keepRecentTokens: number | null;
}

/** Newest history to keep; both limits apply. */
export interface Keep {
  readonly messages: number;
  readonly tokens: number;
}

export interface Rules {
  readonly overflow: OverflowPolicy;
  readonly availableTokens: number;
  readonly fullAtTokens: number;
  readonly keep: Keep;
  /** Settings that replace a part of the policy. */
  readonly settings: readonly ReplacingSetting[];
}

const TOKENS_PER_BYTE = 1.15 / 4;
const MESSAGE_BYTES = 24;

/** Estimate, rather too large. */
export function tokensOf(bytes: number): number {
  return Math.ceil(Math.max(0, bytes) * TOKENS_PER_BYTE);
}

export function messageTokens(bytes: number): number {
  return tokensOf(bytes + MESSAGE_BYTES);
}

export function rulesFor(policy: HistoryPolicy, settings: CompactionSettings, window: Window): Rules {
  const windowTokens = Math.max(1, window.windowTokens);
  const quarter = Math.max(1, Math.floor(windowTokens / 4));
  const availableTokens = Math.max(1, windowTokens - Math.min(window.outputTokens, 2 * quarter));
  // Requests never hold more history than this.
  const sentTokens = Math.min(availableTokens, tokensOf(LIMITS.contextBytesMax));
  const { reserveTokens, keepRecentTokens } = settings;
  const fullAtTokens =
    reserveTokens === null
      ? Math.floor(sentTokens * policy.compactAtPressure)
      : Math.min(sentTokens, windowTokens - Math.min(reserveTokens, quarter));
  const overflow = settings.enabled || policy.overflow === "fail" ? policy.overflow : "manual";
  return {
    overflow,
    availableTokens,
    fullAtTokens: Math.max(1, fullAtTokens),
    keep:
      keepRecentTokens === null
        ? { messages: policy.keepLast, tokens: Math.floor(Math.min(sentTokens, fullAtTokens) / 2) }
        : { messages: Number.POSITIVE_INFINITY, tokens: Math.min(keepRecentTokens, quarter) },
    settings: [
      ...(overflow === policy.overflow ? [] : (["compaction.enabled"] as const)),
      ...(reserveTokens === null ? [] : (["compaction.reserveTokens"] as const)),
      ...(keepRecentTokens === null ? [] : (["compaction.keepRecentTokens"] as const)),
    ],
  };
}
