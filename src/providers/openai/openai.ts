// OpenAI and compatible servers. `ai.providerStyle` selects the API; by default Responses at OpenAI's own address and chat completions
// elsewhere, which every compatible server has. If the API answers 404 without an error body, the other one is used.

import type { Failure, ModelRequest, Provider, StreamEvent } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Access } from "../access.ts";
import { recordOf } from "../json.ts";
import { factsOf } from "../models.ts";
import { SseFramer } from "../sse.ts";
import { answered, readJson } from "../wire.ts";
import { chatBody } from "./chat.ts";
import { chatTranslation } from "./chat-events.ts";
import { servedModels } from "./models.ts";
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
