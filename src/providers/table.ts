// Which providers exist, how one is chosen and how it is loaded. Only what is listed here can ever be chosen: a key for a provider
// that gsv does not have changes nothing. Each is one lazily imported file, so that choosing costs nothing.

import { SysError } from "../abi/errno.ts";
import type { Provider } from "../abi/stream.ts";
import type { Clock } from "../lib/clock.ts";
import type { ManualSection } from "../prompts/manual.ts";

/** What providers are handed by whoever builds them; each takes what it needs. */
export interface ProviderPorts {
  readonly clock: Clock;
  readonly manual: () => Promise<readonly ManualSection[]>;
}

export interface Choice {
  readonly provider: string;
  readonly model: string;
}

interface Entry {
  /** As a person writes it in GSV_MODEL. */
  readonly form: string;
  /** The part after the first colon becomes the model; throws when it cannot be one. */
  readonly model: (rest: string) => string;
  readonly load: (ports: ProviderPorts) => Promise<Provider>;
}

const PROVIDERS: { readonly [name: string]: Entry } = {
  offline: {
    form: "offline",
    model: (rest) => {
      if (rest !== "") throw unusable(`offline takes no model name, not ${JSON.stringify(rest)}`);
      return "offline";
    },
    load: async (ports) => (await import("./offline.ts")).offlineProvider(ports),
  },
  script: {
    form: "script:/path/to/file",
    model: (rest) => {
      if (!rest.startsWith("/")) throw unusable("script needs the absolute path of a file after script:");
      return rest;
    },
    load: async (ports) => (await import("./script.ts")).scriptProvider(ports),
  },
};

/** Those that settings may name already: until one is listed above, gsv answers as if nobody had been named. */
const COMING: readonly string[] = ["anthropic", "openai", "ollama"];

/** Whether a choice, written as for `chooseProvider`, is one that this gsv only keeps. */
export function isComing(wanted: string): boolean {
  const [name = ""] = wanted.trim().split(":", 1);
  return COMING.includes(name) && !Object.hasOwn(PROVIDERS, name);
}

export interface ChoiceSources {
  /** Named for the session, the agent or the account; wins over the environment. */
  readonly explicit?: string;
  readonly env: { readonly [name: string]: string | undefined };
}

/** Written `provider` or `provider:model`; with nothing said, gsv answers from what is on the machine. */
export function chooseProvider({ explicit, env }: ChoiceSources): Choice {
  const wanted = (explicit ?? env.GSV_MODEL ?? "").trim();
  if (wanted === "") return { provider: "offline", model: "offline" };
  const colon = wanted.indexOf(":");
  const provider = colon < 0 ? wanted : wanted.slice(0, colon);
  return { provider, model: entryOf(provider).model(colon < 0 ? "" : wanted.slice(colon + 1)) };
}

export function providerNames(): readonly string[] {
  return Object.keys(PROVIDERS);
}

export async function loadProvider(name: string, ports: ProviderPorts): Promise<Provider> {
  return await entryOf(name).load(ports);
}

/** Providers as runs ask for them, by what the message's sender chose; each is loaded once. */
export function providersFrom(
  ports: ProviderPorts,
): (explicit: string | null) => Promise<{ readonly provider: Provider; readonly model: string }> {
  const loaded = new Map<string, Promise<Provider>>();
  return async (explicit) => {
    const choice = chooseProvider({ env: {}, ...(explicit === null ? {} : { explicit }) });
    const provider = loaded.get(choice.provider) ?? loadProvider(choice.provider, ports);
    loaded.set(choice.provider, provider);
    return { provider: await provider, model: choice.model };
  };
}

function entryOf(name: string): Entry {
  const entry = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined;
  if (entry === undefined) {
    const shown = name.length > 60 ? `${name.slice(0, 57).toWellFormed()}…` : name;
    throw unusable(`gsv has no provider called ${JSON.stringify(shown)}`);
  }
  return entry;
}

function unusable(message: string): SysError {
  const forms = Object.values(PROVIDERS).map((entry) => entry.form);
  return new SysError("ECONFIG", message, [`GSV_MODEL can be: ${forms.join(", ")}`]);
}
