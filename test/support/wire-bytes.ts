// Bodies of each kind of model server: the same few behaviours in every format. Written in the servers' own order and with their
// unused fields.

import { anthropicProvider } from "../../src/providers/anthropic/anthropic.ts";
import { ollamaProvider } from "../../src/providers/ollama/ollama.ts";
import { FakeClock } from "./clock.ts";
import { type ErrorKind, errorReply, event, KEY, line, type Wire } from "./wire-format.ts";
import { chat, OPENAI_ERRORS, responses } from "./wire-openai.ts";

const anthropic: Wire = {
  name: "anthropic",
  model: "claude-sonnet-4-5",
  type: "text/event-stream",
  path: "/v1/messages",
  provider: (access) => anthropicProvider({ clock: new FakeClock(), access }),
  body({ text = [], thinking = [], calls = [], stop, usage = {}, strange }) {
    const blocks: string[] = [];
    let index = 0;
    const block = (start: object, deltas: readonly object[]) => {
      const parts = deltas.map((delta) => event("content_block_delta", { index, delta }));
      const begun = event("content_block_start", { index, content_block: start });
      blocks.push(begun, ...parts, event("content_block_stop", { index }));
      index++;
    };
    if (thinking.length > 0) {
      const deltas = thinking.map((piece) => ({ type: "thinking_delta", thinking: piece }));
      const signed = { type: "signature_delta", signature: "c2lnbmVk" };
      block({ type: "thinking", thinking: "", signature: "" }, [...deltas, signed]);
    }
    if (text.length > 0) {
      block(
        { type: "text", text: "" },
        text.map((piece) => ({ type: "text_delta", text: piece })),
      );
    }
    for (const [at, { name, json }] of calls.entries()) {
      const pieces = json.map((partial_json) => ({ type: "input_json_delta", partial_json }));
      block({ type: "tool_use", id: `toolu_${at}`, name, input: {} }, pieces);
    }
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = usage;
    const first = { input_tokens: input, cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite };
    const ended = stop === "length" ? "max_tokens" : (stop ?? (calls.length > 0 ? "tool_use" : "end_turn"));
    return [
      event("message_start", {
        message: { id: "msg_1", role: "assistant", content: [], usage: { ...first, output_tokens: 1 } },
      }),
      event("ping", {}),
      ...(strange ? [event("message_mood", { mood: "cheerful" }), ": a comment\n\n", "id: 7\nretry: 10\n\n"] : []),
      ...blocks,
      event("message_delta", { delta: { stop_reason: ended, stop_sequence: null }, usage: { output_tokens: output } }),
      event("message_stop", {}),
    ].join("");
  },
  broken: (kind) =>
    event("message_start", { message: { usage: { input_tokens: 3 } } }) +
    event("error", {
      error:
        kind === "overloaded"
          ? { type: "overloaded_error", message: "Overloaded" }
          : { type: "invalid_request_error", message: "prompt is too long: 300000 tokens > 200000 maximum" },
    }),
  error(kind) {
    const types: { readonly [K in ErrorKind]: readonly [string, string] } = {
      throttle: ["rate_limit_error", "slow down"],
      quota: ["billing_error", "the month is over"],
      overloaded: ["overloaded_error", "Overloaded"],
      internal: ["api_error", "something broke"],
      auth: ["authentication_error", `invalid x-api-key ${KEY}`],
      forbidden: ["permission_error", "not yours"],
      request: ["invalid_request_error", "messages: must not be empty"],
      absent: ["not_found_error", "model: claude-none"],
      overflow: ["invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum"],
    };
    const [type, message] = types[kind];
    return errorReply(kind, { type: "error", error: { type, message }, request_id: "req_1" });
  },
};

const ollama: Wire = {
  name: "ollama",
  model: "llama3.2:3b",
  type: "application/x-ndjson",
  path: "/api/chat",
  provider: (access) => ollamaProvider({ clock: new FakeClock(), access }),
  body({ text = [], thinking = [], calls = [], stop, usage = {}, strange }) {
    const say = (message: object) =>
      line({ model: "llama3.2:3b", message: { role: "assistant", ...message }, done: false });
    const { input = 0, output = 0 } = usage;
    const counts = { prompt_eval_count: input, eval_count: output, total_duration: 5 };
    return [
      ...(strange ? ["\n", line({ mood: "cheerful" })] : []),
      ...thinking.map((piece) => say({ content: "", thinking: piece })),
      ...text.map((content) => say({ content })),
      ...(calls.length === 0
        ? []
        : [
            say({
              content: "",
              tool_calls: calls.map(({ name, json }) => ({ function: { name, arguments: JSON.parse(json.join("")) } })),
            }),
          ]),
      line({
        message: { role: "assistant", content: "" },
        done: true,
        done_reason: stop === "length" ? "length" : "stop",
        ...counts,
      }),
    ].join("");
  },
  broken: (kind) =>
    line({ message: { content: "so" }, done: false }) +
    line({
      error: kind === "overloaded" ? "the runner has stopped" : "this model's maximum context length is 4096 tokens",
    }),
  error: (kind) => errorReply(kind, { error: OPENAI_ERRORS[kind][2] }),
};

export const WIRES: { readonly [name: string]: Wire } = {
  anthropic,
  "openai responses": responses,
  "openai chat completions": chat,
  ollama,
};
