// What a kernel, and the read-only view of a home, make of the stored settings and secrets.

import type { RetentionSettings } from "../abi/backup.ts";
import { type Config, configOver, SETTINGS } from "../abi/config/config.ts";
import { resolveSetting } from "../abi/config/config-value.ts";
import type { CoreKeeping } from "../kernel/files/crash-files.ts";
import { knowSecrets, type SettingsOfKernel, settingsService, systemSettings } from "../kernel/settings/config.ts";
import { type Keychain, type Secrets, secretsIn } from "../kernel/settings/secrets.ts";
import type { Clock } from "../lib/clock.ts";
import { Redactor } from "../lib/text/redact.ts";
import type { HomePaths } from "../paths.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { Settings } from "../syscalls/services.ts";

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
  const { config: said } = machine;
  const stored = await systemSettings(kernel.config);
  const config = configOver(stored, said);
  let now = config;
  const systemChanged = (texts: Stored) => {
    now = configOver(texts, said);
  };
  return { config, configNow: () => now, ...partsOf(kernel, machine, stored, systemChanged) };
}

/** For whoever only looks at them: where a new secret would go, and who is told of a change, does not matter. */
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
    check: async (name, value) => (await import("./setting-checks.ts")).checkSetting(name, value),
    systemChanged,
    facts: { "storage.driver": "gsv storage migrate --to disk|s3 moves the bytes, then changes it" },
  });
  return { redactor, secrets, settings };
}

export function retentionOf(config: Config): RetentionSettings {
  const { "retention.archivesDays": archivesDays, "retention.auditDays": auditDays } = config;
  const ended = config["retention.endedDays"];
  return { archivesDays, auditDays, runsDays: ended, syscallLogDays: ended };
}

export function crashKeepingOf(config: Config): CoreKeeping {
  return { most: config["retention.crashes"], days: config["retention.crashDays"] };
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
