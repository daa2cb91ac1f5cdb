// Ollama by its own interface: JSON lines, arguments of calls whole, models listed by the server. Without a word about it Ollama cuts a long
// request off at its small usual window, so each request says how large a window it needs. A server is given no more requests at once
// than it works on: the others wait here, where waiting is no silence of the server's.

import type { Provider } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Access } from "../access.ts";
import { type Shows, shownOf, type Turn, toolsAndMessages } from "../conversation.ts";
import { ollamaWindow } from "../models.ts";
import { LineFramer } from "../sse.ts";
import { answered, readJson } from "../wire.ts";
import { ollamaTranslation } from "./events.ts";
import { type Asks, modelsListed } from "./models.ts";

/** Until the first byte: a model may have to be loaded, and reads the whole request first. */
const FIRST_BYTE_MS = 300_000;

export function ollamaProvider({ clock, access }: { readonly clock: Clock; readonly access: Access }): Provider {
  const headers = {
    "content-type": "application/json",
    ...(access.apiKey === null ? {} : { authorization: `Bearer ${access.apiKey}` }),
  };
  return {
    name: "ollama",
    async *stream(request, signal) {
      const leave = await Places.at(access).take(signal);
      if (leave === null) return yield { type: "aborted" };
      try {
        yield* answered({
          access,
          clock,
          signal,
          type: "application/x-ndjson",
          framer: new LineFramer(),
          translation: ollamaTranslation(`ollama-${request.messages.at(-1)?.id ?? 0}`),
          firstByteMs: FIRST_BYTE_MS,
          send: (fetch, abort) => {
            const body = JSON.stringify(bodyOf(request, access));
            return fetch(`${access.baseUrl}/api/chat`, { method: "POST", headers, body, signal: abort });
          },
        });
      } finally {
        leave();
      }
    },
    async models(signal) {
      const ask: Asks = (path, waitMs, body) => {
        const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
        return readJson({ access, clock, signal }, `${access.baseUrl}${path}`, init, waitMs);
      };
      return await modelsListed(ask, clock);
    },
  };
}

type Request = Parameters<Provider["stream"]>[0];

function bodyOf(request: Request, access: Access): object {
  const { maxTokens, reasoning, windowTokens } = access;
  const { windowTokens: served, sees = false } = access.served?.get(request.model) ?? {};
  return {
    model: request.model,
    stream: true,
    // Only models that think take yes for an answer; every model takes no.
    ...(reasoning === "off" ? { think: false } : {}),
    options: { num_ctx: ollamaWindow(served ?? windowTokens), num_predict: maxTokens },
    ...toolsAndMessages(request, (turn) => messagesOf(turn, (said) => shownOf(said, request.images, sees))),
  };
}

function messagesOf(turn: Turn, shown: Shows): object[] {
  if (turn.role === "assistant") {
    const calls = turn.calls.map(({ name, args }) => ({ function: { name, arguments: args } }));
    return [{ role: "assistant", content: turn.text, ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
  }
  const results = turn.results.map(({ tool, output }) => ({ role: "tool", tool_name: tool, content: output }));
  const { texts, images } = shown(turn);
  const said = texts.map((text) => ({ role: "user", content: text }));
  if (images.length === 0) return [...results, ...said];
  return [...results, ...said.slice(0, -1), { ...said.at(-1), images: images.map(({ data }) => data) }];
}

/** The places of one server, first come, first served. */
class Places {
  private static readonly servers = new Map<string, Places>();
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  static at({ baseUrl, parallel }: Access): Places {
    const places = Places.servers.get(baseUrl) ?? new Places();
    Places.servers.set(baseUrl, places);
    places.most = parallel === 0 ? Number.POSITIVE_INFINITY : parallel;
    return places;
  }

  private most = 1;

  /** The way to give the place back, once; null when whoever waited has gone. */
  async take(signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (this.taken < this.most) this.taken++;
    else if (!(await this.turn(signal))) return null;
    return () => {
      // Who waits takes the place over, so that nobody comes in between.
      const next = this.waiting.shift();
      if (next === undefined) this.taken--;
      else next();
    };
  }

  private turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener("abort", gone);
        resolve(true);
      };
      const gone = () => {
        this.waiting.splice(this.waiting.indexOf(go), 1);
        resolve(false);
      };
      this.waiting.push(go);
      signal.addEventListener("abort", gone, { once: true });
    });
  }
}
