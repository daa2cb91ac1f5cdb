// Stored messages in the form that all model servers require: turns that alternate and start with the user, exactly one result per call.
// Repairs what a history may contain besides: a missing beginning, several messages in a row, results without calls. Deterministic, and
// more messages only append turns, so prompt caches stay valid.

import type { MediaRef, Message, Seal, ToolCall } from "../abi/process/message.ts";
import type { ModelRequest } from "../abi/stream.ts";
import { sizeText } from "../lib/text/size.ts";

export interface CallResult {
  readonly callId: string;
  readonly tool: string;
  readonly output: string;
  readonly isError: boolean;
}

export type Turn =
  | {
      readonly role: "user";
      readonly results: readonly CallResult[];
      readonly texts: readonly string[];
      /** Attachments of messages and of call results. */
      readonly media?: readonly MediaRef[];
    }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly seal: Seal | null;
    };

interface Open {
  results: CallResult[];
  texts: string[];
  media: MediaRef[];
}

const EVENT = "[event]";
const NO_RESULT = "the result is missing";
const NOTHING = "(nothing)";

export function conversationTurns(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  let open: Open = { results: [], texts: [], media: [] };
  let waiting = new Map<string, ToolCall>();

  const closeUser = () => {
    for (const call of waiting.values()) open.results.push({ ...resultOf(call), output: NO_RESULT, isError: true });
    waiting = new Map();
    if (turns.length === 0 && open.texts.length === 0)
      open.texts.push(`${EVENT} the beginning of this history is omitted`);
    const { media, ...said } = open;
    if (said.results.length === 0 && said.texts.length === 0) said.texts.push(NOTHING);
    turns.push({ role: "user", ...said, ...(media.length === 0 ? {} : { media }) });
    open = { results: [], texts: [], media: [] };
  };

  for (const message of messages) {
    if (message.role === "toolResult") {
      const { toolCallId: callId, toolName: tool, output, isError, media = [] } = message.content;
      if (!waiting.delete(callId)) continue;
      open.results.push({ callId, tool, output, isError });
      open.media.push(...media);
    } else if (message.role === "assistant") {
      const { text, toolCalls: calls = [], seal = null } = message.content;
      if (text === "" && calls.length === 0) continue;
      closeUser();
      turns.push({ role: "assistant", text, calls, seal });
      waiting = new Map(calls.map((call) => [call.id, call]));
    } else {
      const text = message.role === "system" ? `${EVENT} ${message.content}` : message.content;
      open.texts.push(text === "" ? NOTHING : text);
      if (message.role === "user") open.media.push(...(message.media ?? []));
    }
  }
  if (open.texts.length > 0 || open.results.length > 0 || waiting.size > 0 || turns.length === 0) closeUser();
  return turns;
}

function resultOf(call: ToolCall): Pick<CallResult, "callId" | "tool"> {
  return { callId: call.id, tool: call.name };
}

export interface Image {
  readonly type: string;
  /** Base64. */
  readonly data: string;
}

export type ShowMedia = (turn: Extract<Turn, { readonly role: "user" }>) => ReturnType<typeof textsAndImages>;

/** Texts besides results, with one line per attachment, and the images; none for a model without vision. */
export function textsAndImages(
  { texts, media = [] }: Extract<Turn, { readonly role: "user" }>,
  images: ModelRequest["images"],
  sees: boolean,
): { readonly texts: readonly string[]; readonly images: readonly Image[] } {
  const shown: Image[] = [];
  const lines = media.map(({ id, type, bytes, path }) => {
    const data = sees ? images?.get(id) : undefined;
    if (data !== undefined) shown.push({ type, data });
    const how = data !== undefined ? "" : type.startsWith("text/") ? "; Read shows it" : "; you cannot see it";
    return `[attached: ${path}, ${type}, ${sizeText(bytes)}${how}]`;
  });
  return { texts: [...texts, ...lines], images: shown };
}

/** Body for APIs where the system prompt is the first message and tools are functions. */
export function toolsAndMessages(
  { system, messages, tools }: Pick<ModelRequest, "system" | "messages" | "tools">,
  messagesOf: (turn: Turn) => readonly object[],
): object {
  const functions = tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
  const first = system === "" ? [] : [{ role: "system", content: system }];
  return {
    ...(functions.length === 0 ? {} : { tools: functions }),
    messages: [...first, ...conversationTurns(messages).flatMap((turn) => messagesOf(turn))],
  };
}

export function sealOwner({ provider, id }: { readonly provider: string; readonly id: string }): string {
  return `${provider}/${id}`;
}

/** Sealed blocks to return to the model, if they came from it. */
export function unsealed(seal: Seal | null, by: string): readonly object[] {
  if (seal === null || seal.by !== by) return [];
  try {
    const blocks = JSON.parse(seal.data) as unknown;
    return Array.isArray(blocks) ? (blocks as object[]) : [];
  } catch {
    return [];
  }
}
