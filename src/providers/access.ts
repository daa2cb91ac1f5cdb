// How a model server is reached and asked: what the settings of an account, and the environment of whoever started the run, say about it.
// Values of keys are in here and nowhere else; they are handed to the request and to the redactor of its failures.

import type { ServedModel } from "../abi/stream.ts";

/** The values of `ai.reasoning` and of `ai.providerStyle`. */
export type Reasoning = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
export type Style = "auto" | "responses" | "chat";

export interface Access {
  /** Null for a server that wants none. */
  readonly apiKey: string | null;
  readonly baseUrl: string;
  /** It is the provider's own address, not one that somebody set in its place. */
  readonly isOwn: boolean;
  readonly reasoning: Reasoning;
  /** How long an answer may be. */
  readonly maxTokens: number;
  /** What the server said of its models, by their ids, when it was last asked for its list. */
  readonly served?: ReadonlyMap<string, ServedModel>;
  /** The window of a model that nobody knows. */
  readonly windowTokens: number;
  /** How long a model may think or load without a word. */
  readonly silenceMs: number;
  /** How long one answer may take, from the first byte of the request to the last of the answer. */
  readonly totalMs: number;
  /** Which of OpenAI's two interfaces a server has. */
  readonly style: Style;
  /** Requests that one server is given at once; 0 leaves it to the server. */
  readonly parallel: number;
}

/** An address a request can be sent to: http or https, no name and password in it. Null for anything else. */
export function serverUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  return url.href.replace(/\/+$/, "");
}

const OLLAMA_PORT = 11_434;

/** OLLAMA_HOST as Ollama itself reads it: an address, a host, a host and a port, or only a port. Null: nobody is asked. */
export function ollamaUrl(text: string): string | null {
  const host = text.trim();
  if (host === "none") return null;
  if (host === "") return `http://127.0.0.1:${OLLAMA_PORT}`;
  const [, scheme = "http", rest = ""] = /^(?:(https?):\/\/)?(.*)$/.exec(host) ?? [];
  if (rest.includes("://")) return null;
  const named = rest.startsWith(":") ? `127.0.0.1${rest}` : rest;
  const url = serverUrl(`${scheme}://${named}`);
  if (url === null) return null;
  // What a server listens at is no place to connect to.
  const place = url.replace("//0.0.0.0", "//127.0.0.1");
  return /:\d+(?:\/|$)/.test(place.slice(scheme.length + 3)) || host.includes("://")
    ? place
    : `${place}:${OLLAMA_PORT}`;
}
