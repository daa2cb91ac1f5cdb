// An answer to a card that was pressed on an empty line, held for a moment: what a letter follows was the beginning of a sentence, and both
// are text. Enter adds nothing to it, escape and backspace take it back, any other key drops it and is itself. Pure.

import { pasted, typed as typedText } from "../line/editor.ts";
import type { Typed } from "../line/keys.ts";
import type { Reduced } from "../state/effect.ts";
import type { State } from "../state/state.ts";
import { answered, hasCardKeys, shownAsk } from "./cards.ts";

/** Letters of one word come faster than this. */
export const CHOSEN_MS = 400;

/** What a key or a paste makes of it; where that is not all it does, it goes on. */
export function onChosenKey(state: State, typed: Typed, at: number): Reduced & { readonly isTaken: boolean } {
  const { chosen, input } = state;
  if (chosen === null) return { state, effects: [], isTaken: false };
  if (at - chosen.at >= CHOSEN_MS) return { ...stood(state, chosen.at), isTaken: false };
  const free = { ...state, chosen: null };
  const isKey = typed.type === "key";
  if (typed.type === "paste" || (isKey && typed.name === "text" && !typed.ctrl && !typed.alt)) {
    const begun = typedText(input, chosen.letter);
    const line = typed.type === "paste" ? pasted(begun, typed.text) : typedText(begun, typed.text);
    return { state: { ...free, input: line, recalled: null }, effects: [], isTaken: true };
  }
  if (isKey && typed.name === "enter") return { state, effects: [], isTaken: true };
  const isTakenBack = isKey && (typed.name === "escape" || typed.name === "backspace");
  return { state: free, effects: [], isTaken: isTakenBack };
}

/** Nothing has followed the one of that time: it is the answer, to the card that was there. */
export function stood(state: State, since: number): Reduced {
  const { chosen } = state;
  if (chosen?.at !== since) return { state, effects: [] };
  const free = { ...state, chosen: null };
  const ask = shownAsk(free);
  if (ask?.id !== chosen.id || !hasCardKeys(free)) return { state: free, effects: [] };
  return answered(free, ask, chosen.letter) ?? { state: free, effects: [] };
}
