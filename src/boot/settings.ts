// What a kernel, and the read-only view of a home, make of the stored settings and secrets.

import { budgetStated } from "../abi/budget.ts";
import { type Config, configOver, SETTINGS } from "../abi/config.ts";
import { resolveSetting } from "../abi/config-value.ts";
import { SysError } from "../abi/errno.ts";
import type { RetentionSettings } from "../abi/keep.ts";
import { pricesFrom } from "../abi/money.ts";
import { parsePolicy } from "../abi/policy.ts";
import { PROFILES } from "../abi/process.ts";
import { knowSecrets, type SettingsOfKernel, settingsService, systemSettings } from "../kernel/config.ts";
import { type Keychain, type Secrets, secretsIn } from "../kernel/secrets.ts";
import type { Clock } from "../lib/clock.ts";
import { Redactor } from "../lib/redact.ts";
import type { HomePaths } from "../paths.ts";
import { ollamaUrl, serverUrl } from "../providers/access.ts";
import { choiceOf, serverOf } from "../providers/table.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";

/** What a schema cannot say. */
export const SETTING_CHECKS: { readonly [key: string]: (value: string) => void } = {
  "ai.model": (model) => void choiceOf(model),
  "ai.provider": (provider) => void serverOf(provider),
  "ai.fallback": checkFallback,
  "ai.tools.approval": checkPolicy,
  ...Object.fromEntries(PROFILES.map((profile) => [`ai.profile.${profile}.tools.approval`, checkPolicy])),
  "ai.baseUrl": checkUrl,
  "ai.prices": (json) => void pricesFrom(json),
  "budget.day": checkBudget,
  "budget.task": checkBudget,
  "baseUrls.anthropic": checkUrl,
  "baseUrls.openai": checkUrl,
  "baseUrls.ollama": (text) => void (text.trim() === "none" || ollamaUrl(text) !== null || refuseUrl()),
};

function checkPolicy(text: string): void {
  parsePolicy(text);
}

function checkFallback(json: string): void {
  for (const each of JSON.parse(json) as readonly unknown[]) {
    if (typeof each !== "string") throw new SysError("ECONFIG", 'ai.fallback is a list like ["openai/gpt-5.4"]');
    choiceOf(each);
  }
}

function checkBudget(text: string): void {
  try {
    budgetStated(text);
  } catch (error) {
    throw error instanceof SysError ? new SysError("ECONFIG", error.message, error.hints) : error;
  }
}

function checkUrl(text: string): void {
  if (serverUrl(text) === null) refuseUrl();
}

// Not quoted: there may be a password in it.
function refuseUrl(): never {
  throw new SysError("ECONFIG", "that is no address of a server", [
    "http:// or https://, a host and a path; no name or password in it",
  ]);
}

/** What the invocation says of the settings that are a kernel's own. */
export interface SettingsMachine {
  readonly paths: HomePaths;
  readonly clock: Clock;
  /** What the environment said; what it did not say is as it is stored, or by default. */
  readonly config: Partial<Config>;
  readonly keychain?: Keychain;
  /** `file` leaves the keychain alone. */
  readonly secretsStore?: string | undefined;
}

export interface SettingParts {
  /** As it was when this kernel started: its own times hold for its whole life. */
  readonly config: Config;
  /** As root has it now. */
  readonly configNow: () => Config;
  readonly redactor: Redactor;
  readonly secrets: Secrets;
  readonly settings: SettingsOfKernel;
}

export async function bootSettings(kernel: KernelStore, machine: SettingsMachine): Promise<SettingParts> {
  const { paths, clock, config: said, keychain = null, secretsStore } = machine;
  const stored = await systemSettings(kernel.config);
  const where = { system: stored["secrets.store"], environment: secretsStore };
  const inFiles = resolveSetting("secrets.store", SETTINGS["secrets.store"], where).text === "file";
  const secrets = secretsIn({ directory: paths.secretsDir, keychain, inFiles });
  const redactor = new Redactor();
  const numbers = Object.entries(said).map(([key, value]) => [key, String(value)]);
  const config = configOver(stored, said);
  let now = config;
  const settings = settingsService({
    rows: kernel.config,
    accounts: kernel.accounts,
    secrets,
    redactor,
    clock,
    ofKernel: { ...Object.fromEntries(numbers), "secrets.store": secretsStore },
    checks: SETTING_CHECKS,
    systemChanged: (texts) => {
      now = configOver(texts, said);
    },
    facts: { "storage.driver": "gsv storage migrate --to disk|s3 moves the bytes, then changes it" },
  });
  return { config, configNow: () => now, redactor, secrets, settings };
}

export function retentionOf(config: Config): RetentionSettings {
  const { "retention.archivesDays": archivesDays, "retention.auditDays": auditDays } = config;
  const ended = config["retention.endedDays"];
  return { archivesDays, auditDays, runsDays: ended, syscallLogDays: ended };
}

/** From here on what is secret in this home, and in a client's environment, is redacted. Returns what could not be read. */
export function learnSecrets(kernel: KernelStore, { secrets, redactor }: SettingParts): Promise<string[]> {
  return knowSecrets(kernel.config, secrets, redactor);
}

/** Every refusal that is written down, without secrets. */
export function redactedAudit(kernel: KernelStore, redactor: Redactor): KernelStore {
  const { audit } = kernel;
  return {
    ...kernel,
    audit: {
      ...audit,
      add: (row) => audit.add({ ...row, call: redactor.text(row.call), detail: redactor.text(row.detail) }),
    },
  };
}
