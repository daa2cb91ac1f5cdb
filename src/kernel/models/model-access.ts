// Address, key and options of a provider, from the settings of an account and the environment of its client. A key only goes to the address it
// was set for.

import { SETTINGS, type Setting, type SettingName } from "../../abi/config/config.ts";
import { storedKey } from "../../abi/config/config-key.ts";
import type { Resolved } from "../../abi/config/config-value.ts";
import { SysError } from "../../abi/errno.ts";
import { FREE, priceSet, pricesFrom, type Rate } from "../../abi/process/money.ts";
import type { ServedModel } from "../../abi/stream.ts";
import type { ClientInfo } from "../../abi/sys.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { type Access, ollamaUrl, type Reasoning, type Style, serverUrl } from "../../providers/access.ts";
import { factsOf } from "../../providers/models.ts";
import {
  type Choice,
  choiceOf,
  choiceText,
  keyVariable,
  OFFLINE,
  type Server,
  serverOf,
} from "../../providers/table.ts";
import type { ConfigRows } from "../../store/kernel/config.ts";
import { settingsFor } from "../settings/config.ts";
import { markFrom, type Secrets } from "../settings/secrets.ts";

/** Model-related values from the client's hello. */
export type Offer = Pick<ClientInfo, "env" | "flags">;

/** The account with the settings, and its client. */
export interface Asker {
  readonly uid: number;
  readonly offer: Offer | undefined;
}

/** Tells keys apart without revealing them. */
export function markOf(key: string): string {
  return sha256Hex(key).slice(0, 16);
}

export class AskersSettings {
  private constructor(
    private readonly asker: Asker,
    private readonly secrets: Secrets,
    private readonly refused: ReadonlySet<string>,
    readonly get: (name: SettingName) => Resolved,
  ) {}

  /** `refused` has the marks of the keys that a server refused. */
  static async read(
    { rows, secrets }: { readonly rows: ConfigRows; readonly secrets: Secrets },
    asker: Asker,
    refused: ReadonlySet<string>,
  ): Promise<AskersSettings> {
    const get = await settingsFor(rows, { uid: asker.uid, client: asker.offer });
    return new AskersSettings(asker, secrets, refused, get);
  }

  text(name: SettingName): string {
    return this.get(name).text.trim();
  }

  hasKey(provider: string): boolean {
    const setting = serverOf(provider)?.keySetting ?? null;
    if (setting === null) return false;
    return (
      this.offered(setting) !== null || this.isStored(setting) || (this.isMeant(provider) && this.isStored("ai.apiKey"))
    );
  }

  /** null if the provider is disabled. Throws ECONFIG. */
  async access(provider: string, server: Server): Promise<Access | null> {
    const said = this.url(provider, server);
    const baseUrl = said === "" ? server.baseUrl : addressOf(provider, said);
    if (baseUrl === null) return null;
    return {
      ...(await this.key(provider, server)),
      baseUrl,
      isOwn: said === "" || baseUrl === server.baseUrl,
      reasoning: this.text("ai.reasoning") as Reasoning,
      maxTokens: Number(this.text("ai.maxTokens")),
      windowTokens: Number(this.text("ai.contextWindowTokens")),
      silenceMs: Number(this.text("timeouts.llmMs")),
      totalMs: Number(this.text("ai.generation.timeoutMs")),
      style: this.text("ai.providerStyle") as Style,
      parallel: provider === "ollama" ? Number(this.text("ollama.parallel")) : 0,
    };
  }

  // Order: environment of the client, settings of ai.provider, settings of this provider.
  private url(provider: string, { urlSetting }: Server): string {
    const own = urlSetting === null ? null : this.get(urlSetting);
    const general = this.get("ai.baseUrl");
    if (general.layer === "flag" && this.isMeant(provider)) return general.text.trim();
    if (own !== null && (own.layer === "flag" || own.layer === "environment")) return own.text.trim();
    if (this.isMeant(provider) && general.text.trim() !== "") return general.text.trim();
    return own?.text.trim() ?? "";
  }

  // A key in the environment wins, unless a server refused it and another one is stored.
  private async key(provider: string, { keySetting }: Server): Promise<Pick<Access, "apiKey" | "keyFrom">> {
    const offered = keySetting === null ? null : this.offered(keySetting);
    const fromEnvironment = { apiKey: offered, keyFrom: keyVariable(provider) ?? null };
    if (offered !== null && !this.refused.has(markOf(offered))) return fromEnvironment;
    const general = this.isMeant(provider) ? await this.stored("ai.apiKey") : null;
    const stored = general ?? (keySetting === null ? null : await this.stored(keySetting));
    return stored === null && offered !== null ? fromEnvironment : { apiKey: stored, keyFrom: null };
  }

  /** `ai.baseUrl` and `ai.apiKey` belong to the provider in `ai.provider`, else in `ai.model`. */
  private isMeant(provider: string): boolean {
    const named = this.text("ai.provider");
    if (named !== "") return named === provider;
    try {
      const model = this.text("ai.model");
      if (model !== "") return choiceOf(model).provider === provider;
      // An address alone means an OpenAI-compatible server; a key alone is ignored.
      return provider === "openai" && this.text("ai.baseUrl") !== "";
    } catch {
      return false;
    }
  }

  // Not validated: a key in the environment may be shorter than a stored one.
  private offered(name: SettingName): string | null {
    const { env }: Setting = SETTINGS[name];
    const value = env === undefined ? undefined : this.asker.offer?.env[env];
    return value === undefined || value.trim() === "" ? null : value.trim();
  }

  private isStored(name: SettingName): boolean {
    return this.layersOf(name).length > 0;
  }

  private async stored(name: SettingName): Promise<string | null> {
    for (const { layer, text } of this.layersOf(name).toReversed()) {
      const mark = markFrom(text);
      const key = storedKey(name, layer === "system" ? "system" : this.asker.uid);
      const value = mark === null ? null : await this.secrets.read(key, mark);
      if (value !== null) return value.trim();
    }
    return null;
  }

  private layersOf(name: SettingName) {
    return this.get(name).layers.filter(({ layer }) => layer === "system" || layer === "user");
  }
}

function addressOf(provider: string, text: string): string | null {
  const url = provider === "ollama" ? ollamaUrl(text) : serverUrl(text);
  if (url === null && provider !== "ollama") {
    throw new SysError("ECONFIG", `no usable address for ${provider}: http(s)://HOST, without user or password`, [
      "gsv config list -v ai.baseUrl",
    ]);
  }
  // Anthropic's SDK adds /v1.
  return provider === "anthropic" ? (url?.replace(/\/v1$/, "") ?? null) : url;
}

/** Local models are free, except `script`, which may play a model that costs. */
const UNPAID: readonly string[] = [OFFLINE.provider, "ollama"];

/** The configured price, none for local models, else the price from the server or from gsv's list. */
export function rateOf(settings: AskersSettings, choice: Choice, served?: ServedModel | null): Rate {
  const own = priceSet(pricesSet(settings), choiceText(choice));
  if (own !== null) return { price: own, isOwn: true };
  if (UNPAID.includes(choice.provider)) return { price: FREE, isOwn: false };
  return { price: factsOf(choice.provider, choice.model, 0, served).price, isOwn: false };
}

/** Invalid stored values count as not set. */
function pricesSet(settings: AskersSettings) {
  try {
    return pricesFrom(settings.text("ai.prices"));
  } catch {
    return {};
  }
}
