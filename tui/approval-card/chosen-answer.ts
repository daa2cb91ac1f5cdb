// An answer pressed on an empty line waits a moment: if a letter follows, both were the beginning of a sentence. Enter changes nothing,
// escape and backspace cancel the answer, any other key drops it and acts as usual. Pure.

import { pasted, typed as typedText } from "../line/editor.ts";
import type { Typed } from "../line/keys.ts";
import { act, only, type Reduced } from "../state/effect.ts";
import { type State, set } from "../state/state.ts";
import { answerCard, hasCardKeys, shownAsk } from "./approval-card-keys.ts";

/** Letters of one word come faster than this. */
export const ANSWER_SETTLES_MS = 400;

/** `isTaken`: the key has no other effect. */
export function onKeyAfterAnswer(state: State, typed: Typed, at: number): Reduced & { readonly isTaken: boolean } {
  const { pressed } = state.asking;
  if (pressed === null) return { ...only(state), isTaken: false };
  if (at - pressed.at >= ANSWER_SETTLES_MS) return { ...settledAnswer(state, pressed.at), isTaken: false };
  const free = set(state, "asking", { pressed: null });
  const isKey = typed.type === "key";
  if (typed.type === "paste" || (isKey && typed.name === "text" && !typed.ctrl && !typed.alt)) {
    const letter = typedText(state.line.input, pressed.letter);
    const input = typed.type === "paste" ? pasted(letter, typed.text) : typedText(letter, typed.text);
    return { ...only(set(free, "line", { input, recalled: null })), isTaken: true };
  }
  if (isKey && typed.name === "enter") return { ...only(state), isTaken: true };
  const isTakenBack = isKey && (typed.name === "escape" || typed.name === "backspace");
  return { ...only(free), isTaken: isTakenBack };
}

/** No text followed the key: it is the answer, if the same card is still shown. */
export function settledAnswer(state: State, since: number): Reduced {
  const { pressed } = state.asking;
  if (pressed?.at !== since) return act(state);
  const free = set(state, "asking", { pressed: null });
  const ask = shownAsk(free);
  if (ask?.id !== pressed.id || !hasCardKeys(free)) return act(free);
  return answerCard(free, ask, pressed.letter, since) ?? act(free);
}
