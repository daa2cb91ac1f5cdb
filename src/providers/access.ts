// Access to a model server: address, key and limits, from the account's settings and the environment of the client that started the run.
// Values of keys are in this type only; they go to the request and to the redactor of its errors.

import type { ServedModel } from "../abi/stream.ts";

/** Values of `ai.reasoning` and `ai.providerStyle`. */
export type Reasoning = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
export type Style = "auto" | "responses" | "chat";

export interface Access {
  /** Null if the server needs no key. */
  readonly apiKey: string | null;
  /** The environment variable of the key; null if it is stored. */
  readonly keyFrom: string | null;
  readonly baseUrl: string;
  /** True for the provider's own address, false for one from the settings. */
  readonly isOwn: boolean;
  readonly reasoning: Reasoning;
  /** Maximum length of an answer. */
  readonly maxTokens: number;
  /** Models as listed by the server, by id. */
  readonly served?: ReadonlyMap<string, ServedModel>;
  /** Context window of unknown models. */
  readonly windowTokens: number;
  /** Maximum time without output, while a model loads or thinks. */
  readonly silenceMs: number;
  /** Maximum time of a whole answer. */
  readonly totalMs: number;
  /** Which of OpenAI's two APIs the server has. */
  readonly style: Style;
  /** Maximum concurrent requests to the server; 0: no limit. */
  readonly parallel: number;
}

/** Normalized http(s) URL without user and password, or null. */
export function serverUrl(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return null;
  return url.href.replace(/\/+$/, "");
}

const OLLAMA_PORT = 11_434;

/** Parses OLLAMA_HOST like Ollama: URL, host, host:port or port. Null if Ollama is disabled ("none"). */
export function ollamaUrl(text: string): string | null {
  const host = text.trim();
  if (host === "none") return null;
  if (host === "") return `http://127.0.0.1:${OLLAMA_PORT}`;
  const [, scheme = "http", rest = ""] = /^(?:(https?):\/\/)?(.*)$/.exec(host) ?? [];
  if (rest.includes("://")) return null;
  const named = rest.startsWith(":") ? `127.0.0.1${rest}` : rest;
  const url = serverUrl(`${scheme}://${named}`);
  if (url === null) return null;
  // 0.0.0.0 is an address to listen on, not to connect to.
  const place = url.replace("//0.0.0.0", "//127.0.0.1");
  return /:\d+(?:\/|$)/.test(place.slice(scheme.length + 3)) || host.includes("://")
    ? place
    : `${place}:${OLLAMA_PORT}`;
}
