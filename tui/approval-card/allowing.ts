// The ways to allow more than one call, as a list on the card: exactly this call first, then patterns, narrow to wide. A number chooses one,
// `e` puts the marked one on the line to be edited. Enter chooses nothing. Pure.

import type { Answer } from "../../src/syscalls/approval/hil.ts";
import { emptied, withText } from "../line/editor.ts";
import type { Key } from "../line/keys.ts";
import type { Ask } from "../state/asks.ts";
import { only, type Reduced } from "../state/effect.ts";
import { type State, set } from "../state/state.ts";
import { subjectOf } from "../talk/subject.ts";

/** null if there is only this exact call. */
export function waysOf({ tool, args, about }: Ask): readonly string[] | null {
  const { patterns = [], once } = about ?? {};
  return once === true || patterns.length === 0 ? null : [subjectOf(tool, args), ...patterns];
}

export function isAllowing({ asking: { allowing } }: State, { id }: Ask): boolean {
  return allowing?.id === id;
}

/** Opens the list, or moves its mark; null if the key is not for the list. */
export function onAllowKey(state: State, ask: Ask, key: Key): Reduced | null {
  const { allowing } = state.asking;
  const ways = waysOf(ask);
  if (allowing === null || ways === null || !isAllowing(state, ask)) return null;
  if (key.name === "escape") return only(set(state, "asking", { allowing: null }));
  if (key.name !== "up" && key.name !== "down") return null;
  const at = (allowing.at + (key.name === "up" ? ways.length - 1 : 1)) % ways.length;
  return only(set(state, "asking", { allowing: { ...allowing, at } }));
}

/** Of the open list a number or `e`; null for other letters. */
export function allowed(state: State, ask: Ask, letter: string): { readonly answer: Answer } | Reduced | null {
  const ways = waysOf(ask);
  const { allowing } = state.asking;
  if (ways === null || allowing === null || !isAllowing(state, ask)) return null;
  const way = /^[1-9]$/.test(letter) ? ways[Number(letter) - 1] : undefined;
  if (way !== undefined) return { answer: allowAnswer(ask, way) };
  if (letter !== "e") return null;
  const input = withText(emptied(state.line.input), ways[allowing.at] ?? "");
  return only(set(set(state, "line", { input }), "asking", { lineAnswers: ask.id, cardHasKeys: false }));
}

/** The subject itself is exactly this call. */
export function allowAnswer(ask: Ask, way: string): Answer {
  const { id, hash, tool, args } = ask;
  const seen = { id, ...(hash !== "" && { hash }), decision: "approve", always: true } as const;
  return way === subjectOf(tool, args) ? seen : { ...seen, pattern: way };
}
