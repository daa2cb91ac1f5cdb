// The size of a request by source: context files, tools, and messages by role. Bytes are counted, tokens are estimated. Pure.

import type { Message } from "../../abi/process/message.ts";
import type { BillLine, PromptPart, PromptSource } from "../../abi/process/prompt.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import { tokensOfBytes } from "../../lib/text/tokens.ts";

interface Billed {
  readonly parts: readonly PromptPart[];
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
}

const LABELS: { readonly [S in PromptSource]?: string } = {
  gsv: "system prompt",
  persona: "persona",
  bundles: "bundles",
  project: "project",
  skills: "skills index",
  process: "process details",
  memory: "date",
};
const ROLES: { readonly [R in Message["role"]]: string } = {
  user: "user messages",
  system: "events",
  assistant: "answers and tool calls",
  toolResult: "tool results",
};

export function billOf({ parts, tools, messages }: Billed): BillLine[] {
  const lines = tools.map((tool) => lineOf("tools", tool.name, Buffer.byteLength(JSON.stringify(tool))));
  for (const { source, path, text } of parts)
    lines.push(lineOf(source, path ?? LABELS[source] ?? "notes", Buffer.byteLength(text)));
  const byRole = new Map<string, number>();
  for (const message of messages) {
    const what = ROLES[message.role];
    byRole.set(what, (byRole.get(what) ?? 0) + weightOf(message));
  }
  for (const [what, bytes] of byRole) lines.push(lineOf("messages", what, bytes));
  return lines;
}

function lineOf(source: PromptSource, what: string, bytes: number): BillLine {
  return { source, what, bytes, tokens: tokensOfBytes(bytes) };
}

/** Bytes sent to the model; thinking is not sent. */
function weightOf(message: Message): number {
  if (message.role === "toolResult") return Buffer.byteLength(message.content.output);
  if (message.role !== "assistant") return Buffer.byteLength(message.content);
  const { text, toolCalls = [] } = message.content;
  return Buffer.byteLength(text) + (toolCalls.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(toolCalls)));
}
