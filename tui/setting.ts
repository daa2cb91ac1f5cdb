// A setting of the person at the terminal, one of a few words; the first of them where it cannot be told.

import type { Io } from "../commands/command.ts";

export async function settingOf<Word extends string>(
  io: Io,
  key: string,
  words: readonly [Word, ...Word[]],
): Promise<Word> {
  try {
    const { shown } = await io.sys().call<{ readonly shown: string }>("config.get", { key });
    return words.find((word) => word === shown) ?? words[0];
  } catch {
    return words[0];
  }
}
