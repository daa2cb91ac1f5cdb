// Which providers exist, how one is chosen and how it is loaded. Only what is listed here can ever be chosen. Each is one lazily imported
// file, so that choosing costs nothing, and nothing of an SDK is loaded before a model is asked.

import { SETTINGS, type Setting, type SettingName } from "../abi/config/config.ts";
import { SysError } from "../abi/errno.ts";
import type { Provider } from "../abi/stream.ts";
import type { Clock } from "../lib/clock.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { ManualSection } from "../prompts/manual.ts";
import type { Access } from "./access.ts";
import { knownModels, modelNamed } from "./models.ts";

/** What providers are handed by whoever builds them; each takes what it needs. */
export interface ProviderPorts {
  readonly clock: Clock;
  readonly manual: () => Promise<readonly ManualSection[]>;
}

export interface Choice {
  readonly provider: string;
  /** Empty where none was named. */
  readonly model: string;
}

/** A provider that is a server: where it is, and which settings say more about it. */
export interface Server {
  readonly baseUrl: string;
  readonly urlSetting: SettingName | null;
  /** Null where it wants no key. */
  readonly keySetting: SettingName | null;
  /** Whether a key alone is enough to be chosen. */
  readonly byKey?: true;
  /** Who answers at another address passes requests on: it has the same models. */
  readonly isPassedOn?: true;
}

interface Entry {
  /** As a person writes it in GSV_MODEL. */
  readonly form: string;
  /** What stands behind the provider becomes the model; throws when it cannot be one. */
  readonly model: (rest: string) => string;
  readonly server?: Server;
  /** Handed the access only where there is a server. */
  readonly load: (ports: ProviderPorts, access: Access) => Promise<Provider>;
}

const PROVIDERS: { readonly [name: string]: Entry } = {
  offline: {
    form: "offline",
    model: (rest) => {
      if (rest !== "" && rest !== "offline") {
        throw unusable(`offline takes no model name, not ${JSON.stringify(cut(rest))}`);
      }
      return "offline";
    },
    load: async (ports) => (await import("./offline/offline.ts")).offlineProvider(ports),
  },
  script: {
    form: "script:/path/to/file",
    model: (rest) => {
      if (!rest.startsWith("/")) throw unusable("script needs the absolute path of a file after script:");
      return rest;
    },
    load: async (ports) => (await import("./script/script.ts")).scriptProvider(ports),
  },
  anthropic: {
    form: "anthropic/MODEL",
    model: (rest) => modelOf("anthropic", rest),
    server: {
      baseUrl: "https://api.anthropic.com",
      urlSetting: "baseUrls.anthropic",
      keySetting: "apiKeys.anthropic",
      byKey: true,
      isPassedOn: true,
    },
    load: async ({ clock }, access) => (await import("./anthropic/anthropic.ts")).anthropicProvider({ clock, access }),
  },
  openai: {
    form: "openai/MODEL",
    model: (rest) => modelOf("openai", rest),
    server: {
      baseUrl: "https://api.openai.com/v1",
      urlSetting: "baseUrls.openai",
      keySetting: "apiKeys.openai",
      byKey: true,
    },
    load: (ports, access) => compatible("openai", ports, access),
  },
  ollama: {
    form: "ollama/MODEL",
    model: (rest) => modelOf("ollama", rest),
    server: { baseUrl: "http://127.0.0.1:11434", urlSetting: "baseUrls.ollama", keySetting: null },
    load: async ({ clock }, access) => (await import("./ollama/ollama.ts")).ollamaProvider({ clock, access }),
  },
  openrouter: {
    form: "openrouter/MODEL",
    model: (rest) => modelOf("openrouter", rest),
    server: { baseUrl: "https://openrouter.ai/api/v1", urlSetting: null, keySetting: "apiKeys.openrouter" },
    load: (ports, access) => compatible("openrouter", ports, access),
  },
  google: {
    form: "google/MODEL",
    model: (rest) => modelOf("google", rest),
    server: {
      baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
      urlSetting: null,
      keySetting: "apiKeys.google",
    },
    load: (ports, access) => compatible("google", ports, access),
  },
};

const NAME_CHARS_MAX = 200;

