// Folds the events of one answer into a finished turn. Strict: call parts belong to a started call, arguments are one JSON object, exactly
// one last event, nothing after it. A violation is a `protocol` failure, never an exception. Calls of a failed or aborted answer
// are dropped; its text is kept.

import { LIMITS } from "../abi/config/limits.ts";
import { normaliseText, type Seal, type ToolCall } from "../abi/process/message.ts";
import type { Reported } from "../abi/process/money.ts";
import type { Failure, StopReason, StreamEvent } from "../abi/stream.ts";
import { isNestedDeeper } from "../lib/depth.ts";
import { clip } from "../lib/text/truncate.ts";

const TOOL_NAME_CHARS_MAX = 128;
const CALL_ID_CHARS_MAX = 256;
const NOT_IN_NAMES = /[^A-Za-z0-9_.:/-]/g;
const NOT_IN_IDS = /[^\x21-\x7e]/g;

interface PartialText {
  readonly text: string;
  readonly thinking: string;
}

export type Folded = PartialText &
  (
    | {
        readonly kind: "turn";
        readonly calls: readonly ToolCall[];
        readonly stop: StopReason;
        readonly usage: Reported;
        readonly seal?: Seal;
      }
    | { readonly kind: "failure"; readonly failure: Failure; readonly usage?: Reported }
    | { readonly kind: "aborted"; readonly usage?: Reported }
  );

interface OpenCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  json: string;
}

type LastEvent = Extract<StreamEvent, { readonly type: "done" | "error" | "aborted" }>;

// Limit for one answer, far above real ones: a runaway server must not fill memory.
const ANSWER_CHARS_MAX = 16 * 1024 * 1024;

export class Folder {
  private text = "";
  private thinking = "";
  private chars = 0;
  private readonly calls = new Map<number, OpenCall>();
  private last: LastEvent | null = null;
  private breach: string | null = null;

  /** Without an incomplete surrogate pair at the end. */
  get said(): string {
    return normaliseText(this.text.replace(/[\uD800-\uDBFF]$/, ""));
  }

  /** False once the answer is complete or invalid. */
  push(event: StreamEvent): boolean {
    if (this.breach !== null) return false;
    if (this.last !== null) return this.broken(`event ${event.type} came after the last event (${this.last.type})`);
    switch (event.type) {
      case "text":
        this.text += event.text;
        return this.grew(event.text.length);
      case "thinking":
        this.thinking += event.text;
        return this.grew(event.text.length);
      case "call.start":
        return this.begin(event.index, event.id, event.name);
      case "call.delta":
        return this.extend(event.index, event.json);
      default:
        this.last = event;
        return false;
    }
  }

  /** Call at the end of the stream. */
  end(): Folded {
    const said: PartialText = { text: normaliseText(this.text), thinking: normaliseText(this.thinking) };
    if (this.breach !== null) return { kind: "failure", ...said, failure: protocol(this.breach) };
    const last = this.last;
    if (last === null) return { kind: "failure", ...said, failure: protocol("the answer stopped without an end") };
    const used = last.usage === undefined ? {} : { usage: last.usage };
    if (last.type === "aborted") return { kind: "aborted", ...said, ...used };
    if (last.type === "error") return { kind: "failure", ...said, failure: last.failure, ...used };
    return this.finish(said, last);
  }

  private begin(index: number, givenId: string, givenName: string): boolean {
    const id = plain(givenId, NOT_IN_IDS, CALL_ID_CHARS_MAX);
    const name = plain(givenName, NOT_IN_NAMES, TOOL_NAME_CHARS_MAX);
    if (id === "" || name === "") return this.broken("a tool call came without an id or a name");
    if (this.calls.has(index)) return this.broken(`tool call ${index} was started twice`);
    for (const call of this.calls.values()) {
      if (call.id === id) return this.broken(`two tool calls have the id ${JSON.stringify(clip(id))}`);
    }
    if (this.calls.size >= LIMITS.toolCallsPerTurnMax) {
      return this.broken(`the answer holds more than ${LIMITS.toolCallsPerTurnMax} tool calls`);
    }
    this.calls.set(index, { index, id, name, json: "" });
    return this.grew(id.length + name.length);
  }

  private extend(index: number, json: string): boolean {
    const call = this.calls.get(index);
    if (call === undefined) return this.broken(`arguments came for tool call ${index}, which was not started`);
    call.json += json;
    return this.grew(json.length);
  }

  private grew(chars: number): boolean {
    this.chars += chars;
    return this.chars <= ANSWER_CHARS_MAX || this.broken(`the answer is longer than ${ANSWER_CHARS_MAX} characters`);
  }

  private broken(fault: string): false {
    this.breach = fault;
    return false;
  }

  private finish(said: PartialText, { stop, usage, seal }: Extract<LastEvent, { readonly type: "done" }>): Folded {
    const calls: ToolCall[] = [];
    for (const call of [...this.calls.values()].sort((left, right) => left.index - right.index)) {
      const args = parseArguments(call.json);
      if (typeof args === "string") {
        const cut = stop === "length" ? " (the answer was cut at its output limit)" : "";
        return {
          kind: "failure",
          ...said,
          failure: protocol(`the arguments of ${JSON.stringify(clip(call.name))} ${args}${cut}`),
          usage,
        };
      }
      calls.push({ id: call.id, name: call.name, args });
    }
    if (stop === "tools" && calls.length === 0) {
      return { kind: "failure", ...said, failure: protocol("the answer stopped for tools but has no calls"), usage };
    }
    // Some servers end an answer with calls with a plain "end".
    const ended = stop === "end" && calls.length > 0 ? "tools" : stop;
    return { kind: "turn", ...said, calls, stop: ended, usage, ...(seal === undefined ? {} : { seal }) };
  }
}

// Names and ids go into history, to clients and back to the server: invalid characters are replaced here. A changed name matches no tool,
// and the model gets that error.
function plain(text: string, strangers: RegExp, charsMax: number): string {
  return text.slice(0, charsMax).replace(strangers, "_");
}

// Returns the arguments, or what is wrong with them. Some servers send nothing for no arguments.
function parseArguments(json: string): ToolCall["args"] | string {
  if (json.trim() === "") return {};
  if (isNestedDeeper(json, LIMITS.jsonDepthMax)) return `are nested deeper than ${LIMITS.jsonDepthMax}`;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return "are not JSON";
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "are not a JSON object";
  return value as ToolCall["args"];
}

function protocol(message: string): Failure {
  return { class: "protocol", message };
}
