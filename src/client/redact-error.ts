// Removes the stored secrets of a home from the text of an error, for a command that fails before it has a kernel. If the secrets are
// unreadable, the text is returned unchanged.

import { existsSync } from "node:fs";
import { bootSettings, learnSecrets } from "../boot/settings.ts";
import { realClock } from "../lib/clock.ts";
import { keychainOf } from "../machine/keychain.ts";
import type { HomePaths } from "../paths.ts";
import { KernelDb } from "../store/kernel/db.ts";
import { sqliteKernelStore } from "../store/kernel/sqlite.ts";

export async function withoutStored(text: string, pathsOf: () => Promise<HomePaths>): Promise<string> {
  let database: KernelDb | null = null;
  try {
    const paths = await pathsOf();
    if (!existsSync(paths.kernelDb)) return text;
    database = KernelDb.openForReading(paths.kernelDb);
    if (database === null) return text;
    const kernel = sqliteKernelStore(database);
    const parts = await bootSettings(kernel, {
      paths,
      clock: realClock,
      config: {},
      keychain: keychainOf(paths.home, realClock),
    });
    await learnSecrets(kernel, parts);
    return parts.redactor.known(text);
  } catch {
    return text;
  } finally {
    database?.close();
  }
}
