// The keychain of the operating system, as far as it has one: each home has its own names in it.

import type { Keychain } from "./kernel/secrets.ts";

const SERVICE = "gsv";

export function keychainOf(home: string): Keychain {
  const entry = (name: string) => ({ service: SERVICE, name: `${home} ${name}` });
  return {
    get: (name) => Bun.secrets.get(entry(name)),
    set: (name, value) => Bun.secrets.set({ ...entry(name), value }),
    delete: async (name) => {
      await Bun.secrets.delete(entry(name));
    },
  };
}
