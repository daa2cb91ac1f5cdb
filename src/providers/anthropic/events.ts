// Translates Anthropic's stream events. Ignores unknown events, and blocks other than text, thinking and tool calls.

import type { StopReason, StreamEvent } from "../../abi/stream.ts";
import { sealOwner } from "../conversation.ts";
import { streamFailure } from "../failures.ts";
import { countOf, type JsonObject, parsed, recordOf } from "../json.ts";
import type { ModelFacts } from "../models.ts";
import type { Frame } from "../sse.ts";
import type { Translation } from "../wire.ts";

const STOPS: { readonly [reason: string]: StopReason } = {
  end_turn: "end",
  stop_sequence: "end",
  pause_turn: "end",
  tool_use: "tools",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
};

/** A turn to send back: thinking blocks as received, and the positions of text and calls between them. */
export type SealedBlock =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "text"; chars: number }
  | { type: "tool_use" };

export function anthropicTranslation(facts: ModelFacts): Translation {
  return new Events(facts);
}

class Events implements Translation {
  private counts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  private stop: StopReason | null = null;
  private readonly blocks = new Map<number, SealedBlock>();

  constructor(private readonly facts: ModelFacts) {}

  take({ data }: Frame, out: StreamEvent[]): void {
    const event = recordOf(parsed(data));
    if (event === null) {
      out.push({ type: "error", failure: { class: "protocol", message: "an event in the answer is not JSON" } });
      return;
    }
    switch (event.type) {
      case "content_block_delta":
        this.grow(countOf(event.index) ?? -1, recordOf(event.delta) ?? {}, out);
        return;
      case "content_block_start":
        this.begin(countOf(event.index) ?? -1, recordOf(event.content_block) ?? {}, out);
        return;
      case "message_start":
        this.count(recordOf(event.message)?.usage);
        return;
      case "message_delta":
        this.stop = STOPS[String(recordOf(event.delta)?.stop_reason)] ?? this.stop;
        this.count(event.usage);
        return;
      case "message_stop":
        out.push(this.done());
        return;
      case "error":
        out.push({ type: "error", failure: streamFailure(event) });
    }
  }

  private begin(index: number, block: JsonObject, out: StreamEvent[]): void {
    switch (block.type) {
      case "tool_use":
        this.blocks.set(index, { type: "tool_use" });
        out.push({ type: "call.start", index, id: String(block.id ?? ""), name: String(block.name ?? "") });
        if (Object.keys(recordOf(block.input) ?? {}).length > 0) {
          out.push({ type: "call.delta", index, json: JSON.stringify(block.input) });
        }
        return;
      case "thinking":
        this.blocks.set(index, { type: "thinking", thinking: "", signature: "" });
        this.grow(index, { type: "thinking_delta", thinking: block.thinking }, out);
        return;
      case "redacted_thinking":
        this.blocks.set(index, { type: "redacted_thinking", data: String(block.data ?? "") });
        return;
      case "text":
        this.blocks.set(index, { type: "text", chars: 0 });
        this.grow(index, { type: "text_delta", text: block.text }, out);
        return;
    }
  }

  private grow(index: number, delta: JsonObject, out: StreamEvent[]): void {
    const block = this.blocks.get(index);
    switch (delta.type) {
      case "text_delta":
        if (typeof delta.text !== "string" || delta.text === "") return;
        if (block?.type === "text") block.chars += delta.text.length;
        out.push({ type: "text", text: delta.text });
        return;
      case "input_json_delta":
        if (typeof delta.partial_json === "string" && delta.partial_json !== "") {
          out.push({ type: "call.delta", index, json: delta.partial_json });
        }
        return;
      case "thinking_delta":
        if (typeof delta.thinking !== "string" || delta.thinking === "") return;
        if (block?.type === "thinking") block.thinking += delta.thinking;
        out.push({ type: "thinking", text: delta.thinking });
        return;
      case "signature_delta":
        if (block?.type === "thinking") block.signature += String(delta.signature ?? "");
    }
  }

  // Counts come with the first event and again, grown, with the last; absent ones do not change.
  private count(fields: unknown): void {
    const usage = recordOf(fields) ?? {};
    const { counts } = this;
    this.counts = {
      input: countOf(usage.input_tokens) ?? counts.input,
      output: countOf(usage.output_tokens) ?? counts.output,
      cacheRead: countOf(usage.cache_read_input_tokens) ?? counts.cacheRead,
      cacheWrite: countOf(usage.cache_creation_input_tokens) ?? counts.cacheWrite,
    };
  }

  used() {
    return this.counts.input + this.counts.output === 0 ? null : this.counts;
  }

  private done(): StreamEvent {
    const blocks = [...this.blocks.values()].filter((block) => block.type !== "thinking" || block.signature !== "");
    const isSealed = blocks.some(({ type }) => type === "thinking" || type === "redacted_thinking");
    const seal = isSealed ? { seal: { by: sealOwner(this.facts), data: JSON.stringify(blocks) } } : {};
    return { type: "done", stop: this.stop ?? "end", usage: this.counts, ...seal };
  }
}
