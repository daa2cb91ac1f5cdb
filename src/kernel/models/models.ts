import { keyFault } from "../../abi/config/config-value.ts";
import { FREE } from "../../abi/process/money.ts";
import type { Failure, Provider, ServedModel } from "../../abi/stream.ts";
import type { Clock } from "../../lib/clock.ts";
import { abortAfter } from "../../lib/wait.ts";
import type { Access } from "../../providers/access.ts";
import { WireFailure } from "../../providers/failures.ts";
import { factsOf, knownModels, ollamaWindow, usualModel } from "../../providers/models.ts";
import {
  type Choice,
  choiceOf,
  choiceText,
  chooseProvider,
  loadProvider,
  OFFLINE,
  type ProviderPorts,
  providerNames,
  serverOf,
} from "../../providers/table.ts";
import type { ConfigRows } from "../../store/kernel/config.ts";
import type { ModelInfo, ModelPage, ModelTrial } from "../../syscalls/run/ai.ts";
import type { Secrets } from "../settings/secrets.ts";
import { type InUsePorts, lastByKey } from "./last-by-key.ts";
import type { Model } from "./model.ts";
import { tried } from "./model.ts";
import { type Asker, AskersSettings, markOf, rateOf } from "./model-access.ts";
import { providerOf } from "./outages.ts";
import type { ServedModels } from "./served-models.ts";

export interface Models {
  /** Validates a model name before a run uses it. null: the default model. */
  chosen(asker: Asker, explicit: string | null): Promise<string | null>;
  /** The model of a run, followed by its fallbacks. */
  reach(asker: Asker, named: string | null): Promise<readonly [Model, ...Model[]]>;
  list(asker: Asker, provider: string | undefined, signal: AbortSignal): Promise<ModelPage>;
  /** Another key is preferred to this one from now on. */
  refused(keyMark: string): void;
  /** Token limits from the server's list or gsv's own; null if unlimited. Makes no request. */
  windowOf(asker: Asker, named: string): Promise<Model["window"]>;
  test(asker: Asker, named: string | undefined, signal: AbortSignal): Promise<ModelTrial>;
}

export interface ModelsOptions extends ProviderPorts, InUsePorts {
  readonly rows: ConfigRows;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly served: ServedModels;
}

/** Time between checks for a running Ollama. */
const LOOK_AGAIN_MS = 30_000;
const REFUSED_MAX = 1000;
/** Timeout for a server's model list; short for a server that no setting names. */
const LOOK_MS = { named: 5000, unnamed: 1000 };

