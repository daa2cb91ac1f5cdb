// The use of the owner's model by an MCP server: texts only, bounded, without context of gsv, and asked for each time.

import { revealLines } from "../../../lib/text/sanitize.ts";

export interface SamplingRequest {
  readonly system: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly tokensMax: number;
}

export interface Sampled {
  readonly model: string;
  readonly text: string;
  /** The answer was longer than allowed. */
  readonly isCut: boolean;
}

const MESSAGES_MAX = 50;
const CHARS_MAX = 64 * 1024;
const TOKENS_MAX = 4096;
const SHOWN_CHARS = 1500;

export function samplingFrom(params: {
  readonly [name: string]: unknown;
}): SamplingRequest | { readonly wrong: string } {
  const { messages, systemPrompt = "", maxTokens, includeContext = "none", tools } = params;
  if (includeContext !== "none") return { wrong: "it wants the context of other servers, which gsv never gives" };
  if (tools !== undefined) return { wrong: "with tools, which gsv does not support" };
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MESSAGES_MAX)
    return { wrong: `with other than 1 to ${MESSAGES_MAX} messages` };
  const texts = messages.map(messageFrom);
  if (texts.includes(null)) return { wrong: "with other content than text" };
  const request = {
    system: String(systemPrompt),
    messages: texts as SamplingRequest["messages"],
    tokensMax: Math.max(1, Math.min(TOKENS_MAX, Number(maxTokens) || TOKENS_MAX)),
  };
  return JSON.stringify(request).length > CHARS_MAX ? { wrong: `with more than ${CHARS_MAX / 1024} KiB` } : request;
}

function messageFrom({ role, content }: { readonly role?: unknown; readonly content?: unknown }) {
  const parts = (Array.isArray(content) ? content : [content]) as readonly { type?: unknown; text?: unknown }[];
  if (parts.some((part) => part?.type !== "text" || typeof part.text !== "string")) return null;
  const text = parts.map((part) => String(part.text)).join("\n");
  return { role: role === "assistant" ? ("assistant" as const) : ("user" as const), text };
}

export function samplingQuestion(server: string, { system, messages, tokensMax }: SamplingRequest): string {
  const texts = [
    ...(system === "" ? [] : [`system: ${system}`]),
    ...messages.map(({ role, text }) => `${role}: ${text}`),
  ];
  const whole = revealLines(texts.join("\n"));
  const left = whole.length - SHOWN_CHARS;
  const shown = left > 0 ? `${whole.slice(0, SHOWN_CHARS)}… (${left} more characters)` : whole;
  return `${server} (MCP server) asks to use your model, paid by this process, up to ${tokensMax} tokens:\n${shown}`;
}
