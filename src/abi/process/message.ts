// History as everyone sees it: the stored messages of a process, numbered from 1 without gaps, numbers never reused.
// `system` messages are runtime events; a model reads them as user text under an event heading.

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: { readonly [key: string]: unknown };
}

/** What a provider wants back with its own turn, as it gave it: thinking that it signed. Nobody else reads it. */
export interface Seal {
  /** Which provider and model can open it. */
  readonly by: string;
  readonly data: string;
}

export interface AssistantContent {
  readonly text: string;
  readonly thinking?: string;
  readonly seal?: Seal;
  readonly toolCalls?: readonly ToolCall[];
}

/** Something that was given with a message: where it lies, and what it is by its first bytes. */
export interface MediaRef {
  readonly id: string;
  readonly type: string;
  readonly bytes: number;
  readonly path: string;
}

/** What a model that sees can be shown, whoever serves it. */
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

/** Where a message came from. Derived by the kernel, never taken from the caller's word. */
export type Origin =
  | { readonly kind: "client"; readonly uid: number; readonly clientId: string; readonly cwd?: string }
  | { readonly kind: "process"; readonly uid: number; readonly pid: string }
  | { readonly kind: "kernel" };

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

/** NUL and lone surrogates do not survive every store and every wire, so they never enter one. */
export function normaliseText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

/** How the note begins that a run without an answer leaves in history. */
export const FAILED_NOTE = "Generation failed:";
