// The settings of a home as the read-only view sees them, and what it keeps to itself of an error.

import type { ReadOptions } from "./boot-read.ts";
import { learnEnvironment } from "./boot-redact.ts";
import { bootSettings, learnSecrets } from "./boot-settings.ts";
import type { KernelStore } from "./store/kernel/sqlite.ts";
import type { Settings } from "./syscalls/services.ts";

export interface ReadSettings {
  readonly settings: Settings;
  readonly conceal: (text: string) => Promise<string>;
}

export async function readSettings(kernel: KernelStore, options: ReadOptions): Promise<ReadSettings> {
  const { paths, clock, client, config = {}, keychain, secretsStore } = options;
  const port = keychain === undefined ? {} : { keychain };
  const parts = await bootSettings(kernel, { paths, clock, config, secretsStore, ...port });
  learnEnvironment(parts.redactor, client?.env ?? {});
  let learnt: Promise<unknown> | null = null;
  return {
    settings: parts.settings,
    async conceal(text) {
      learnt ??= learnSecrets(kernel, parts);
      await learnt;
      return parts.redactor.known(text);
    },
  };
}
