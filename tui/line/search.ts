// ctrl-r: searches history by words, optionally only lines of this directory or lines that failed. Pure.

import { type Editing, emptied, withText } from "./editor.ts";
import type { Past } from "./history.ts";
import type { Key } from "./keys.ts";

export interface Search {
  readonly words: string;
  readonly only: Only;
  /** The selected match, counted from the newest. */
  readonly nth: number;
  readonly before: Editing;
}

const ONLY = ["all", "here", "failed"] as const;
export type Only = (typeof ONLY)[number];

export interface Searched {
  readonly search: Search | null;
  readonly input: Editing;
}

export function newSearch(before: Editing): Search {
  return { words: "", only: "all", nth: 0, before };
}

/** Lines with all the words, newest first, each text once. Case counts if a capital was typed. */
export function matching(past: readonly Past[], { words, only }: Search, cwd: string): readonly Past[] {
  const ignoresCase = words === words.toLowerCase();
  const wanted = words.split(/\s+/).filter((word) => word !== "");
  const found = new Map<string, Past>();
  for (let at = past.length - 1; at >= 0; at--) {
    const each = past[at]!;
    if (found.has(each.text)) continue;
    if (only === "here" && each.cwd !== cwd) continue;
    if (only === "failed" && (each.status ?? 0) === 0) continue;
    const text = ignoresCase ? each.text.toLowerCase() : each.text;
    if (wanted.every((word) => text.includes(word))) found.set(each.text, each);
  }
  return [...found.values()];
}

export function onSearchKey(search: Search, key: Key, past: readonly Past[], cwd: string): Searched {
  const { before, nth } = search;
  const stays = (next: Partial<Search>): Searched => ({ search: { ...search, ...next }, input: before });
  if (key.name === "text" && !key.ctrl && !key.alt) return stays({ words: search.words + key.text, nth: 0 });
  if (key.name === "backspace") return stays({ words: [...search.words].slice(0, -1).join(""), nth: 0 });
  if (key.name === "tab") {
    const by = key.shift ? ONLY.length - 1 : 1;
    return stays({ only: ONLY[(ONLY.indexOf(search.only) + by) % ONLY.length] ?? "all", nth: 0 });
  }
  const found = matching(past, search, cwd);
  if (key.name === "up" || (key.ctrl && key.text === "r")) return stays({ nth: Math.min(nth + 1, found.length - 1) });
  if (key.name === "down" || (key.ctrl && key.text === "s")) return stays({ nth: Math.max(0, nth - 1) });
  const line = found[nth];
  const isCancelled = key.name === "escape" || (key.ctrl && "cg".includes(key.text)) || line === undefined;
  return { search: null, input: isCancelled ? before : withText(emptied(before), line.text) };
}
