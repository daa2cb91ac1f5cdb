// Keys for a paused process, on an empty line: retry, switch the model, raise the budget. All but retry start a line to complete. A letter
// followed by more letters was the beginning of a word. Pure.

import { EMPTY, typed, withText } from "../line/editor.ts";
import type { Key } from "../line/keys.ts";
import { act, only, type Reduced } from "../state/effect.ts";
import type { Attachment } from "../state/process.ts";
import { type State, set } from "../state/state.ts";

export interface PausedKey {
  readonly letter: string;
  readonly word: string;
  /** The line to finish; null resumes at once. */
  readonly line: ((process: Attachment) => string) | null;
}

const RETRY: PausedKey = { letter: "r", word: "retry now", line: null };
const RESUME: PausedKey = { letter: "r", word: "resume", line: null };
const MODEL: PausedKey = { letter: "m", word: "switch model", line: () => "/model " };
const ENTER_KEY: PausedKey = {
  letter: "e",
  word: "enter key",
  line: ({ waitsFor }) => `auth provider ${waitsFor?.kind === "credential" ? (waitsFor.provider ?? "") : ""}`,
};
const RAISE: PausedKey = {
  letter: "b",
  word: "raise budget",
  // A daily limit belongs to the account.
  line: ({ pid, waitsFor }) =>
    waitsFor?.kind === "limit" && waitsFor.until !== undefined ? "config set budget.day " : `budget ${pid} `,
};
const KILL: PausedKey = { letter: "k", word: "kill", line: ({ pid }) => `kill ${pid}` };

const KEYS: { readonly [kind: string]: readonly PausedKey[] } = {
  outage: [RETRY, MODEL],
  credential: [ENTER_KEY, MODEL, RETRY],
  limit: [RAISE, KILL],
  disk: [RETRY],
  person: [RESUME],
};
/** Letters of one word come faster than this. */
const WORD_MS = 350;

export function pausedKeys({ state, waitsFor }: Attachment): readonly PausedKey[] {
  if (state === "stopped") return [RESUME];
  if (state !== "paused" || waitsFor === null) return [];
  if (waitsFor.kind === "credential" && (waitsFor.missing !== undefined || waitsFor.provider === undefined))
    return [RETRY, MODEL];
  return KEYS[waitsFor.kind] ?? [];
}

/** null if the key is for the line. */
export function onPausedKey(state: State, key: Key, at: number): Reduced | null {
  const { pausedKey, input } = state.line;
  const { process } = state;
  if (key.name !== "text" || key.ctrl || key.alt) return null;
  const keys = pausedKeys(process);
  const before = keys.find(({ letter }) => letter === pausedKey?.letter);
  if (pausedKey !== null && at - pausedKey.at < WORD_MS && input.text === (before?.line?.(process) ?? ""))
    return only(set(state, "line", { pausedKey: null, input: typed(EMPTY, pausedKey.letter + key.text) }));
  if (input.text !== "") return null;
  const found = keys.find(({ letter }) => letter === key.text);
  if (found === undefined) return null;
  const next = set(state, "line", { pausedKey: { letter: found.letter, at } });
  if (found.line === null) return act(next, { do: "signal", pid: process.pid, signal: "CONT" });
  return only(set(next, "line", { input: withText(input, found.line(process)) }));
}