export function modelsService(options: ModelsOptions): Models {
  const { clock } = options;
  const refused = new Set<string>();
  const read = (asker: Asker) => AskersSettings.read(options, asker, refused);
  const looked = new Map<string, { readonly at: number; readonly model: Promise<string | null> }>();

  async function reach(settings: AskersSettings, choice: Choice, lookMs = LOOK_MS.named): Promise<Model> {
    const name = choiceText(choice);
    try {
      const server = serverOf(choice.provider);
      if (server === null) {
        const provider = await loadProvider(choice.provider, options, NO_ACCESS);
        return { provider, model: choice.model, name, rate: rateOf(settings, choice), ...UNLIMITED };
      }
      const said = await settings.access(choice.provider, server);
      const access = said && { ...said, served: options.served.of(said.baseUrl) };
      if (access === null)
        return unreachable(name, {
          class: "config",
          message: `${choice.provider} is disabled: its address is set to none`,
        });
      if (access.apiKey === null && server.keySetting !== null && access.isOwn) {
        const message = missingText(choice.provider, settings.hasKey(choice.provider));
        const failure: Failure = { class: "auth", message };
        return { ...unreachable(name, failure), missing: failure.message };
      }
      const fault = access.apiKey === null ? null : keyFault(access.apiKey);
      if (fault !== null) {
        const message = `the API key for ${choice.provider} contains ${fault}. Another: gsv auth provider ${choice.provider}`;
        return { ...unreachable(name, { class: "auth", message }), missing: message };
      }
      const provider = await loadProvider(choice.provider, options, access);
      const usual = access.isOwn || server.isPassedOn ? usualModel(choice.provider) : null;
      const model = choice.model || usual || (await firstServed(access.baseUrl, provider, lookMs));
      if (model === null)
        return unreachable(name, {
          class: "config",
          message: `no model set for ${choice.provider}: choose one as ${choice.provider}/MODEL`,
        });
      const reached = { ...choice, model };
      const window = windowOf(choice.provider, model, access);
      const rate = rateOf(settings, reached, access.served?.get(model));
      return {
        provider,
        model,
        name: choiceText(reached),
        missing: null,
        keyMark: access.apiKey === null ? null : markOf(access.apiKey),
        keyFrom: access.keyFrom,
        address: access.baseUrl,
        window,
        rate,
      };
    } catch (error) {
      return unreachable(name, failureOf(error));
    }
  }

  /** First model in the server's list, cached. Throws WireFailure. */
  function firstServed(url: string, provider: Provider, lookMs: number): Promise<string | null> {
    const known = looked.get(url);
    if (known !== undefined && clock.mono() - known.at < LOOK_AGAIN_MS) return known.model;
    const model = abortAfter(clock, lookMs, (signal) => provider.models?.(signal) ?? Promise.resolve([])).then(
      (models) => {
        if (models.length > 0) options.served.keep(url, models, clock.now());
        return models[0]?.id ?? null;
      },
    );
    looked.set(url, { at: clock.mono(), model });
    return model;
  }

  async function byDefault(settings: AskersSettings, asker: Asker): Promise<Model> {
    const lost = await lostModel(settings, asker);
    if (lost !== null) return lost;
    const model = await reach(settings, { provider: "ollama", model: "" }, LOOK_MS.unnamed);
    return model.provider instanceof Unreachable ? reach(settings, OFFLINE) : model;
  }

  /** The model in use before by a key which is gone. It must not become another one in silence. */
  async function lostModel(settings: AskersSettings, asker: Asker): Promise<Model | null> {
    const last = await lastByKey(options, asker);
    if (last === undefined) return null;
    const model = await reach(settings, choiceOf(last));
    const provider = providerOf(last);
    const missing = `No key for ${provider} any more. To set one: gsv auth provider ${provider}`;
    return model.missing === null ? null : { ...unreachable(last, { class: "auth", message: missing }), missing };
  }

  return {
    async chosen(asker, explicit) {
      const choice = choiceFor(await read(asker), explicit);
      return choice === null ? null : choiceText(choice);
    },

    async reach(asker, named) {
      const settings = await read(asker);
      const choice = named === null ? choiceOrNull(settings) : choiceOf(named);
      const first = choice === null ? await byDefault(settings, asker) : await reach(settings, choice);
      const others = fallbacks(settings).filter((other) => choiceText(other) !== first.name);
      return [first, ...(await Promise.all(others.map((other) => reach(settings, other))))];
    },

    refused(mark) {
      // Marks are forgotten with the kernel, and a few are enough.
      if (refused.size < REFUSED_MAX) refused.add(mark);
    },

    async list(asker, wanted, signal) {
      const settings = await read(asker);
      const names = wanted === undefined ? providerNames() : [choiceOf(wanted).provider];
      const parts = await Promise.all(names.map((name) => listOf(options, settings, name, signal)));
      return {
        models: parts.flatMap(({ models }) => models),
        notes: parts.flatMap(({ note }) => (note === null || (wanted === undefined && note.quiet) ? [] : [note.text])),
      };
    },

    async windowOf(asker, named) {
      const [provider = "", ...id] = named.split("/");
      if (id.length === 0 || !providerNames().includes(provider)) return null;
      const server = serverOf(provider);
      if (server === null) return null;
      const settings = await read(asker);
      const access = await settings.access(provider, server).catch(() => null);
      const served = access === null ? undefined : options.served.of(access.baseUrl);
      const windowTokens = Number(settings.text("ai.contextWindowTokens"));
      return windowOf(provider, id.join("/"), { windowTokens, maxTokens: Number.POSITIVE_INFINITY, served });
    },

    async test(asker, named, signal) {
      const settings = await read(asker);
      const choice = choiceFor(settings, named ?? null);
      const model = choice === null ? await byDefault(settings, asker) : await reach(settings, choice);
      return { ...(await tried(model, clock, signal)), address: await addressOf(settings, model.name) };
    },
  };
}

const NO_ACCESS = null as never;
const UNLIMITED = { missing: null, keyMark: null, keyFrom: null, window: null } as const;

function choiceFor(settings: AskersSettings, explicit: string | null): Choice | null {
  const usual = settings.text("ai.provider");
  if (explicit !== null && explicit.trim() !== "") return choiceOf(explicit, usual === "" ? undefined : usual);
  const hasKey = (provider: string) => settings.hasKey(provider);
  return chooseProvider({ model: settings.text("ai.model"), provider: usual, hasKey });
}

/** For a run: invalid settings are ignored. */
function choiceOrNull(settings: AskersSettings): Choice | null {
  try {
    return choiceFor(settings, null);
  } catch {
    return null;
  }
}

