// An answer pressed on an empty line waits a moment: if a letter follows, both were the beginning of a sentence. Enter changes nothing,
// escape and backspace cancel the answer, any other key drops it and acts as usual. Pure.

import { pasted, typed as typedText } from "../line/editor.ts";
import type { Typed } from "../line/keys.ts";
import { act, only, type Reduced } from "../state/effect.ts";
import { type State, set } from "../state/state.ts";
import { answered, hasCardKeys, shownAsk } from "./cards.ts";

/** Letters of one word come faster than this. */
export const CHOSEN_MS = 400;

/** `isTaken`: the key has no other effect. */
export function onChosenKey(state: State, typed: Typed, at: number): Reduced & { readonly isTaken: boolean } {
  const { chosen } = state.asking;
  if (chosen === null) return { ...only(state), isTaken: false };
  if (at - chosen.at >= CHOSEN_MS) return { ...settledChoice(state, chosen.at), isTaken: false };
  const free = set(state, "asking", { chosen: null });
  const isKey = typed.type === "key";
  if (typed.type === "paste" || (isKey && typed.name === "text" && !typed.ctrl && !typed.alt)) {
    const letter = typedText(state.line.input, chosen.letter);
    const input = typed.type === "paste" ? pasted(letter, typed.text) : typedText(letter, typed.text);
    return { ...only(set(free, "line", { input, recalled: null })), isTaken: true };
  }
  if (isKey && typed.name === "enter") return { ...only(state), isTaken: true };
  const isTakenBack = isKey && (typed.name === "escape" || typed.name === "backspace");
  return { ...only(free), isTaken: isTakenBack };
}

/** No text followed the key: it is the answer, if the same card is still shown. */
export function settledChoice(state: State, since: number): Reduced {
  const { chosen } = state.asking;
  if (chosen?.at !== since) return act(state);
  const free = set(state, "asking", { chosen: null });
  const ask = shownAsk(free);
  if (ask?.id !== chosen.id || !hasCardKeys(free)) return act(free);
  return answered(free, ask, chosen.letter, since) ?? act(free);
}
