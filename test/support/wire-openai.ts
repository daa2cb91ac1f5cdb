// Bodies of OpenAI, and of compatible servers: chat completions and Responses.

import { openAiProvider } from "../../src/providers/openai/openai.ts";
import { FakeClock } from "./clock.ts";
import { data, type ErrorKind, errorReply, event, KEY, type Wire } from "./wire-format.ts";
import type { WireReply } from "./wire-server.ts";

export const OPENAI_ERRORS: {
  readonly [K in ErrorKind]: readonly [type: string, code: string | null, message: string];
} = {
  throttle: ["requests", "rate_limit_exceeded", "slow down"],
  quota: ["insufficient_quota", "insufficient_quota", "check your plan"],
  overloaded: ["server_error", null, "overloaded"],
  internal: ["server_error", null, "something broke"],
  auth: ["invalid_request_error", "invalid_api_key", `Incorrect API key provided: ${KEY}`],
  forbidden: ["invalid_request_error", "unsupported_country", "not here"],
  request: ["invalid_request_error", "unknown_parameter", "no such thing"],
  absent: ["invalid_request_error", "model_not_found", "the model does not exist"],
  overflow: ["invalid_request_error", "context_length_exceeded", "too many tokens"],
};

function openAiError(kind: ErrorKind): WireReply {
  const [type, code, message] = OPENAI_ERRORS[kind];
  return errorReply(kind, { error: { type, code, message, param: null } });
}

export const chat: Wire = {
  name: "openai",
  model: "some-model",
  type: "text/event-stream",
  path: "/chat/completions",
  provider: (access) => openAiProvider({ name: "openai", clock: new FakeClock(), access }),
  body({ text = [], thinking = [], calls = [], stop, usage = {}, strange }) {
    const chunk = (delta: object, finish_reason: string | null = null) =>
      data({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        model: "some-model",
        choices: [{ index: 0, delta, finish_reason }],
      });
    const { input = 0, output = 0, cacheRead = 0 } = usage;
    const counts = {
      prompt_tokens: input + cacheRead,
      completion_tokens: output,
      prompt_tokens_details: { cached_tokens: cacheRead },
    };
    const ended =
      stop === "length" ? "length" : stop === "refusal" ? "content_filter" : calls.length > 0 ? "tool_calls" : "stop";
    return [
      chunk({ role: "assistant", content: "" }),
      ...(strange ? [": keep-alive\n\n", data({ object: "chat.mood", mood: "cheerful" })] : []),
      ...thinking.map((piece) => chunk({ reasoning_content: piece })),
      ...text.map((content) => chunk({ content })),
      ...calls.flatMap(({ name, json }, index) => [
        chunk({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: "" } }] }),
        ...json.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, ended),
      data({ id: "chatcmpl-1", choices: [], usage: counts }),
      data("[DONE]"),
    ].join("");
  },
  broken: (kind) =>
    data({ choices: [{ index: 0, delta: { content: "so" } }] }) +
    data({
      error:
        kind === "overloaded"
          ? { type: "server_error", code: 502, message: "no worker is left" }
          : { type: "invalid_request_error", code: "context_length_exceeded", message: "too many tokens" },
    }),
  error: openAiError,
};

export const responses: Wire = {
  name: "openai",
  model: "gpt-5.4",
  type: "text/event-stream",
  path: "/responses",
  provider: (access) =>
    openAiProvider({ name: "openai", clock: new FakeClock(), access: { ...access, style: "responses" } }),
  body({ text = [], thinking = [], calls = [], stop, usage = {}, strange }) {
    const out: string[] = [event("response.created", { response: { id: "resp_1", status: "in_progress" } })];
    if (strange) out.push(event("response.mood.changed", { mood: "cheerful" }), ": a comment\n\n");
    let output_index = 0;
    if (thinking.length > 0) {
      const item = { type: "reasoning", id: "rs_1", summary: [] };
      out.push(event("response.output_item.added", { output_index, item }));
      for (const delta of thinking) out.push(event("response.reasoning_summary_text.delta", { output_index, delta }));
      out.push(event("response.output_item.done", { output_index, item: { ...item, encrypted_content: "c2VhbGVk" } }));
      output_index++;
    }
    if (text.length > 0) {
      out.push(event("response.output_item.added", { output_index, item: { type: "message", role: "assistant" } }));
      const kind = stop === "refusal" ? "response.refusal.delta" : "response.output_text.delta";
      for (const delta of text) out.push(event(kind, { output_index, delta }));
      output_index++;
    }
    for (const [at, { name, json }] of calls.entries()) {
      const item = { type: "function_call", id: `fc_${at}`, call_id: `call_${at}`, name, arguments: "" };
      out.push(event("response.output_item.added", { output_index, item }));
      for (const delta of json) out.push(event("response.function_call_arguments.delta", { output_index, delta }));
      out.push(event("response.output_item.done", { output_index, item: { ...item, arguments: json.join("") } }));
      output_index++;
    }
    const { input = 0, output = 0, cacheRead = 0 } = usage;
    const counts = {
      input_tokens: input + cacheRead,
      output_tokens: output,
      input_tokens_details: { cached_tokens: cacheRead },
    };
    const why = { incomplete_details: { reason: stop === "length" ? "max_output_tokens" : "content_filter" } };
    const kind = stop === undefined ? "response.completed" : "response.incomplete";
    out.push(event(kind, { response: { id: "resp_1", usage: counts, ...(stop === undefined ? {} : why) } }));
    return out.join("");
  },
  broken: (kind) =>
    event("response.created", { response: {} }) +
    event("response.failed", {
      response: {
        error:
          kind === "overloaded"
            ? { code: "server_error", message: "no worker is left" }
            : { code: "context_length_exceeded", message: "too many tokens" },
      },
    }),
  error: openAiError,
};
