// What the person at the terminal wishes of it, from their settings: colours, how they are called, whether anything may move.

import type { Io } from "../commands/command.ts";
import { THEME_KEY, THEMES, type ThemeName } from "./screen/theme.ts";

export interface Wishes {
  readonly theme: ThemeName;
  readonly calls: "auto" | "bell" | "off";
  readonly isStill: boolean;
}

export async function wishesOf(io: Io): Promise<Wishes> {
  const [theme, calls, motion] = await Promise.all([
    settingOf(io, THEME_KEY, ["auto", ...(Object.keys(THEMES) as ThemeName[])]),
    settingOf(io, "terminal.notify", ["auto", "bell", "off"]),
    settingOf(io, "terminal.motion", ["full", "reduced"]),
  ]);
  return { theme, calls, isStill: motion === "reduced" };
}

/** One of a few words; the first of them where it cannot be told. */
async function settingOf<Word extends string>(io: Io, key: string, words: readonly [Word, ...Word[]]): Promise<Word> {
  try {
    const { shown } = await io.sys().call<{ readonly shown: string }>("config.get", { key });
    return words.find((word) => word === shown) ?? words[0];
  } catch {
    return words[0];
  }
}
