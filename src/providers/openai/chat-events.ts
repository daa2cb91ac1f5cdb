// Translates chat completion chunks. Compatible servers differ: calls without index or id, all with one index, or whole; thinking under
// other names; usage in other places; an end without [DONE].

import type { Reported } from "../../abi/process/money.ts";
import type { StopReason, StreamEvent } from "../../abi/stream.ts";
import { sealOwner } from "../conversation.ts";
import { streamFailure } from "../failures.ts";
import { countOf, type JsonObject, parsed, recordOf } from "../json.ts";
import type { ModelFacts } from "../models.ts";
import type { Frame } from "../sse.ts";
import type { Translation } from "../wire.ts";

/** Data that a server wants back with a turn that made calls. */
export interface KeptTurn {
  readonly reasoning_content?: string;
  readonly reasoning_details?: readonly object[];
  /** By index of the call. */
  readonly marks?: { readonly [call: number]: unknown };
}

const STOPS: { readonly [reason: string]: StopReason } = {
  stop: "end",
  eos: "end",
  tool_calls: "tools",
  function_call: "tools",
  length: "length",
  max_tokens: "length",
  content_filter: "refusal",
  safety: "refusal",
};
/** Reasons that are errors. */
const BROKEN = ["error", "insufficient_system_resource", "abort"];

/** `name`: prefix of ids for calls without one. */
export function chatTranslation(facts: ModelFacts, name: string): Translation {
  return new Chunks(facts, name);
}

class Chunks implements Translation {
  private counts: Reported = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  private stop: StopReason | null = null;
  private refused = false;
  private readonly calls: Calls;
  private readonly thoughts = new Thoughts();

  constructor(
    private readonly facts: ModelFacts,
    name: string,
  ) {
    this.calls = new Calls(name);
  }

  take({ data }: Frame, out: StreamEvent[]): void {
    if (data === "[DONE]") {
      this.end(out);
      return;
    }
    const chunk = recordOf(parsed(data));
    if (chunk === null) {
      out.push({ type: "error", failure: { class: "protocol", message: "an event in the answer is not JSON" } });
      return;
    }
    if ((chunk.error !== undefined && chunk.error !== null) || chunk.object === "error") {
      out.push({ type: "error", failure: streamFailure(chunk) });
      return;
    }
    const choices: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    // A server may send several answers, interleaved: only the first one counts.
    const choice = recordOf(choices.find((each) => (recordOf(each)?.index ?? 0) === 0));
    this.count(chunk.usage ?? recordOf(chunk.x_groq)?.usage ?? choice?.usage);
    if (choice === null) return;
    this.grow(recordOf(choice.delta) ?? {}, out);
    const reason = typeof choice.finish_reason === "string" ? choice.finish_reason.toLowerCase() : null;
    if (reason !== null && BROKEN.includes(reason)) {
      const failure = { class: "outage", message: `the server broke the answer off (${reason})` } as const;
      out.push({ type: "error", failure });
    } else if (reason !== null) this.stop = STOPS[reason] ?? "end";
  }

  used() {
    return this.counts.input + this.counts.output === 0 ? null : this.counts;
  }

  /** For servers without [DONE]: an answer with a stop reason is complete. */
  end(out: StreamEvent[]): void {
    if (this.stop === null) return;
    const usage = this.counts;
    const kept = this.calls.count === 0 ? null : { ...this.thoughts.kept(), ...this.calls.kept() };
    const hasSeal = kept !== null && Object.keys(kept).length > 0;
    const seal = hasSeal ? { seal: { by: sealOwner(this.facts), data: JSON.stringify([kept]) } } : {};
    out.push({ type: "done", stop: this.refused ? "refusal" : this.stop, usage, ...seal });
  }

