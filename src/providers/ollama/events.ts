// Translates Ollama's stream. Call arguments come whole; an error is a line of its own.

import type { StreamEvent } from "../../abi/stream.ts";
import { streamFailure } from "../failures.ts";
import { countOf, parsed, recordOf } from "../json.ts";
import type { Frame } from "../sse.ts";
import type { Translation } from "../wire.ts";

/** `name`: prefix of call ids, which Ollama may omit. */
export function ollamaTranslation(name: string): Translation {
  return new Lines(name);
}

class Lines implements Translation {
  private calls = 0;

  constructor(private readonly name: string) {}

  take({ data }: Frame, out: StreamEvent[]): void {
    const line = recordOf(parsed(data));
    if (line === null) {
      out.push({ type: "error", failure: { class: "protocol", message: "a line of the answer is not JSON" } });
      return;
    }
    if (line.error !== undefined) {
      out.push({ type: "error", failure: streamFailure(line) });
      return;
    }
    const { thinking, content, tool_calls: calls } = recordOf(line.message) ?? {};
    if (typeof thinking === "string" && thinking !== "") out.push({ type: "thinking", text: thinking });
    if (typeof content === "string" && content !== "") out.push({ type: "text", text: content });
    if (Array.isArray(calls))
      for (const call of calls as unknown[]) this.call(recordOf(recordOf(call)?.function) ?? {}, out);
    if (line.done !== true) return;
    const stop = line.done_reason === "length" ? "length" : this.calls > 0 ? "tools" : "end";
    const counts = { input: countOf(line.prompt_eval_count) ?? 0, output: countOf(line.eval_count) ?? 0 };
    out.push({ type: "done", stop, usage: { ...counts, cacheRead: 0, cacheWrite: 0 } });
  }

  private call({ name, arguments: args }: { readonly [key: string]: unknown }, out: StreamEvent[]): void {
    const index = this.calls++;
    out.push({ type: "call.start", index, id: `${this.name}-${index}`, name: typeof name === "string" ? name : "" });
    out.push({ type: "call.delta", index, json: typeof args === "string" ? args : JSON.stringify(args ?? {}) });
  }
}
