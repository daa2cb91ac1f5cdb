// What a request is made of, by source: the system text file by file, tools one by one, messages by role. Bytes are counted, tokens are
// estimated. Pure.

import type { Message } from "../../abi/process/message.ts";
import type { BillLine, PromptPart, PromptSource } from "../../abi/process/prompt.ts";
import type { ToolSpec } from "../../abi/stream.ts";
import { tokensOfBytes } from "../../lib/text/tokens.ts";

interface Billed {
  readonly parts: readonly PromptPart[];
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
}

/** What gsv itself says in a root, by what it is. */
const OWN_WORDS: { readonly [S in PromptSource]?: string } = {
  gsv: "how gsv works",
  persona: "who its agent is",
  bundles: "what its bundles say",
  project: "what it works on",
  skills: "index of skills",
  process: "which process it is",
  memory: "the day",
};
const ROLES: { readonly [R in Message["role"]]: string } = {
  user: "what was asked",
  system: "events",
  assistant: "what the model said and called",
  toolResult: "results of calls",
};

export function billOf({ parts, tools, messages }: Billed): BillLine[] {
  const lines = tools.map((tool) => lineOf("tools", tool.name, Buffer.byteLength(JSON.stringify(tool))));
  for (const { source, path, text } of parts)
    lines.push(lineOf(source, path ?? OWN_WORDS[source] ?? "notes", Buffer.byteLength(text)));
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

/** As it goes to the model: thinking does not. */
function weightOf(message: Message): number {
  if (message.role === "toolResult") return Buffer.byteLength(message.content.output);
  if (message.role !== "assistant") return Buffer.byteLength(message.content);
  const { text, toolCalls = [] } = message.content;
  return Buffer.byteLength(text) + (toolCalls.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(toolCalls)));
}
