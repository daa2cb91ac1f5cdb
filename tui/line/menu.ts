// Completions and the suggestion behind the cursor. TAB inserts the common beginning, then each TAB the next completion. Pure.

import type { Candidate, Menu } from "../state/line.ts";
import { type State, set } from "../state/state.ts";
import type { Route } from "../verdict/route.ts";
import { type Editing, replacedBefore } from "./editor.ts";
import { continuation } from "./history.ts";
import type { Key } from "./keys.ts";
import { HERE, slashMenu } from "./slash.ts";

export function completed(state: State, of: Editing, from: number, candidates: readonly Candidate[]): State {
  // The line may have changed meanwhile.
  if (state.line.input !== of || candidates.length === 0) return state;
  const word = common(candidates.map(({ text }) => text));
  const typedSoFar = of.text.slice(from, of.at);
  const [only] = candidates;
  // A process is found by its label too: then the pid replaces the word.
  const isOther = candidates.length === 1 && only !== undefined && !only.text.startsWith(typedSoFar);
  const input = isOther || word.length > typedSoFar.length ? replacedBefore(of, from, isOther ? only.text : word) : of;
  return set(state, "line", { input, menu: candidates.length > 1 ? { from, candidates, at: null } : null });
}

export function chosen(state: State, menu: Menu, by: -1 | 1): State {
  const count = menu.candidates.length;
  const at = menu.at === null ? (by === 1 ? 0 : count - 1) : (menu.at + by + count) % count;
  const text = menu.candidates[at]?.text ?? "";
  return set(state, "line", { input: replacedBefore(state.line.input, menu.from, text), menu: { ...menu, at } });
}

function common(candidates: readonly string[]): string {
  const [first = "", ...rest] = candidates;
  let length = first.length;
  for (const each of rest) while (!each.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}

/** Empty if there is none. */
export function ghostOf({ line: { input, past, cwd }, asking }: Pick<State, "line" | "asking">): string {
  if (input.at !== input.text.length || input.pastes.size > 0 || asking.lineAnswers !== null) return "";
  return continuation(input.text, past, cwd);
}

/** The menu above the line. */
export function shownMenu({ line, asking, overlay }: State): Menu | null {
  const isFree = asking.asks.length === 0 && overlay.picker === null && line.search === null && !overlay.keysShown;
  return line.menu ?? (isFree ? slashMenu(line.input.text) : null);
}

/** The menu of a slash command that is not typed in full; null if the line is a command. */
export function unfinishedSlash(state: State, { to }: Route): Menu | null {
  const typed = state.line.input.text;
  const isNone = typed === "/" || (to === "unknown" && !HERE.has(typed.slice(1)));
  return isNone ? shownMenu(state) : null;
}

/** TAB and the arrows choose in a menu. The arrows leave the menu of a recalled line, to go on in history. */
export function menuMove({ line: { menu, recalled } }: State, { name, shift, alt, ctrl }: Key): -1 | 1 | null {
  if (name === "tab") return menu === null ? null : shift ? -1 : 1;
  if (recalled !== null || alt || ctrl) return null;
  return name === "down" ? 1 : name === "up" ? -1 : null;
}
