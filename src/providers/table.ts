// The providers: which exist, how one is chosen and loaded. Each is imported lazily, so that no SDK is loaded before a model is asked.

import { SETTINGS, type Setting, type SettingName } from "../abi/config/config.ts";
import { SysError } from "../abi/errno.ts";
import type { Provider } from "../abi/stream.ts";
import type { Clock } from "../lib/clock.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { ManualSection } from "../prompts/manual.ts";
import type { Access } from "./access.ts";
import { knownModels, modelNamed } from "./models.ts";

/** Each provider uses what it needs. */
export interface ProviderPorts {
  readonly clock: Clock;
  readonly manual: () => Promise<readonly ManualSection[]>;
}

export interface Choice {
  readonly provider: string;
  /** Empty if none was named. */
  readonly model: string;
}

/** Address and settings of a model server. */
export interface Server {
  readonly baseUrl: string;
  readonly urlSetting: SettingName | null;
  /** Null if it needs no key. */
  readonly keySetting: SettingName | null;
  /** True if a key alone selects this provider. */
  readonly byKey?: true;
  /** A server at another address is a proxy with the same models. */
  readonly isPassedOn?: true;
}

interface Entry {
  /** Notation for users. */
  readonly form: string;
  /** Parses the part after the provider. Throws if it is no model. */
  readonly model: (rest: string) => string;
  readonly server?: Server;
  /** `access` is only set for servers. */
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
    load: (ports, access) => openAiWire("openai", ports, access),
  },
  ollama: {
    form: "ollama/MODEL",
    model: (rest) => modelOf("ollama", rest),
    server: { baseUrl: "http://127.0.0.1:11434", urlSetting: "baseUrls.ollama", keySetting: null },
    load: async ({ clock }, access) => (await import("./ollama/ollama.ts")).ollamaProvider({ clock, access }),
  },
  openrouter: compatible("openrouter", "https://openrouter.ai/api/v1"),
  google: compatible("google", "https://generativelanguage.googleapis.com/v1beta/openai"),
};

const NAME_CHARS_MAX = 200;

type NameWithKey<S = SettingName> = S extends `apiKeys.${infer Name}` ? Name : never;

/** A server with OpenAI's interface and a key in the setting `apiKeys.NAME`. */
function compatible(name: NameWithKey, baseUrl: string): Entry {
  return {
    form: `${name}/MODEL`,
    model: (rest) => modelOf(name, rest),
    server: { baseUrl, urlSetting: null, keySetting: `apiKeys.${name}` },
    load: (ports, access) => openAiWire(name, ports, access),
  };
}

async function openAiWire(name: string, { clock }: ProviderPorts, access: Access): Promise<Provider> {
  return (await import("./openai/openai.ts")).openAiProvider({ name, clock, access });
}

function modelOf(provider: string, rest: string): string {
  // The name goes into requests, signals and history unchanged.
  if (rest.length > NAME_CHARS_MAX || /[^\x21-\x7e]/.test(rest)) {
    throw unusable(`${JSON.stringify(cut(rest))} is not a model name`);
  }
  return modelNamed(rest, provider)?.id ?? rest;
}

/** Parses `PROVIDER/MODEL`, `PROVIDER:MODEL`, a provider, or a known model. Throws ECONFIG. */
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

/** The canonical notation, which choiceOf parses. */
export function choiceText({ provider, model }: Choice): string {
  if (provider === model || model === "") return provider;
  return `${provider}${serverOf(provider) === null ? ":" : "/"}${model}`;
}

/** The choice of a provider without a model. Throws ECONFIG. */
export function choiceOfProvider(name: string): Choice {
  entryOf(name);
  if (name !== "script") return choiceOf(name);
  throw new SysError("ECONFIG", "ai.provider cannot be script: a script is a model with a file", [
    "gsv config set ai.model script:/path/to/file",
  ]);
}

export interface ChoiceSources {
  /** From the session, agent or account. */
  readonly model: string;
  /** Used if only a provider is set. */
  readonly provider: string;
  readonly hasKey: (provider: string) => boolean;
}

/** Null if nothing is configured: then Ollama if it answers, else offline. */
export function chooseProvider({ model, provider, hasKey }: ChoiceSources): Choice | null {
  const usual = provider.trim();
  if (model.trim() !== "") return choiceOf(model, usual === "" ? undefined : usual);
  if (usual !== "") return choiceOfProvider(usual);
  const byKey = Object.keys(PROVIDERS).find((name) => PROVIDERS[name]?.server?.byKey && hasKey(name));
  return byKey === undefined ? null : choiceOf(byKey);
}

export const OFFLINE: Choice = { provider: "offline", model: "offline" };

export function providerNames(): readonly string[] {
  return Object.keys(PROVIDERS);
}

/** Null for a provider without server. Throws ECONFIG for an unknown one. */
export function serverOf(name: string): Server | null {
  return entryOf(name).server ?? null;
}

/** Environment variable of its key, if any. */
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
  if (entry === undefined) throw unusable(`unknown provider ${JSON.stringify(cut(name))}`, closeTo(name));
  return entry;
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57).toWellFormed()}…` : text;
}

/** Similar providers and models. */
function closeTo(name: string): readonly string[] {
  const models = knownModels().flatMap(({ id, aliases }) => [id, ...aliases]);
  const close = nearest(name, [...Object.keys(PROVIDERS), ...models]);
  return close.length === 0 ? [] : [`did you mean ${close.join(" or ")}`];
}

function unusable(message: string, more: readonly string[] = []): SysError {
  const forms = Object.values(PROVIDERS).map((entry) => entry.form);
  return new SysError("ECONFIG", message, [...more, `a model can be: ${forms.join(", ")}`]);
}
