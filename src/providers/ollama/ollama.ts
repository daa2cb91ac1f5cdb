// Ollama's own API: JSON lines, whole call arguments, a list of models. By default Ollama truncates long requests to a small window, so each
// request states its window. Requests beyond the configured concurrency wait here, so that waiting does not count as the server's
// silence.

import type { Provider, ServedModel } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Access } from "../access.ts";
import { type ShowMedia, type Turn, textsAndImages, toolsAndMessages } from "../conversation.ts";
import { countOf, recordOf } from "../json.ts";
import { ollamaWindow } from "../models.ts";
import { LineFramer } from "../sse.ts";
import { answered, readJson } from "../wire.ts";
import { ollamaTranslation } from "./events.ts";

/** Until the first byte: the model may have to be loaded and reads the whole request first. */
const FIRST_BYTE_MS = 300_000;

export function ollamaProvider({ clock, access }: { readonly clock: Clock; readonly access: Access }): Provider {
  const headers = {
    "content-type": "application/json",
    ...(access.apiKey === null ? {} : { authorization: `Bearer ${access.apiKey}` }),
  };
  return {
    name: "ollama",
    async *stream(request, signal) {
      const leave = await Slots.at(access).take(signal);
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
    // `think: true` fails for models without thinking; `false` works for all.
    ...(reasoning === "off" ? { think: false } : {}),
    options: { num_ctx: ollamaWindow(served ?? windowTokens), num_predict: maxTokens },
    ...toolsAndMessages(request, (turn) => messagesOf(turn, (said) => textsAndImages(said, request.images, sees))),
  };
}

function messagesOf(turn: Turn, shown: ShowMedia): object[] {
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

/** Slots of one server, first come, first served. */
class Slots {
  private static readonly servers = new Map<string, Slots>();
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  static at({ baseUrl, parallel }: Access): Slots {
    const slots = Slots.servers.get(baseUrl) ?? new Slots();
    Slots.servers.set(baseUrl, slots);
    slots.most = parallel === 0 ? Number.POSITIVE_INFINITY : parallel;
    return slots;
  }

  private most = 1;

  /** Returns a release function, to be called once; null if aborted while waiting. */
  async take(signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (this.taken < this.most) this.taken++;
    else if (!(await this.turn(signal))) return null;
    return () => {
      // Hand the slot to the next waiter directly, so that no one can get in between.
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

/** GET, or POST if there is a body. */
type Asks = (path: string, waitMs: number, body?: object) => Promise<unknown>;

type Row = { readonly [key: string]: unknown };

const LIST_MS = 10_000;
/** Short: a user may be waiting for the list. */
const DESCRIPTION_MS = 300;
const DESCRIPTIONS_MS = 600;
const AT_ONCE = 4;

async function modelsListed(ask: Asks, clock: Pick<Clock, "mono">): Promise<readonly ServedModel[]> {
  const rows = rowsOf(recordOf(await ask("/api/tags", LIST_MS))?.models);
  const told = rows.map(modelOf);
  const left = told.flatMap(({ windowTokens }, at) => (windowTokens === null ? [at] : []));
  const until = clock.mono() + DESCRIPTIONS_MS;
  const describe = async () => {
    for (let at = left.shift(); at !== undefined && clock.mono() < until; at = left.shift()) {
      const row = rows[at];
      if (row !== undefined) told[at] = modelOf({ ...row, ...(await described(ask, row.name)) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, describe));
  return told;
}

async function described(ask: Asks, model: unknown): Promise<Row> {
  const { capabilities, model_info: facts } =
    recordOf(await ask("/api/show", DESCRIPTION_MS, { model }).catch(() => null)) ?? {};
  // The key starts with the model family.
  const [, window] = Object.entries(recordOf(facts) ?? {}).find(([key]) => key.endsWith(".context_length")) ?? [];
  return { context_length: window, ...(capabilities === undefined ? {} : { capabilities }) };
}

function rowsOf(models: unknown): readonly (Row & { readonly name: string })[] {
  return (Array.isArray(models) ? models : []).flatMap((row: unknown) => {
    const { name, ...more } = recordOf(row) ?? {};
    return typeof name === "string" ? [{ ...more, name }] : [];
  });
}

function modelOf({ name, context_length: window, capabilities }: Row): ServedModel {
  const can = Array.isArray(capabilities) ? (capabilities as unknown[]) : null;
  const sees = can === null ? {} : { sees: can.includes("vision") };
  return { id: String(name), windowTokens: countOf(window), ...sees };
}
