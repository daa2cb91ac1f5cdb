// What can be done with the history of a process besides reading it, as types: compaction, its rules, a copy of it, and search in all of it.

import type { HistoryPolicy, Segment } from "../../abi/process/segment.ts";
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
  /** What went, would go, or came back; null where there was nothing. */
  readonly fromSeq: number | null;
  readonly toSeq: number | null;
  /** How many messages were trimmed and kept. */
  readonly trimmed: number;
  readonly kept: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Who wrote the summary; null where nobody did. */
  readonly model: string | null;
  /** Where what went can be read. */
  readonly archivedTo: string | null;
  /** Of a preview: what people asked for in what would go, the newest last. */
  readonly asked: readonly { readonly id: number; readonly text: string }[];
}

export interface ContextState {
  readonly model: string;
  readonly tokens: number;
  readonly source: "provider" | "estimate";
  readonly windowTokens: number;
  /** The window without what an answer may take. */
  readonly availableTokens: number;
  /** From 0; 1 is full. */
  readonly pressure: number;
  readonly level: "ok" | "warn" | "critical" | "full";
  /** A request of more is compacted first. */
  readonly compactsAtTokens: number;
}

export interface PolicyView {
  readonly pid: string;
  readonly policy: HistoryPolicy;
  /** Whether it was set for the process. */
  readonly isSet: boolean;
  readonly context: ContextState;
}

export interface PolicyRequest {
  readonly pid: string;
  readonly change: Partial<HistoryPolicy> | null;
  readonly unset: boolean;
}

/** How a segment is named: by the messages it stands for. */
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
  /** Where it was copied from, and up to which message. */
  readonly from: string;
  readonly through: number;
  readonly messages: number;
}

/** A message that holds what was looked for. */
export interface FoundText {
  readonly pid: string;
  readonly seq: number;
  readonly at: number;
  readonly role: string;
  /** Where it is kept now; null while the process has it. */
  readonly archiveId: string | null;
  readonly snippet: string;
  /** Where hits begin and end in the snippet. */
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
  /** More than were asked for. */
  readonly more: boolean;
  /** How many histories were not read yet: a later search has them. */
  readonly unread: number;
}

export interface SearchService {
  search(context: CallContext, request: SearchRequest): Promise<SearchResult>;
}
