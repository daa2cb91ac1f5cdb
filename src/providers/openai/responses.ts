// OpenAI's Responses API. Nothing is stored at the server: each request contains the whole conversation, including encrypted reasoning
// of earlier turns.

import type { ModelRequest, StopReason, StreamEvent } from "../../abi/stream.ts";
import type { Access } from "../access.ts";
import { conversationTurns, type ShowMedia, sealOwner, type Turn, textsAndImages, unsealed } from "../conversation.ts";
import { streamFailure } from "../failures.ts";
import { countOf, type JsonObject, parsed, recordOf } from "../json.ts";
import type { ModelFacts } from "../models.ts";
import type { Frame } from "../sse.ts";
import type { Translation } from "../wire.ts";
import { effortOf } from "./chat.ts";
import { parted } from "./chat-events.ts";

export function responsesBody(request: ModelRequest, facts: ModelFacts, access: Access): object {
  const { model, system, tools, about } = request;
  const thinks = facts.thinking === "effort";
  return {
    model: facts.isKnown ? facts.id : model,
    stream: true,
    store: false,
    max_output_tokens: Math.min(access.maxTokens, facts.outputTokens),
    // Requests of one process start alike; the key routes them to the same cache.
    prompt_cache_key: about.pid,
    ...(thinks
      ? { reasoning: { effort: effortOf(access), summary: "auto" }, include: ["reasoning.encrypted_content"] }
      : {}),
    ...(system === "" ? {} : { instructions: system }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: "function",
            name,
            description,
            parameters,
            strict: false,
          })),
        }),
    input: conversationTurns(request.messages).flatMap((turn) =>
      itemsOf(turn, sealOwner(facts), (said) => textsAndImages(said, request.images, facts.sees)),
    ),
  };
}

function itemsOf(turn: Turn, by: string, shown: ShowMedia): object[] {
  if (turn.role === "assistant") {
    const said = turn.text === "" ? [] : [{ role: "assistant", content: turn.text }];
    const calls = turn.calls.map(({ id, name, args }) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    }));
    return [...unsealed(turn.seal, by), ...said, ...calls];
  }
  const results = turn.results.map(({ callId, output }) => ({ type: "function_call_output", call_id: callId, output }));
  const { texts, images } = shown(turn);
  const said = texts.map((text) => ({ role: "user", content: text }));
  if (images.length === 0) return [...results, ...said];
  const pictures = images.map(({ type, data }) => ({ type: "input_image", image_url: `data:${type};base64,${data}` }));
  return [...results, ...said, { role: "user", content: pictures }];
}

export function responsesTranslation(facts: ModelFacts): Translation {
  return new Events(facts);
}

class Events implements Translation {
  private hasCalls = false;
  private refused = false;
  private readonly sealed: object[] = [];
  /** Calls with streamed arguments: ignore the complete arguments at the end. */
  private readonly grown = new Set<number>();

  constructor(private readonly facts: ModelFacts) {}

  take({ data }: Frame, out: StreamEvent[]): void {
    const event = recordOf(parsed(data));
    if (event === null) {
      out.push({ type: "error", failure: { class: "protocol", message: "an event in the answer is not JSON" } });
      return;
    }
    const index = countOf(event.output_index) ?? -1;
    switch (event.type) {
      case "response.output_text.delta":
        say("text", event.delta, out);
        return;
      case "response.refusal.delta":
        this.refused = true;
        say("text", event.delta, out);
        return;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        say("thinking", event.delta, out);
        return;
      case "response.reasoning_summary_part.added":
        say("thinking", (countOf(event.summary_index) ?? 0) > 0 ? "\n\n" : "", out);
        return;
      case "response.output_item.added":
        this.begin(index, recordOf(event.item) ?? {}, out);
        return;
      case "response.function_call_arguments.delta":
        this.grown.add(index);
        if (typeof event.delta === "string" && event.delta !== "")
          out.push({ type: "call.delta", index, json: event.delta });
        return;
      case "response.output_item.done":
        this.close(index, recordOf(event.item) ?? {}, out);
        return;
      case "response.completed":
      case "response.incomplete":
        this.finish(recordOf(event.response) ?? {}, out);
        return;
      case "response.failed":
        out.push({ type: "error", failure: streamFailure({ error: recordOf(event.response)?.error ?? {} }) });
        return;
      case "error":
        out.push({
          type: "error",
          failure: streamFailure(recordOf(event.error) === null ? { ...event, type: null } : event),
        });
    }
  }

  private begin(index: number, item: JsonObject, out: StreamEvent[]): void {
    if (item.type !== "function_call") return;
    this.hasCalls = true;
    out.push({ type: "call.start", index, id: String(item.call_id ?? ""), name: String(item.name ?? "") });
  }

  private close(index: number, item: JsonObject, out: StreamEvent[]): void {
    if (item.type === "reasoning" && typeof item.encrypted_content === "string") {
      const { id, summary = [], encrypted_content } = item;
      this.sealed.push({ type: "reasoning", id, summary, encrypted_content });
    }
    if (item.type !== "function_call" || this.grown.has(index)) return;
    if (typeof item.arguments === "string" && item.arguments !== "") {
      out.push({ type: "call.delta", index, json: item.arguments });
    }
  }

  private finish(response: JsonObject, out: StreamEvent[]): void {
    const fields = recordOf(response.usage) ?? {};
    const total = countOf(fields.input_tokens) ?? 0;
    const { cached_tokens: cached, cache_write_tokens: written } = recordOf(fields.input_tokens_details) ?? {};
    const counts = { ...parted(total, cached, written), output: countOf(fields.output_tokens) ?? 0 };
    const seal = { by: sealOwner(this.facts), data: JSON.stringify(this.sealed) };
    out.push({
      type: "done",
      stop: this.stop(recordOf(response.incomplete_details)?.reason),
      usage: counts,
      ...(this.sealed.length === 0 ? {} : { seal }),
    });
  }

  private stop(reason: unknown): StopReason {
    if (this.refused || reason === "content_filter") return "refusal";
    if (reason === "max_output_tokens") return "length";
    return this.hasCalls ? "tools" : "end";
  }
}

function say(type: "text" | "thinking", text: unknown, out: StreamEvent[]): void {
  if (typeof text === "string" && text !== "") out.push({ type, text });
}
