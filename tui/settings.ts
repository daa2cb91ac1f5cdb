// The person's settings for the terminal: colours, notifications, motion.

import type { Io } from "../commands/command.ts";
import { THEME_KEY, THEMES, type ThemeName } from "./screen/theme.ts";

export interface TerminalSettings {
  readonly theme: ThemeName;
  readonly notify: "auto" | "bell" | "desktop" | "off";
  readonly isStill: boolean;
  readonly hyperlinks: "auto" | "always" | "never";
}

export async function readSettings(io: Io): Promise<TerminalSettings> {
  const [theme, notify, motion, hyperlinks] = await Promise.all([
    oneOf(io, THEME_KEY, ["auto", ...(Object.keys(THEMES) as ThemeName[])]),
    oneOf(io, "terminal.notify", ["auto", "bell", "desktop", "off"]),
    oneOf(io, "terminal.motion", ["full", "reduced"]),
    oneOf(io, "terminal.hyperlinks", ["auto", "always", "never"]),
  ]);
  return { theme, notify, isStill: motion === "reduced", hyperlinks };
}

/** Returns the first word if the setting cannot be read. */
async function oneOf<Word extends string>(io: Io, key: string, words: readonly [Word, ...Word[]]): Promise<Word> {
  try {
    const { shown } = await io.sys().call<{ readonly shown: string }>("config.get", { key });
    return words.find((word) => word === shown) ?? words[0];
  } catch {
    return words[0];
  }
}
