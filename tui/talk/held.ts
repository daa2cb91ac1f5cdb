// What holds a process, as keys on an empty line: go on now, another model, more budget. None of them does anything that cannot be looked
// at first: all but going on put a line there to be finished. A letter that a word follows at once was the beginning of the word. Pure.

import { EMPTY, typed, withText } from "../line/editor.ts";
import type { Key } from "../line/keys.ts";
import type { Reduced } from "../state/effect.ts";
import type { State } from "../state/state.ts";

type Held = Pick<State, "pid" | "waitsFor">;

export interface HeldKey {
  readonly letter: string;
  readonly word: string;
  /** A line to be finished; null goes on now. */
  readonly line: ((held: Held) => string) | null;
}

const NOW: HeldKey = { letter: "r", word: "now", line: null };
const ON: HeldKey = { letter: "r", word: "goes on", line: null };
const MODEL: HeldKey = { letter: "m", word: "other model", line: () => "/model " };
const RAISE: HeldKey = {
  letter: "b",
  word: "raise",
  // What ends with the day is its owner's.
  line: ({ pid, waitsFor }) =>
    waitsFor?.kind === "limit" && waitsFor.until !== undefined ? "config set budget.day " : `budget ${pid} `,
};
const END: HeldKey = { letter: "k", word: "end", line: ({ pid }) => `kill ${pid}` };

const KEYS: { readonly [kind: string]: readonly HeldKey[] } = {
  outage: [NOW, MODEL],
  credential: [NOW, MODEL],
  limit: [RAISE, END],
  disk: [NOW],
  person: [ON],
};
/** Letters of one word come faster than this. */
const WORD_MS = 350;

export function heldKeys({ state, waitsFor }: Pick<State, "state" | "waitsFor">): readonly HeldKey[] {
  if (state === "stopped") return [ON];
  return state === "paused" && waitsFor !== null ? (KEYS[waitsFor.kind] ?? []) : [];
}

/** Null where the key is the line's. */
export function onHeldKey(state: State, key: Key, at: number): Reduced | null {
  const { hot, input, pid } = state;
  if (key.name !== "text" || key.ctrl || key.alt) return null;
  const keys = heldKeys(state);
  const before = keys.find(({ letter }) => letter === hot?.letter);
  if (hot !== null && at - hot.at < WORD_MS && input.text === (before?.line?.(state) ?? ""))
    return stay({ ...state, hot: null, input: typed(EMPTY, hot.letter + key.text) });
  if (input.text !== "") return null;
  const found = keys.find(({ letter }) => letter === key.text);
  if (found === undefined) return null;
  const next = { ...state, hot: { letter: found.letter, at } };
  if (found.line === null) return { state: next, effects: [{ do: "signal", pid, signal: "CONT" }] };
  return stay({ ...next, input: withText(input, found.line(state)) });
}

function stay(state: State): Reduced {
  return { state, effects: [] };
}
