// OpenAI and compatible servers. `ai.providerStyle` selects the API; by default Responses at OpenAI's own address and chat completions
// elsewhere, which every compatible server has. If the API answers 404 without an error body, the other one is used.

import type { Failure, ModelRequest, Provider, ServedModel, StreamEvent } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Access } from "../access.ts";
import { countOf, type JsonObject, recordOf } from "../json.ts";
import { factsOf } from "../models.ts";
import { SseFramer } from "../sse.ts";
import { answered, readJson } from "../wire.ts";
import { chatBody } from "./chat.ts";
import { chatTranslation } from "./chat-events.ts";
import { responsesBody, responsesTranslation } from "./responses.ts";

const LIST_MS = 10_000;

type Interface = "responses" | "chat";

export interface OpenAiPorts {
  readonly name: string;
  readonly clock: Clock;
  readonly access: Access;
}

export function openAiProvider(ports: OpenAiPorts): Provider {
  const { name, clock, access } = ports;
  return {
    name,
    async *stream(request, signal) {
      const first: Interface =
        access.style === "auto" ? (access.isOwn && name === "openai" ? "responses" : "chat") : access.style;
      const other: Interface = first === "chat" ? "responses" : "chat";
      let isFirst = true;
      for await (const event of asked(ports, first, request, signal)) {
        if (isFirst && access.style === "auto" && event.type === "error" && isElsewhere(event.failure)) {
          return yield* asked(ports, other, request, signal);
        }
        isFirst = false;
        yield event;
      }
    },
    async models(signal) {
      const headers = new Headers(access.apiKey === null ? [] : [["authorization", `Bearer ${access.apiKey}`]]);
      const answer = await readJson({ access, clock, signal }, `${access.baseUrl}/models`, { headers }, LIST_MS);
      return servedModels(recordOf(answer)?.data);
    },
  };
}

// A missing API answers without a message; a missing model has one.
function isElsewhere({ class: failureClass, message }: Failure): boolean {
  return failureClass === "model" && message === "the server answered 404";
}

function asked(
  { name, clock, access }: OpenAiPorts,
  which: Interface,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<StreamEvent> {
  const facts = factsOf(name, request.model, access.windowTokens, access.served?.get(request.model));
  const lastId = request.messages.at(-1)?.id ?? 0;
  return answered({
    access,
    clock,
    signal,
    type: "text/event-stream",
    framer: new SseFramer(),
    translation: which === "chat" ? chatTranslation(facts, `${name}-${lastId}`) : responsesTranslation(facts),
    async send(fetch, abort) {
      const { OpenAI } = await import("openai/client");
      const client = new OpenAI({
        // The SDK requires a key; the header is removed below.
        apiKey: access.apiKey ?? "none",
        ...(access.apiKey === null ? { defaultHeaders: { Authorization: null } } : {}),
        adminAPIKey: null,
        organization: null,
        project: null,
        webhookSecret: null,
        baseURL: access.baseUrl,
        maxRetries: 0,
        logLevel: "off",
        fetch,
      });
      const [path, body] =
        which === "chat"
          ? ["/chat/completions", chatBody(request, facts, access)]
          : ["/responses", responsesBody(request, facts, access)];
      return await client.post(path, { body, stream: true, signal: abort }).asResponse();
    },
  });
}

const MILLION = 1_000_000;

function servedModels(data: unknown): ServedModel[] {
  return (Array.isArray(data) ? (data as unknown[]) : []).flatMap((row) => {
    const fields = recordOf(row) ?? {};
    return typeof fields.id === "string" ? [served(fields.id, fields)] : [];
  });
}

function served(id: string, fields: JsonObject): ServedModel {
  const provider = recordOf(fields.top_provider);
  const output = first(provider?.max_completion_tokens, fields.max_completion_tokens, fields.max_output_tokens);
  const price = priceOf(recordOf(fields.pricing));
  const inputs = recordOf(fields.architecture)?.input_modalities;
  return {
    id,
    windowTokens: first(
      provider?.context_length,
      fields.context_length,
      fields.max_model_len,
      fields.context_window,
      recordOf(fields.meta)?.n_ctx,
      recordOf(fields.meta)?.n_ctx_train,
    ),
    ...(output === null ? {} : { outputTokens: output }),
    ...(price === null ? {} : { price }),
    ...(Array.isArray(inputs) ? { sees: (inputs as unknown[]).includes("image") } : {}),
  };
}

function first(...fields: readonly unknown[]): number | null {
  for (const each of fields) if ((countOf(each) ?? 0) > 0) return countOf(each);
  return null;
}

/** Prices per token, as text. Cache prices default to the input price. */
function priceOf(fields: JsonObject | null): ServedModel["price"] | null {
  const usd = (value: unknown) => {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
    // Round to a millionth of a dollar per million tokens: removes floating point noise.
    return number >= 0 ? Math.round(number * MILLION * MILLION) / MILLION : null;
  };
  const [input, output] = [usd(fields?.prompt), usd(fields?.completion)];
  if (fields === null || input === null || output === null) return null;
  const [cacheRead, cacheWrite] = [usd(fields.input_cache_read) ?? input, usd(fields.input_cache_write) ?? input];
  return { input, output, cacheRead, cacheWrite };
}
