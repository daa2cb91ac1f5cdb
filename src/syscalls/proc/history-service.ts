// Compaction, forking and search of histories, as types.

import type { HistoryPolicy, OverflowPolicy, ReplacingSetting, Segment } from "../../abi/process/segment.ts";
import type { CallContext } from "../define.ts";
import type { Spawned } from "../services.ts";

export interface CompactRequest {
  readonly pid: string;
  readonly keep: number;
  readonly preview: boolean;
  readonly undo: boolean;
}

export interface CompactResult {
  readonly pid: string;
  readonly did: "compacted" | "preview" | "undone" | "nothing";
  /** Null if nothing was or would be compacted. */
  readonly fromSeq: number | null;
  readonly toSeq: number | null;
  /** Numbers of messages. */
  readonly trimmed: number;
  readonly kept: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Model that wrote the summary; null if none did. */
  readonly model: string | null;
  readonly archivedTo: string | null;
  /** In a preview: the user messages that would be compacted, newest last. */
  readonly asked: readonly { readonly id: number; readonly text: string }[];
}

export interface ContextState {
  readonly model: string;
  readonly tokens: number;
  readonly source: "provider" | "estimate";
  readonly windowTokens: number;
  /** The window minus the maximum answer. */
  readonly availableTokens: number;
  /** From 0 to 1 (full). */
  readonly pressure: number;
  readonly level: "ok" | "warn" | "critical" | "full";
  /** Requests above this are compacted first. */
  readonly compactsAtTokens: number;
  readonly overflow: OverflowPolicy;
  /** Newest history that is not summarized; without `messages` only the tokens limit it. */
  readonly keeps: { readonly messages: number | null; readonly tokens: number };
  /** Settings that replace a part of the policy. */
  readonly settings: readonly ReplacingSetting[];
}

export interface PolicyView {
  readonly pid: string;
  readonly policy: HistoryPolicy;
  /** Set for the process; otherwise the default. */
  readonly isSet: boolean;
  readonly context: ContextState;
}

export interface PolicyRequest {
  readonly pid: string;
  readonly change: Partial<HistoryPolicy> | null;
  readonly unset: boolean;
}

/** A segment's name: the numbers of its first and last message. */
export function segmentName({ fromSeq, toSeq }: Pick<Segment, "fromSeq" | "toSeq">): string {
  return `${fromSeq}-${toSeq}`;
}

export interface Conversations {
  compact(context: CallContext, request: CompactRequest): Promise<CompactResult>;
  policy(context: CallContext, request: PolicyRequest): Promise<PolicyView>;
  fork(
    context: CallContext,
    request: { readonly pid: string; readonly through?: number; readonly label?: string },
  ): Promise<Forked>;
}

export interface Forked extends Spawned {
  /** The process it was copied from. */
  readonly from: string;
  readonly through: number;
  readonly messages: number;
}

export interface FoundText {
  readonly pid: string;
  readonly seq: number;
  readonly at: number;
  readonly role: string;
  /** Null if the process still has it. */
  readonly archiveId: string | null;
  readonly snippet: string;
  /** Begin and end of each hit in the snippet. */
  readonly hits: readonly (readonly [begin: number, end: number])[];
}

export interface SearchRequest {
  readonly words: readonly string[];
  readonly pid?: string;
  readonly since?: string;
  readonly limit: number;
}

export interface SearchResult {
  /** Newest first. */
  readonly found: readonly FoundText[];
  /** There are more than requested. */
  readonly more: boolean;
  /** Histories not indexed yet. */
  readonly unread: number;
}

export interface SearchService {
  search(context: CallContext, request: SearchRequest): Promise<SearchResult>;
}
