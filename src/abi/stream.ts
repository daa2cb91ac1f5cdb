// One model answer as a stream of events, whatever the wire format behind it. A stream never throws:
// failure and abort are its last event, and nothing follows the last event.

import type { Message, Seal } from "./process/message.ts";
import type { Reported } from "./process/money.ts";

export type StopReason = "end" | "tools" | "length" | "refusal";

/** Failure classes decide the next step, so the provider sets them. Never guess them from a text. */
export type FailureClass =
  | "throttle"
  | "quota"
  | "outage"
  | "network"
  | "timeout"
  | "config"
  | "auth"
  /** The server does not have the model. */
  | "model"
  /** No model server is at the address, or one that sends nothing usable. */
  | "server"
  | "request"
  | "overflow"
  | "protocol"
  | "content";

export interface Failure {
  readonly class: FailureClass;
  readonly message: string;
  /** HTTP status of the server's answer. */
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The host has no network. */
  readonly isOffline?: true;
}

export type StreamEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "call.start"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "call.delta"; readonly index: number; readonly json: string }
  | { readonly type: "done"; readonly stop: StopReason; readonly usage: Reported; readonly seal?: Seal }
  /** Usage so far, if known. */
  | { readonly type: "error"; readonly failure: Failure; readonly usage?: Reported }
  | { readonly type: "aborted"; readonly usage?: Reported };

/** The name of a model call in a process's call log. */
export const MODEL_CALL = "llm.chat";

/** A tool in the form sent to a model. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: { readonly [key: string]: unknown };
}

export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Caller and working directory, used only by local providers. */
  readonly about: { readonly pid: string; readonly home: string; readonly cwd: string };
  /** Images of these messages by id, in base64. */
  readonly images?: ReadonlyMap<string, string>;
  /** Purpose of a call that is not a turn, used only by providers without a model. */
  readonly purpose?: "summary";
  /** History before `messages`, oldest first, read lazily. Used only by scripted providers. */
  readonly earlier?: () => AsyncIterable<readonly Message[]>;
}

/** How a model's thinking is set: not at all, by level, or by a token budget. `always` cannot be turned off. */
export type Thinking = "none" | "effort" | "budget" | "adaptive" | "always";

/** A model as its server lists it. Unknown fields are missing. */
export interface ServedModel {
  readonly id: string;
  /** null if unknown. */
  readonly windowTokens: number | null;
  readonly outputTokens?: number;
  /** US dollars per million tokens. */
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
  readonly thinking?: Thinking;
  readonly sees?: boolean;
}

export interface Provider {
  readonly name: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<StreamEvent>;
  /** The models that a server lists. Rejects with an error that holds a Failure. */
  models?(signal: AbortSignal): Promise<readonly ServedModel[]>;
}