function fallbacks(settings: AskersSettings): Choice[] {
  const named = JSON.parse(settings.text("ai.fallback")) as readonly unknown[];
  return named.flatMap((each) => {
    try {
      return typeof each === "string" ? [choiceOf(each)] : [];
    } catch {
      return [];
    }
  });
}

function missingText(provider: string, wasSaved = false): string {
  // Its setting is there, but not the secret, for example in the keychain.
  if (wasSaved) return `The saved key for ${provider} is gone. To set it again: gsv auth provider ${provider}`;
  return `No API key for ${provider}. To set one: gsv auth provider ${provider}`;
}

class Unreachable implements Provider {
  readonly name = "unreachable";
  constructor(readonly failure: Failure) {}

  async *stream() {
    yield { type: "error", failure: this.failure } as const;
  }
}

function windowOf(
  provider: string,
  id: string,
  { windowTokens, maxTokens, served }: Pick<Access, "windowTokens" | "maxTokens" | "served">,
): NonNullable<Model["window"]> {
  const facts = factsOf(provider, id, windowTokens, served?.get(id));
  return {
    windowTokens: provider === "ollama" ? ollamaWindow(facts.windowTokens) : facts.windowTokens,
    outputTokens: Math.min(facts.outputTokens, maxTokens),
  };
}

function unreachable(name: string, failure: Failure): Model {
  const rate = { price: FREE, isOwn: false };
  return { provider: new Unreachable(failure), model: name, name, rate, ...UNLIMITED };
}

function failureOf(error: unknown): Failure {
  if (error instanceof WireFailure) return error.failure;
  return { class: "config", message: error instanceof Error ? error.message : String(error) };
}

interface Part {
  readonly models: readonly ModelInfo[];
  readonly note: { readonly text: string; readonly quiet: boolean } | null;
}

// The server's list if it can be reached, else gsv's own.
async function listOf(
  options: ModelsOptions,
  settings: AskersSettings,
  provider: string,
  signal: AbortSignal,
): Promise<Part> {
  const server = serverOf(provider);
  if (server === null) return { models: [], note: null };
  const windowTokens = Number(settings.text("ai.contextWindowTokens"));
  const known = knownModels(provider).map(({ id }) => ({ id, windowTokens: null }));
  const rowsOf = (served: readonly ServedModel[], from: ModelInfo["from"]) =>
    served.map((each) => modelInfo(provider, each, { windowTokens, from }));
  try {
    const access = await settings.access(provider, server);
    if (access === null) return { models: [], note: null };
    if (access.apiKey === null && server.keySetting !== null && access.isOwn) {
      return {
        models: rowsOf(known, "gsv"),
        note: { text: `${missingText(provider)}. Showing the models that gsv knows.`, quiet: true },
      };
    }
    const loaded = await loadProvider(provider, options, access);
    const kept = options.served.list(access.baseUrl);
    try {
      const served = (await loaded.models?.(signal)) ?? [];
      options.served.keep(access.baseUrl, served, options.clock.now());
      return { models: rowsOf(served, "server"), note: null };
    } catch (error) {
      if (kept === null) throw error;
      const text = `${provider}: ${failureOf(error).message}; showing the list of ${new Date(kept.at).toISOString()}`;
      return { models: rowsOf(kept.models, "server"), note: { text, quiet: provider === "ollama" } };
    }
  } catch (error) {
    return {
      models: rowsOf(known, "gsv"),
      note: { text: `${provider}: ${failureOf(error).message}`, quiet: provider === "ollama" },
    };
  }
}

function modelInfo(
  provider: string,
  served: ServedModel,
  assumed: { readonly windowTokens: number; readonly from: ModelInfo["from"] },
): ModelInfo {
  const facts = factsOf(provider, served.id, assumed.windowTokens, served);
  const { price, aliases, isKnown, thinking } = facts;
  const says = isKnown || served.thinking !== undefined;
  return {
    model: choiceText({ provider, model: served.id }),
    provider,
    windowTokens: served.windowTokens ?? (isKnown ? facts.windowTokens : null),
    outputTokens: isKnown ? facts.outputTokens : (served.outputTokens ?? null),
    inputUsd: price?.input ?? null,
    outputUsd: price?.output ?? null,
    price,
    thinks: says ? thinking !== "none" : null,
    sees: isKnown || served.sees !== undefined ? facts.sees : null,
    aliases,
    from: assumed.from,
  };
}

async function addressOf(settings: AskersSettings, name: string): Promise<string | null> {
  const { provider } = choiceOf(name);
  const server = serverOf(provider);
  const access = server === null ? null : await settings.access(provider, server).catch(() => null);
  return access?.baseUrl ?? null;
}
