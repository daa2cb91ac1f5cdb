// Chat completions: what OpenAI began with and every compatible server has, each a little in its own way. Servers that leave out the number
// or the id of a call, end without [DONE] or send thinking under another name are understood.

import type { ModelRequest, StopReason, StreamEvent } from "../abi/stream.ts";
import type { Access } from "./access.ts";
import { type Turn, toolsAndMessages } from "./conversation.ts";
import { toldFailure } from "./failures.ts";
import { countOf, parsed, recordOf } from "./json.ts";
import type { ModelFacts } from "./models.ts";
import type { Frame } from "./sse.ts";
import type { Translation } from "./wire.ts";

export function chatBody(request: ModelRequest, facts: ModelFacts, access: Access): object {
  const maxTokens = Math.min(access.maxTokens, facts.outputTokens);
  return {
    model: facts.isKnown ? facts.id : request.model,
    stream: true,
    stream_options: { include_usage: true },
    // The newer name is OpenAI's alone; the older one is understood everywhere but there.
    ...(access.isOwn && facts.provider === "openai" ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    ...(facts.thinking === "effort" ? { reasoning_effort: effortOf(access) } : {}),
    ...toolsAndMessages(request, messagesOf),
  };
}

export function effortOf({ reasoning }: Access): string {
  return reasoning === "off" || reasoning === "minimal" ? "low" : reasoning === "xhigh" ? "high" : reasoning;
}

function messagesOf(turn: Turn): object[] {
  if (turn.role === "assistant") {
    const calls = turn.calls.map(({ id, name, args }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    const said = turn.text === "" ? null : turn.text;
    return [{ role: "assistant", content: said, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
  }
  const results = turn.results.map(({ callId, output }) => ({ role: "tool", tool_call_id: callId, content: output }));
  return [...results, ...turn.texts.map((text) => ({ role: "user", content: text }))];
}

const STOPS: { readonly [reason: string]: StopReason } = {
  stop: "end",
  tool_calls: "tools",
  function_call: "tools",
  length: "length",
  content_filter: "refusal",
};

/** `name` is what calls without an id are called by. */
export function chatTranslation(name: string): Translation {
  return new Chunks(name);
}

class Chunks implements Translation {
  private counts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  private stop: StopReason | null = null;
  private refused = false;
  /** Calls that were begun, by the number the server gave them. */
  private readonly begun = new Set<number>();

  constructor(private readonly name: string) {}

  used() {
    return this.counts.input + this.counts.output === 0 ? null : this.counts;
  }

  take({ data }: Frame, out: StreamEvent[]): void {
    if (data === "[DONE]") {
      this.end(out);
      return;
    }
    const chunk = recordOf(parsed(data));
    if (chunk === null) {
      out.push({ type: "error", failure: { class: "protocol", message: "an event of the answer is not JSON" } });
      return;
    }
    if (chunk.error !== undefined && chunk.error !== null) {
      out.push({ type: "error", failure: toldFailure(chunk) });
      return;
    }
    this.count(chunk.usage);
    const choice = recordOf(Array.isArray(chunk.choices) ? chunk.choices[0] : undefined);
    if (choice === null) return;
    this.grow(recordOf(choice.delta) ?? {}, out);
    if (typeof choice.finish_reason === "string") this.stop = STOPS[choice.finish_reason] ?? "end";
  }

  /** Some servers send no [DONE]: an answer that said why it stopped has ended all the same. */
  end(out: StreamEvent[]): void {
    if (this.stop === null) return;
    out.push({ type: "done", stop: this.refused ? "refusal" : this.stop, usage: this.counts });
  }

  private grow(delta: { readonly [key: string]: unknown }, out: StreamEvent[]): void {
    const thinking = delta.reasoning_content ?? delta.reasoning;
    if (typeof thinking === "string" && thinking !== "") out.push({ type: "thinking", text: thinking });
    if (typeof delta.content === "string" && delta.content !== "") out.push({ type: "text", text: delta.content });
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      this.refused = true;
      out.push({ type: "text", text: delta.refusal });
    }
    if (!Array.isArray(delta.tool_calls)) return;
    for (const [position, call] of (delta.tool_calls as unknown[]).entries())
      this.call(recordOf(call) ?? {}, position, out);
  }

  private call(part: { readonly [key: string]: unknown }, position: number, out: StreamEvent[]): void {
    const { name, arguments: json } = recordOf(part.function) ?? {};
    const isNew = typeof name === "string" && name !== "";
    const index = countOf(part.index) ?? (isNew ? this.begun.size : Math.max(position, this.begun.size - 1));
    if (!this.begun.has(index)) {
      const id = typeof part.id === "string" && part.id !== "" ? part.id : `${this.name}-${index}`;
      this.begun.add(index);
      out.push({ type: "call.start", index, id, name: isNew ? name : "" });
    }
    if (typeof json === "string" && json !== "") out.push({ type: "call.delta", index, json });
  }

  private count(told: unknown): void {
    const usage = recordOf(told);
    if (usage === null) return;
    const cached = countOf(recordOf(usage.prompt_tokens_details)?.cached_tokens) ?? 0;
    const input = countOf(usage.prompt_tokens) ?? 0;
    this.counts = {
      input: Math.max(0, input - cached),
      output: countOf(usage.completion_tokens) ?? 0,
      cacheRead: Math.min(cached, input),
      cacheWrite: 0,
    };
  }
}
