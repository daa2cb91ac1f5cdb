// Which colours somebody likes, as a setting of theirs: it holds on every terminal, and wherever they sign in.

import type { Sys } from "../src/abi/sys.ts";
import { THEMES, type ThemeName } from "./theme.ts";

const KEY = "terminal.theme";

export async function likedTheme(sys: Sys): Promise<ThemeName> {
  // Whoever may not read settings has the colours there are.
  const { value } = await sys.call<{ value: unknown }>("config.get", { key: KEY }).catch(() => ({ value: "auto" }));
  return typeof value === "string" && value in THEMES ? (value as ThemeName) : "auto";
}

export async function likeTheme(sys: Sys, name: ThemeName): Promise<void> {
  await sys.call("config.set", { key: KEY, value: name });
}