  private grow(delta: JsonObject, out: StreamEvent[]): void {
    this.thoughts.take(delta, out);
    for (const part of Array.isArray(delta.content) ? (delta.content as unknown[]) : [delta.content]) {
      const { type, text, thinking } = recordOf(part) ?? { type: "text", text: part };
      if (type === "text" && typeof text === "string" && text !== "") out.push({ type, text });
      if (type === "thinking" && Array.isArray(thinking))
        for (const piece of thinking as unknown[]) this.thoughts.take({ reasoning: recordOf(piece)?.text }, out);
    }
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      this.refused = true;
      out.push({ type: "text", text: delta.refusal });
    }
    if (!Array.isArray(delta.tool_calls)) return;
    for (const [place, call] of (delta.tool_calls as unknown[]).entries())
      this.calls.take(recordOf(call) ?? {}, place, out);
  }

  private count(fields: unknown): void {
    const usage = recordOf(fields);
    if (usage === null) return;
    const { cached_tokens: cached, cache_write_tokens: written } = recordOf(usage.prompt_tokens_details) ?? {};
    const hit = cached ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens;
    const output = countOf(usage.completion_tokens) ?? 0;
    // Some servers report the cost.
    const { cost } = usage;
    const said = typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? { costUsd: cost } : {};
    this.counts = { ...parted(countOf(usage.prompt_tokens) ?? 0, hit, written), output, ...said };
  }
}

/** Splits input tokens into cached and other ones. */
export function parted(total: number, cached: unknown, written: unknown) {
  const cacheRead = Math.min(countOf(cached) ?? 0, total);
  const cacheWrite = Math.min(countOf(written) ?? 0, total - cacheRead);
  return { input: total - cacheRead - cacheWrite, cacheRead, cacheWrite };
}

interface Open {
  readonly at: number;
  readonly id: string;
  isBegun: boolean;
  /** Arguments that came before the name. */
  early: string;
}

class Calls {
  /** By the server's index; a repeated index refers to the newer call. */
  private readonly open = new Map<number, Open>();
  private readonly marks = new Map<number, unknown>();
  private last = 0;
  count = 0;

  constructor(private readonly name: string) {}

  take(part: JsonObject, place: number, out: StreamEvent[]): void {
    const fields = recordOf(part.function) ?? {};
    const name = typeof fields.name === "string" ? fields.name : "";
    const id = typeof part.id === "string" ? part.id : "";
    const number = countOf(part.index) ?? (name === "" ? Math.max(place, this.last) : this.count);
    const call = this.callOf(number, id, name);
    this.last = number;
    if (part.extra_content !== undefined && part.extra_content !== null) this.marks.set(call.at, part.extra_content);
    const json = typeof fields.arguments === "string" ? fields.arguments : objectText(fields.arguments);
    if (!call.isBegun && name === "") {
      call.early += json;
      return;
    }
    if (!call.isBegun) out.push({ type: "call.start", index: call.at, id: call.id, name });
    const pieces = call.isBegun ? json : call.early + json;
    call.isBegun = true;
    if (pieces !== "") out.push({ type: "call.delta", index: call.at, json: pieces });
  }

  kept(): KeptTurn {
    return this.marks.size === 0 ? {} : { marks: Object.fromEntries(this.marks) };
  }

  private callOf(number: number, id: string, name: string): Open {
    const known = this.open.get(number);
    if (known !== undefined && (id === "" || id === known.id || name === "" || !known.isBegun)) return known;
    const at = this.count++;
    const call = { at, id: id === "" ? `${this.name}-${at}` : id, isBegun: false, early: "" };
    this.open.set(number, call);
    return call;
  }
}

function objectText(value: unknown): string {
  return recordOf(value) === null ? "" : JSON.stringify(value);
}

/** Thinking: shown as it comes, and kept in the form to send back. */
class Thoughts {
  private content = "";
  private readonly details: { [key: string]: unknown }[] = [];

  take(delta: JsonObject, out: StreamEvent[]): void {
    const { reasoning_content: content, reasoning, reasoning_details: details } = delta;
    if (typeof content === "string") this.content += content;
    const text = content ?? reasoning;
    if (typeof text === "string" && text !== "") out.push({ type: "thinking", text });
    for (const each of Array.isArray(details) ? (details as unknown[]) : []) this.detail(recordOf(each));
  }

  kept(): KeptTurn {
    if (this.details.length > 0) return { reasoning_details: this.details };
    return this.content === "" ? {} : { reasoning_content: this.content };
  }

  // Pieces with the same index are joined.
  private detail(piece: JsonObject | null): void {
    if (piece === null) return;
    const last = this.details.at(-1);
    if (last === undefined || last.type !== piece.type || last.index !== piece.index) {
      this.details.push({ ...piece });
      return;
    }
    for (const [key, value] of Object.entries(piece)) {
      const grows = GROWING.includes(key) && typeof last[key] === "string" && typeof value === "string";
      if (grows) last[key] = `${last[key]}${value}`;
      else if (value !== null) last[key] = value;
    }
  }
}

const GROWING: readonly string[] = ["text", "summary", "data"];
