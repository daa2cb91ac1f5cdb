// Builds settings and secrets, for a kernel and for the read-only view of a home.

import { type Config, configOver, SETTINGS } from "../abi/config/config.ts";
import { resolveSetting } from "../abi/config/config-value.ts";
import { knowSecrets, type SettingsOfKernel, settingsService, systemSettings } from "../kernel/settings/config.ts";
import { type Keychain, type Secrets, secretsIn } from "../kernel/settings/secrets.ts";
import type { Clock } from "../lib/clock.ts";
import { Redactor } from "../lib/text/redact.ts";
import type { HomePaths } from "../paths.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { Settings } from "../syscalls/services.ts";

/** What a kernel's own settings depend on besides the stored ones. */
export interface SettingsMachine {
  readonly paths: HomePaths;
  readonly clock: Clock;
  /** Settings from the environment. The others are stored, or have a default. */
  readonly config: Partial<Config>;
  readonly keychain?: Keychain;
  /** `file` keeps secrets out of the keychain. */
  readonly secretsStore?: string | undefined;
}

export interface SettingParts {
  /** The settings at the start of this kernel. Its own times never change. */
  readonly config: Config;
  /** The settings now. */
  readonly configNow: () => Config;
  /** Called after each change of a setting of the home. */
  readonly onConfig: (changed: () => void) => void;
  readonly redactor: Redactor;
  readonly secrets: Secrets;
  readonly settings: SettingsOfKernel;
}

export async function bootSettings(kernel: KernelStore, machine: SettingsMachine): Promise<SettingParts> {
  const { config: said } = machine;
  const stored = await systemSettings(kernel.config);
  const config = configOver(stored, said);
  let now = config;
  const listeners: (() => void)[] = [];
  const systemChanged = (texts: Stored) => {
    now = configOver(texts, said);
    for (const changed of listeners) changed();
  };
  const onConfig = (changed: () => void) => void listeners.push(changed);
  return { config, configNow: () => now, onConfig, ...partsOf(kernel, machine, stored, systemChanged) };
}

/** For reading only: nothing is stored and nothing watches for changes. */
export function settingsAtRest(kernel: KernelStore, machine: SettingsMachine): Settings {
  return partsOf(kernel, machine, {}, () => {}).settings;
}

type Stored = { readonly [key: string]: string };

function partsOf(
  kernel: KernelStore,
  { paths, clock, config: said, keychain, secretsStore }: SettingsMachine,
  stored: Stored,
  systemChanged: (stored: Stored) => void,
): Pick<SettingParts, "redactor" | "secrets" | "settings"> {
  const where = { system: stored["secrets.store"], environment: secretsStore };
  const inFiles = resolveSetting("secrets.store", SETTINGS["secrets.store"], where).text === "file";
  const secrets = secretsIn({ directory: paths.secretsDir, keychain: keychain ?? null, inFiles });
  const redactor = new Redactor();
  const numbers = Object.entries(said).map(([key, value]) => [key, String(value)]);
  const settings = settingsService({
    rows: kernel.config,
    accounts: kernel.accounts,
    secrets,
    redactor,
    clock,
    ofKernel: { ...Object.fromEntries(numbers), "secrets.store": secretsStore },
    check: async (name, value) => (await import("../kernel/settings/setting-checks.ts")).checkSetting(name, value),
    systemChanged,
    facts: { "storage.driver": "gsv storage migrate --to disk|s3 moves the bytes, then changes it" },
  });
  return { redactor, secrets, settings };
}

/** Redacts the secrets of this home from now on. Returns what could not be read. */
export function learnSecrets(kernel: KernelStore, { secrets, redactor }: SettingParts): Promise<string[]> {
  return knowSecrets(kernel.config, secrets, redactor);
}
