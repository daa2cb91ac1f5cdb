// The keychain of the operating system, as far as it has one: each home has its own names in it. One that does not answer, because it
// is locked and nobody is there to open it, is given up on.

import { SysError } from "../abi/errno.ts";
import type { Keychain } from "../kernel/settings/secrets.ts";
import type { Clock } from "../lib/clock.ts";

const SERVICE = "gsv";
const ANSWER_MS_MAX = 3000;

export function keychainOf(home: string, clock: Clock): Keychain {
  const entry = (name: string) => ({ service: SERVICE, name: `${home} ${name}` });
  return answering(
    {
      get: (name) => Bun.secrets.get(entry(name)),
      set: (name, value) => Bun.secrets.set({ ...entry(name), value }),
      delete: async (name) => {
        await Bun.secrets.delete(entry(name));
      },
    },
    clock,
  );
}

/** The same keychain, or an error where it takes too long. */
export function answering(keychain: Keychain, clock: Clock): Keychain {
  async function within<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const enough = new AbortController();
    const late = clock.sleep(ANSWER_MS_MAX, enough.signal).then(() => {
      throw new SysError("EAGAIN", "the keychain does not answer");
    });
    // When the answer came first nobody is left to hear this one.
    late.catch(() => {});
    try {
      return await Promise.race([answer, late]);
    } finally {
      enough.abort();
    }
  }
  return {
    get: (name) => within(keychain.get(name)),
    set: (name, value) => within(keychain.set(name, value)),
    delete: (name) => within(keychain.delete(name)),
  };
}
