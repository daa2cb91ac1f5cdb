// Habits from other programs: slash words with other names here, and `#` comments. A known word does what it means; any other gets a
// suggestion. Pure.

import { COMMANDS } from "../../commands/table.ts";
import { nearest } from "../../src/lib/text/nearest.ts";
import { act, note, only, type Reduced, ran, typedLine } from "../state/effect.ts";
import type { State } from "../state/state.ts";
import { onSlash, SLASHES } from "./slash.ts";

/** The slash command or the line that each word means here. */
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
  if (here === undefined) return act(state, typedLine(typed), note(refusal(word)));
  const [, name = "", rest = ""] = /^\/(\S+) ?(.*)$/.exec(here) ?? [];
  return (name === "" ? null : onSlash(state, name, rest)) ?? act(state, ...ran(here));
}

function refusal(word: string): string {
  const close = nearest(word, [...SLASHES.keys(), ...COMMANDS.keys()]).map((name) => `/${name}`);
  const meant = close.length === 0 ? "" : ` Did you mean ${close.join(" or ")}?`;
  return `Unknown command: /${word}.${meant} Type ? for a list.`;
}

/** Other programs store a line that begins with #; here it is a comment. */
export function comment(state: State, typed: string): Reduced {
  if (!/^#+\s*\S/.test(typed)) return only(state);
  return act(state, typedLine(typed), note("Comment, not sent. To send it, start the line with a comma."));
}
