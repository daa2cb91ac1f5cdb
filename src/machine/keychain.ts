// The keychain of the operating system, with names per home. Gives up if it does not answer, for example because it is locked.

import { SysError } from "../abi/errno.ts";
import type { Keychain } from "../kernel/settings/secrets.ts";
import type { Clock } from "../lib/clock.ts";
import { waitAtMost } from "../lib/wait.ts";

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

/** The same keychain with a time limit. */
export function answering(keychain: Keychain, clock: Clock): Keychain {
  async function inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const answered = await waitAtMost(clock, ANSWER_MS_MAX, answer);
    if (answered === null) throw new SysError("EAGAIN", "the keychain does not answer");
    return answered.value;
  }
  return {
    get: (name) => inTime(keychain.get(name)),
    set: (name, value) => inTime(keychain.set(name, value)),
    delete: (name) => inTime(keychain.delete(name)),
  };
}