async function compatible(name: string, { clock }: ProviderPorts, access: Access): Promise<Provider> {
  return (await import("./openai/openai.ts")).openAiProvider({ name, clock, access });
}

function modelOf(provider: string, rest: string): string {
  // It goes into requests, signals and history as it is.
  if (rest.length > NAME_CHARS_MAX || /[^\x21-\x7e]/.test(rest)) {
    throw unusable(`${JSON.stringify(cut(rest))} is no name of a model`);
  }
  return modelNamed(rest, provider)?.id ?? rest;
}

/** Who is meant by `PROVIDER/MODEL`, `PROVIDER:MODEL`, a provider alone or a model that gsv knows. Throws ECONFIG. */
export function choiceOf(written: string, usualProvider?: string): Choice {
  const wanted = written.trim();
  const [, before = wanted, rest = ""] = /^([^/:]*)[/:](.*)$/s.exec(wanted) ?? [];
  if (Object.hasOwn(PROVIDERS, before)) {
    return { provider: before, model: entryOf(before).model(rest) };
  }
  const known = modelNamed(wanted, usualProvider) ?? modelNamed(wanted);
  if (known !== null) return { provider: known.provider, model: known.id };
  if (usualProvider !== undefined && serverOf(usualProvider) !== null) {
    return { provider: usualProvider, model: modelOf(usualProvider, wanted) };
  }
  return { provider: before, model: entryOf(before).model(rest) };
}

/** The same, as it is kept, printed and understood again. */
export function choiceText({ provider, model }: Choice): string {
  if (provider === model || model === "") return provider;
  return `${provider}${serverOf(provider) === null ? ":" : "/"}${model}`;
}

export interface ChoiceSources {
  /** Named for the session, the agent or the account. */
  readonly model: string;
  /** Whose models, where only that was said. */
  readonly provider: string;
  /** Whether there is a key for a provider. */
  readonly hasKey: (provider: string) => boolean;
}

/** Null: nobody said anything; then it is an Ollama that answers, else offline. */
export function chooseProvider({ model, provider, hasKey }: ChoiceSources): Choice | null {
  const usual = provider.trim();
  if (model.trim() !== "") return choiceOf(model, usual === "" ? undefined : usual);
  if (usual !== "") return choiceOf(`${usual}/${entryOf(usual).server === undefined ? "offline" : ""}`);
  const byKey = Object.keys(PROVIDERS).find((name) => PROVIDERS[name]?.server?.byKey && hasKey(name));
  return byKey === undefined ? null : choiceOf(byKey);
}

export const OFFLINE: Choice = { provider: "offline", model: "offline" };

export function providerNames(): readonly string[] {
  return Object.keys(PROVIDERS);
}

/** Null for a provider on this machine alone. Throws ECONFIG where there is no such provider. */
export function serverOf(name: string): Server | null {
  return entryOf(name).server ?? null;
}

/** The variable that holds its key, if it has one. */
export function keyVariable(name: string): string | undefined {
  const setting = serverOf(name)?.keySetting ?? null;
  const { env }: Setting =
    setting === null ? { type: "text", doc: "", fallback: "", writes: "user" } : SETTINGS[setting];
  return env;
}

export async function loadProvider(name: string, ports: ProviderPorts, access: Access): Promise<Provider> {
  return await entryOf(name).load(ports, access);
}

function entryOf(name: string): Entry {
  const entry = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (entry === undefined) throw unusable(`gsv has no provider called ${JSON.stringify(cut(name))}`, closeTo(name));
  return entry;
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57).toWellFormed()}…` : text;
}

/** A provider, or a model that is named without one. */
function closeTo(name: string): readonly string[] {
  const models = knownModels().flatMap(({ id, aliases }) => [id, ...aliases]);
  const close = nearest(name, [...Object.keys(PROVIDERS), ...models]);
  return close.length === 0 ? [] : [`did you mean ${close.join(" or ")}`];
}

function unusable(message: string, more: readonly string[] = []): SysError {
  const forms = Object.values(PROVIDERS).map((entry) => entry.form);
  return new SysError("ECONFIG", message, [...more, `a model can be: ${forms.join(", ")}`]);
}
