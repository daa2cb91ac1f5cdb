// What people type by habit from other programs: words after a slash that are called otherwise here, and remarks that elsewhere are kept. A
// word with the same meaning does what it means; any other is refused with the nearest that there are. Pure.

import { COMMANDS } from "../../commands/table.ts";
import { nearest } from "../../src/lib/text/nearest.ts";
import type { Effect, Reduced } from "../state/effect.ts";
import type { State } from "../state/state.ts";
import { onSlash, ran, SLASHES } from "./slash.ts";

/** What each is here: a word of the terminal's own where it begins with a slash, else a line. */
const HERE: ReadonlyMap<string, string> = new Map([
  ...["continue", "resume", "sessions", "switch", "tasks"].map((word) => [word, "/go"] as const),
  ...["bye", "q"].map((word) => [word, "/quit"] as const),
  ["agents", "agent list"],
  ["login", "auth setup"],
  ["memory", "context list"],
  ["permissions", "policy list"],
  ["plan", "/mode plan"],
  ["save", "/export"],
  ["settings", "config list"],
  ["tokens", "/cost"],
]);

export function unknownSlash(state: State, typed: string, word: string): Reduced {
  const here = HERE.get(word);
  if (here === undefined) return noted(state, typed, refusal(word));
  const [, name = "", rest = ""] = /^\/(\S+) ?(.*)$/.exec(here) ?? [];
  return (name === "" ? null : onSlash(state, name, rest)) ?? { state, effects: ran(here, false) };
}

function refusal(word: string): string {
  const close = nearest(word, [...SLASHES.keys(), ...COMMANDS.keys()]).map((name) => `/${name}`);
  const meant = close.length === 0 ? "" : `did you mean ${close.join(" or ")}? `;
  return `/${word} is no word of this terminal: ${meant}? lists them, and ls /${word} looks at a directory`;
}

/** What begins with # is remembered elsewhere; here it is a remark, which nobody hears. */
export function remarked(state: State, typed: string): Reduced {
  if (!/^#+\s*\S/.test(typed)) return { state, effects: [] };
  return noted(state, typed, "a remark: nobody was told it; with a comma before it it is said");
}

function noted(state: State, typed: string, text: string): Reduced {
  const print = (entry: (Effect & { readonly do: "print" })["entry"]): Effect => ({ do: "print", entry });
  return { state, effects: [print({ kind: "ran", text: typed, host: false }), print({ kind: "note", text })] };
}
