// What the word at the cursor can become: taken over as far as all of it agrees, then one after the other with each TAB. Pure.

import type { Candidate, Menu } from "../state/line.ts";
import type { State } from "../state/state.ts";
import { type Editing, replacedBefore } from "./editor.ts";

export function completed(state: State, of: Editing, from: number, candidates: readonly Candidate[]): State {
  // Somebody who went on typing wants that.
  if (state.input !== of || candidates.length === 0) return state;
  const word = common(candidates.map(({ text }) => text));
  const typedSoFar = of.text.slice(from, of.at);
  const [only] = candidates;
  // A process is found by its label, too: then the word becomes another one.
  const isOther = candidates.length === 1 && only !== undefined && !only.text.startsWith(typedSoFar);
  const input = isOther || word.length > typedSoFar.length ? replacedBefore(of, from, isOther ? only.text : word) : of;
  return { ...state, input, menu: candidates.length > 1 ? { from, candidates, at: null } : null };
}

/** The next of them in the line. */
export function chosen(state: State, menu: Menu, by: -1 | 1): State {
  const count = menu.candidates.length;
  const at = menu.at === null ? (by === 1 ? 0 : count - 1) : (menu.at + by + count) % count;
  const text = menu.candidates[at]?.text ?? "";
  return { ...state, input: replacedBefore(state.input, menu.from, text), menu: { ...menu, at } };
}

/** What all of them begin with. */
function common(candidates: readonly string[]): string {
  const [first = "", ...rest] = candidates;
  let length = first.length;
  for (const each of rest) while (!each.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}
