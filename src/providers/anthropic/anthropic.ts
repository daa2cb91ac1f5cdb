// Anthropic's Messages API. Tools, system prompt and older messages come first and stay the same from turn to turn, so that the server can
// cache them. Signed thinking blocks are sent back at their old position: without them the server rejects tool results.

import type { ModelRequest, Provider, ServedModel } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Access } from "../access.ts";
import { conversationTurns, type ShowMedia, sealOwner, type Turn, textsAndImages, unsealed } from "../conversation.ts";
import { countOf, recordOf } from "../json.ts";
import { factsOf, type ModelFacts } from "../models.ts";
import { SseFramer } from "../sse.ts";
import { answered, readJson, type Send } from "../wire.ts";
import { anthropicTranslation, type SealedBlock } from "./events.ts";

const LIST_MS = 10_000;
const THINKING_TOKENS_MIN = 1024;

export function anthropicProvider({ clock, access }: { readonly clock: Clock; readonly access: Access }): Provider {
  return {
    name: "anthropic",
    stream(request, signal) {
      const facts = factsOf("anthropic", request.model, access.windowTokens, access.served?.get(request.model));
      return answered({
        access,
        clock,
        signal,
        type: "text/event-stream",
        framer: new SseFramer(),
        translation: anthropicTranslation(facts),
        async send(fetch, abort) {
          const client = await clientFor(access, fetch);
          // Not client.messages, which prints warnings about some models to the terminal.
          const body = bodyOf(request, facts, access);
          return await client.post("/v1/messages", { body, stream: true, signal: abort }).asResponse();
        },
      });
    },
    async models(signal) {
      // The version and the key as a chat sends them.
      const client = await clientFor(access, fetch);
      const { req, url } = await client.buildRequest({ method: "get", path: "/v1/models?limit=1000" });
      const answer = await readJson({ access, clock, signal }, url, { headers: req.headers }, LIST_MS);
      const data = recordOf(answer)?.data;
      return (Array.isArray(data) ? data : []).flatMap((row: unknown) => served(recordOf(row) ?? {}));
    },
  };
}

async function clientFor({ apiKey, baseUrl }: Access, fetch: Send) {
  const { Anthropic } = await import("@anthropic-ai/sdk/client");
  return new Anthropic({
    // The SDK requires a key; without one the header is removed.
    apiKey: apiKey ?? "none",
    ...(apiKey === null ? { defaultHeaders: { Authorization: null } } : {}),
    authToken: null,
    baseURL: baseUrl,
    maxRetries: 0,
    logLevel: "off",
    fetch,
  });
}

function served(row: { readonly [key: string]: unknown }): ServedModel[] {
  if (typeof row.id !== "string") return [];
  const outputTokens = countOf(row.max_tokens);
  const { image_input: image, thinking } = recordOf(row.capabilities) ?? {};
  const types = recordOf(recordOf(thinking)?.types);
  const can = (ability: unknown) => recordOf(ability)?.supported === true;
  const budget = can(thinking) ? "budget" : "none";
  return [
    {
      id: row.id,
      windowTokens: countOf(row.max_input_tokens),
      ...(outputTokens === null ? {} : { outputTokens }),
      ...(recordOf(image) === null ? {} : { sees: can(image) }),
      ...(recordOf(thinking) === null ? {} : { thinking: can(types?.adaptive) ? "adaptive" : budget }),
    },
  ];
}

function bodyOf(request: ModelRequest, facts: ModelFacts, access: Access): object {
  const { model, system, tools } = request;
  const maxTokens = Math.min(access.maxTokens, facts.outputTokens);
  const by = sealOwner(facts);
  return {
    model: facts.isKnown ? facts.id : model,
    stream: true,
    max_tokens: maxTokens,
    ...thinkingOf(facts, access, maxTokens),
    cache_control: { type: "ephemeral" },
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })) }),
    ...(system === "" ? {} : { system: [{ type: "text", text: system, cache_control: { type: "ephemeral" } }] }),
    messages: conversationTurns(request.messages).map((turn) =>
      messageOf(turn, by, (said) => textsAndImages(said, request.images, facts.sees)),
    ),
  };
}

interface ApiMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly object[];
}

function thinkingOf({ thinking }: ModelFacts, { reasoning }: Access, maxTokens: number): object {
  const isOff = reasoning === "off";
  if (thinking === "always" || (thinking === "adaptive" && !isOff)) {
    const effort = isOff || reasoning === "minimal" ? "low" : reasoning;
    return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort } };
  }
  if (thinking === "adaptive") return { thinking: { type: "disabled" } };
  if (thinking !== "budget" || isOff) return {};
  const budget = Math.floor(maxTokens * SHARE[reasoning]);
  return budget < THINKING_TOKENS_MIN ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}

/** Share of the answer for thinking, if the budget is in tokens. */
const SHARE = { minimal: 0.125, low: 0.25, medium: 0.5, high: 0.75, xhigh: 0.875 } as const;

function messageOf(turn: Turn, by: string, shown: ShowMedia): ApiMessage {
  if (turn.role === "assistant") return { role: "assistant", content: blocksOf(turn, unsealed(turn.seal, by)) };
  const results = turn.results.map(({ callId, output, isError }) => ({
    type: "tool_result",
    tool_use_id: callId,
    ...(output === "" ? {} : { content: output }),
    ...(isError ? { is_error: true } : {}),
  }));
  const { texts, images } = shown(turn);
  const sources = images.map(({ type, data }) => ({ type: "base64", media_type: type, data }));
  return {
    role: "user",
    content: [
      ...results,
      ...texts.map((text) => ({ type: "text", text })),
      ...sources.map((source) => ({ type: "image", source })),
    ],
  };
}

/** In the original order, if it is known. */
function blocksOf(turn: Extract<Turn, { readonly role: "assistant" }>, sealed: readonly object[]): object[] {
  const calls = turn.calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
  const blocks: object[] = [];
  let [from, called] = [0, 0];
  for (const block of sealed as readonly SealedBlock[]) {
    if (block.type === "tool_use") blocks.push(...calls.slice(called, ++called));
    else if (block.type !== "text") blocks.push(block);
    else {
      const text = turn.text.slice(from, from + block.chars);
      from += block.chars;
      if (text !== "") blocks.push({ type: "text", text });
    }
  }
  if (from === turn.text.length && called === calls.length) return blocks;
  const thinking = (sealed as readonly SealedBlock[]).filter(({ type }) => type !== "text" && type !== "tool_use");
  return [...thinking, ...(turn.text === "" ? [] : [{ type: "text", text: turn.text }]), ...calls];
}
