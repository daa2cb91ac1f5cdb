// The stored messages of a process, numbered from 1 without gaps. Numbers are never reused.
// `system` messages are runtime events; a model reads them as user text under an event heading.

import type { Cause } from "./cause.ts";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: { readonly [key: string]: unknown };
}

/** Signed thinking that a provider wants back unchanged. Only the provider reads it. */
export interface Seal {
  /** The provider and model that can read it. */
  readonly by: string;
  readonly data: string;
}

export interface AssistantContent {
  readonly text: string;
  readonly thinking?: string;
  readonly seal?: Seal;
  readonly toolCalls?: readonly ToolCall[];
}

/** An attachment: its path, and its type from its first bytes. */
export interface MediaRef {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
  readonly path: string;
}

/** Image types that every vision model accepts. */
export function isSeen(type: string): boolean {
  return type === "image/png" || type === "image/jpeg" || type === "image/gif" || type === "image/webp";
}

export type ToolOutcome = "completed" | "failed" | "denied" | "cancelled" | "unknown";

export interface ToolResultContent {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly isError: boolean;
  readonly outcome: ToolOutcome;
  readonly output: string;
  readonly media?: readonly MediaRef[];
}

/** Where a message came from. Set by the kernel, never by the caller. */
export type Origin = (
  | { readonly kind: "client"; readonly uid: number; readonly clientId: string; readonly cwd?: string }
  | { readonly kind: "process"; readonly uid: number; readonly pid: string }
  | { readonly kind: "kernel" }
) & { readonly cause?: Cause };

interface MessageBase {
  readonly id: number;
  readonly runId: string | null;
  readonly timestamp: number;
  readonly origin?: Origin;
}

export type Message =
  | (MessageBase & { readonly role: "user"; readonly content: string; readonly media?: readonly MediaRef[] })
  | (MessageBase & { readonly role: "system"; readonly content: string })
  | (MessageBase & { readonly role: "assistant"; readonly content: AssistantContent })
  | (MessageBase & { readonly role: "toolResult"; readonly content: ToolResultContent });

/** Removes NUL and lone surrogates, which not every store and wire keeps. */
export function normaliseText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

/** Begins the note in the history about a run without an answer. */
export const FAILED_NOTE = "Generation failed:";
