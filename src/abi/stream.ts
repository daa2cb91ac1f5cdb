// One model answer as a stream of events, whatever the wire format behind it. A stream never throws:
// failure and abort are its last event, and nothing follows the last event.

import type { Message, Seal } from "./process/message.ts";
import type { Reported } from "./process/money.ts";

export type StopReason = "end" | "tools" | "length" | "refusal";

/** Failure classes decide what happens next, so they are told by the provider and never guessed from a message text. */
export type FailureClass =
  | "throttle"
  | "quota"
  | "outage"
  | "network"
  | "timeout"
  | "config"
  | "auth"
  | "request"
  | "overflow"
  | "protocol"
  | "content";

export interface Failure {
  readonly class: FailureClass;
  readonly message: string;
  readonly retryAfterMs?: number;
  /** This machine has no way to any server. */
  readonly isOffline?: true;
}

export type StreamEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "call.start"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: "call.delta"; readonly index: number; readonly json: string }
  | { readonly type: "done"; readonly stop: StopReason; readonly usage: Reported; readonly seal?: Seal }
  /** With what it used until then, where that is known. */
  | { readonly type: "error"; readonly failure: Failure; readonly usage?: Reported }
  | { readonly type: "aborted"; readonly usage?: Reported };

/** The name of a model call in a process's call log. */
export const MODEL_CALL = "llm.chat";

/** A tool as a model sees it. */
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
  /** Who asks and where it stands; only providers that run on this machine look at it. */
  readonly about: { readonly pid: string; readonly home: string; readonly cwd: string };
  /** The images of these messages that can be shown, by their id, in base64. */
  readonly images?: ReadonlyMap<string, string>;
  /** What is wanted, where that is no turn of a conversation; only providers that are no models look at it. */
  readonly purpose?: "summary";
  /** History before `messages`, oldest first, read as it is asked for; only a provider that must know its place looks at it. */
  readonly earlier?: () => AsyncIterable<readonly Message[]>;
}

/** How a model is told how much to think: not at all, by its own measure, or by a budget of tokens; `always` cannot be turned off. */
export type Thinking = "none" | "effort" | "budget" | "adaptive" | "always";

/** A model as its server lists it; what the server does not say is left out. */
export interface ServedModel {
  readonly id: string;
  /** Null where the server does not say. */
  readonly windowTokens: number | null;
  readonly outputTokens?: number;
  /** US dollars for a million tokens. */
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
  /** Those there are now, as far as anybody outside of this machine has to be asked. Rejects with an error that holds a Failure. */
  models?(signal: AbortSignal): Promise<readonly ServedModel[]>;
}
