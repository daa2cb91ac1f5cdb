// The words of the Agent Client Protocol for what gsv has: tool calls, requests, messages, prompts. Pure.

import { MODES } from "../../../src/abi/policy.ts";
import type { Message } from "../../../src/abi/process/message.ts";
import type { ApprovalAbout, RunStatus } from "../../../src/abi/process/process.ts";
import type { Signal } from "../../../src/abi/signal.ts";

export type Json = { readonly [name: string]: unknown };

const KINDS: { readonly [tool: string]: string } = {
  Read: "read",
  Write: "edit",
  Edit: "edit",
  Delete: "delete",
  Search: "search",
  Shell: "execute",
  CodeMode: "execute",
  Fetch: "fetch",
  Plan: "switch_mode",
};
/** The argument that says most of a call. */
const SUBJECTS = ["path", "command", "url", "query", "question", "prompt", "tool"];
const TITLE_CHARS = 200;

interface Called {
  readonly callId: string;
  readonly tool: string;
  readonly args: object;
}

export function toolCall({ callId, tool, args }: Called, status: "pending" | "in_progress", cwd: string): Json {
  const path = pathIn(args, cwd);
  const change = changeIn(args, path);
  return {
    ...{ toolCallId: callId, title: titleOf(tool, args), kind: KINDS[tool] ?? "other", status, rawInput: args },
    ...(path !== null && { locations: [{ path }] }),
    ...(change !== null && { content: [change] }),
  };
}

export function toolResult({ callId, ok, output }: { callId: string; ok: boolean; output: string }): Json {
  return {
    ...{ sessionUpdate: "tool_call_update", toolCallId: callId, status: ok ? "completed" : "failed" },
    content: [{ type: "content", content: { type: "text", text: output } }],
  };
}

type Hil = Extract<Signal, { readonly name: "chat.hil" }>;

/** The call that a request is about. The card of the terminal says the same things. */
export function requestedCall({ id, tool, args, why, about }: Hil, cwd: string): Json {
  const call = toolCall({ callId: `request-${id}`, tool, args }, "pending", about?.directory ?? cwd);
  const notes = [`to ${why}`, ...dangersOf(about)].join("\n");
  const text = { type: "content", content: { type: "text", text: notes } };
  return { ...call, content: [...((call.content as readonly Json[] | undefined) ?? []), text] };
}

function dangersOf(about: ApprovalAbout | null): readonly string[] {
  return [...(about?.dangers ?? []).map((danger) => `danger: ${danger}`), ...(about?.reasons ?? [])];
}

export const PERMISSIONS = [
  { optionId: "approve", name: "Allow once", kind: "allow_once" },
  { optionId: "deny", name: "Deny", kind: "reject_once" },
] as const;

/** Null if the question takes any text. */
export function choicesOf({ args }: Hil): readonly Json[] | null {
  const { choices } = args as { readonly choices?: readonly string[] };
  if (choices === undefined || choices.length === 0) return null;
  return choices.map((name, index) => ({ optionId: String(index), name, kind: "allow_once" }));
}

const REASONS: { readonly [S in RunStatus]?: string } = {
  ok: "end_turn",
  aborted: "cancelled",
  limit: "max_turn_requests",
  blocked: "end_turn",
};

/** null if the run failed: then the prompt is answered with an error. */
export function stopReason(status: RunStatus): string | null {
  return REASONS[status] ?? null;
}

/** The text of a prompt. Files that an editor only names stay names: the agent reads them. */
export function promptText(blocks: readonly unknown[]): string {
  return blocks.map((block) => blockText(block as Json)).join("\n\n");
}

function blockText({ type, text, uri, name, resource }: Json): string {
  if (type === "text") return String(text);
  if (type === "resource_link") return `[${String(name ?? uri)}](${fileIn(String(uri))})`;
  const embedded = resource as Json | undefined;
  if (type === "resource" && typeof embedded?.text === "string")
    return `${fileIn(String(embedded.uri))}:\n\`\`\`\n${embedded.text}\n\`\`\``;
  return `[${String(type)} is not supported]`;
}

function fileIn(uri: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    return uri; // not a valid address
  }
}

/** A stored message as the updates that a client shows. */
export function replayed(message: Message, cwd: string): readonly Json[] {
  if (message.role === "user") return [chunk("user_message_chunk", message.content)];
  if (message.role === "system") return [];
  if (message.role === "toolResult") {
    const { toolCallId: callId, isError, output } = message.content;
    return [toolResult({ callId, ok: !isError, output })];
  }
  const { text, thinking = "", toolCalls = [] } = message.content;
  return [
    ...(thinking === "" ? [] : [chunk("agent_thought_chunk", thinking)]),
    ...(text === "" ? [] : [chunk("agent_message_chunk", text)]),
    ...toolCalls.map(({ id, name, args }) => ({
      sessionUpdate: "tool_call",
      ...toolCall({ callId: id, tool: name, args }, "in_progress", cwd),
    })),
  ];
}

export function chunk(sessionUpdate: string, text: string): Json {
  return { sessionUpdate, content: { type: "text", text } };
}

export function modesOf(currentModeId: string): Json {
  return {
    currentModeId,
    availableModes: MODES.map((id) => ({ id, name: MODE_NAMES[id], description: MODE_TEXTS[id] })),
  };
}

const MODE_NAMES = { plan: "Plan", ask: "Ask", "accept-edits": "Accept edits", yolo: "Allow all" };
const MODE_TEXTS = {
  plan: "Reads and plans, changes nothing",
  ask: "Asks before it changes files of this computer or runs commands",
  "accept-edits": "Edits files of the project without asking",
  yolo: "Runs commands in a sandbox without asking",
};

function titleOf(tool: string, args: object): string {
  const given = args as Json;
  const [subject] = SUBJECTS.flatMap((name) => (typeof given[name] === "string" ? [given[name] as string] : []));
  return (subject === undefined ? tool : `${tool} ${subject}`).slice(0, TITLE_CHARS);
}

/** Absolute: clients know no other. */
function pathIn(args: object, cwd: string): string | null {
  const { path } = args as Json;
  if (typeof path !== "string" || path.startsWith("~")) return null;
  return path.startsWith("/") ? path : `${cwd.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`;
}

function changeIn(args: object, path: string | null): Json | null {
  const { oldString, newString, content } = args as Json;
  if (path === null) return null;
  if (typeof oldString === "string" && typeof newString === "string")
    return { type: "diff", path, oldText: oldString, newText: newString };
  return typeof content === "string" ? { type: "diff", path, newText: content } : null;
}
