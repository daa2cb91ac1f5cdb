// What a key makes of the state. A card never takes a key from a half-typed line, Enter never approves, Escape never clears text, and a
// paste never submits. Pure.

import type { Answer } from "../src/syscalls/approval-service.ts";
import {
  cutTo,
  type Editing,
  EMPTY,
  erasedAhead,
  erasedBack,
  type Move,
  moved,
  movedRow,
  pasted,
  typed as typedText,
  undone,
  wholeText,
  withText,
  yanked,
} from "./editor.ts";
import { goingOn, linesToKeep } from "./history.ts";
import { askedBehind, jobLine } from "./jobs.ts";
import type { Key, Typed } from "./keys.ts";
import type { Route } from "./route.ts";
import { onSlash, ownLine, ran } from "./slash.ts";
import type { Ask, Effect, Reduced, State } from "./state.ts";
import { onPickerKeys, onViewKeys, openedPager, openedPicker, openedTop, type ViewHands } from "./views.ts";

/** Keys of the first moments of a card were meant for something else. */
const CARD_DEAF_MS = 400;
const NOTICE_MS = 4000;
const ONLY_LOOKING = "only looking: /attach PID talks";

export interface Hands {
  readonly route: (text: string, pinned: State["pinned"]) => Route;
  /** Whether a line for the shell goes on in the next one. */
  readonly goesOn: (text: string) => boolean;
  readonly columns: number;
  /** Of a view: all columns but one, all rows but one. */
  readonly size: ViewHands["size"];
  readonly newKey: () => string;
}

export function onTyped(before: State, typed: Typed, at: number, hands: Hands): Reduced {
  if (typed.type === "focus" || typed.type === "place") return stay(before);
  const state = before.candidates.length === 0 ? before : { ...before, candidates: [] };
  if (typed.type === "paste") return stay(edited(state, pasted(state.input, typed.text)));
  const viewHands = () => ({ at, size: hands.size, answerOf, ran: (text: string) => ran(text, false) });
  if (state.view !== null) return onViewKeys(state, typed, viewHands());
  if (state.picker !== null) return onPickerKeys(state, state.picker, typed, viewHands());
  if (state.keysShown) return stay({ ...state, keysShown: false });
  if (state.search !== null) return onSearchKey(state, typed);
  if (hasCardKeys(state)) {
    const answered = onCardKey(state, typed, at);
    if (answered !== null) return answered;
  }
  return typed.ctrl ? onControl(state, typed, at) : onPlain(state, typed, at, hands);
}

function hasCardKeys({ asks, input, answering, readOnly }: State): boolean {
  return asks.length > 0 && !readOnly && (input.text === "" || answering);
}

function onCardKey(state: State, key: Key, at: number): Reduced | null {
  const [ask] = state.asks;
  if (ask === undefined || key.ctrl || key.alt) return null;
  if (key.name === "escape" && state.answering) return stay({ ...state, answering: false });
  const answer = key.name === "text" ? answerOf(ask, key.text) : null;
  if (answer === null) return null;
  if (at - ask.since < CARD_DEAF_MS) return stay(state);
  return { state, effects: [{ do: "answer", answer }] };
}

/** Of an approval one letter, of a question the number of a choice. */
function answerOf({ id, kind, hash, args }: Ask, letter: string): Answer | null {
  if (kind === "question") {
    const { choices = [] } = args as { readonly choices?: readonly string[] };
    const text = /^[1-9]$/.test(letter) ? choices[Number(letter) - 1] : undefined;
    return text === undefined ? null : { id, decision: "answer", text };
  }
  const seen = { id, ...(hash !== "" && { hash }) };
  if (letter === "y") return { ...seen, decision: "approve" };
  if (letter === "a") return { ...seen, decision: "approve", always: true };
  return letter === "n" ? { ...seen, decision: "deny" } : null;
}

function onPlain(state: State, key: Key, at: number, hands: Hands): Reduced {
  const { input } = state;
  switch (key.name) {
    case "text":
      if (key.alt && /^[1-9]$/.test(key.text)) return { state, effects: [{ do: "go", nth: Number(key.text) }] };
      if (key.alt) return stay(edited(state, onAlt(input, key.text)));
      if (key.text === "?" && input.text === "") return stay({ ...state, keysShown: true });
      return stay(edited(state, typedText(input, key.text)));
    case "enter":
      return key.alt || key.shift ? stay(edited(state, typedText(input, "\n"))) : entered(state, at, hands);
    case "tab":
      if (key.shift) return stay({ ...state, pinned: NEXT_PIN[state.pinned ?? "none"] ?? null });
      if (state.asks.length > 0) return stay({ ...state, answering: !state.answering });
      return { state, effects: input.text === "" ? [] : [{ do: "complete", of: input }] };
    case "escape":
      return state.run === null || state.readOnly ? stay(state) : { state, effects: [{ do: "stop" }] };
    case "backspace":
      return stay(edited(state, key.alt ? cutTo(input, "word-left") : erasedBack(input)));
    case "delete":
      return stay(edited(state, erasedAhead(input)));
    case "up":
    case "down":
      return upOrDown(state, key.name === "up" ? -1 : 1, hands);
    case "right":
      if (!key.alt && ghostOf(state) !== "") return stay(edited(state, typedText(input, ghostOf(state))));
      return stay(edited(state, moved(input, key.alt ? "word-right" : "right")));
    case "left":
      return stay(edited(state, moved(input, `${key.alt ? "word-" : ""}${key.name}` as Move)));
    case "home":
    case "end":
      if (key.name === "end" && ghostOf(state) !== "") return stay(edited(state, typedText(input, ghostOf(state))));
      return stay(edited(state, moved(input, key.name === "home" ? "line-start" : "line-end")));
    default:
      return stay(state);
  }
}

const NEXT_PIN: { readonly [pin: string]: State["pinned"] } = { none: "chat", chat: "shell", shell: null };

function onAlt(input: Editing, letter: string): Editing {
  if (letter === "b") return moved(input, "word-left");
  if (letter === "f") return moved(input, "word-right");
  return letter === "d" ? cutTo(input, "word-right") : input;
}

function onControl(state: State, key: Key, at: number): Reduced {
  const { input } = state;
  if (key.name === "left" || key.name === "right") return stay(edited(state, moved(input, `word-${key.name}` as Move)));
  if (key.name !== "text") return stay(state);
  if ("ef".includes(key.text) && ghostOf(state) !== "") return stay(edited(state, typedText(input, ghostOf(state))));
  const change = EDITS[key.text];
  if (change !== undefined) return stay(edited(state, change(input)));
  switch (key.text) {
    case "c":
      return interrupted(state, at);
    case "d":
      if (input.text === "") return { state, effects: [{ do: "leave" }] };
      return stay(edited(state, erasedAhead(input)));
    case "g":
      return { state, effects: [{ do: "edit", text: wholeText(input) }] };
    case "l":
      return { state, effects: [{ do: "push-up" }] };
    case "o":
      return state.lastOutput === null ? stay(state) : openedPager(state, "last output", state.lastOutput);
    case "r":
      return stay({ ...state, search: { words: "", nth: 0, before: input } });
    case "p":
      return openedPicker(state, "process");
    case "t":
      return openedTop(state);
    case "z":
      return { state, effects: [{ do: "suspend" }] };
    default:
      return stay(state);
  }
}

const EDITS: { readonly [letter: string]: (input: Editing) => Editing } = {
  a: (input) => moved(input, "line-start"),
  b: (input) => moved(input, "left"),
  e: (input) => moved(input, "line-end"),
  f: (input) => moved(input, "right"),
  h: erasedBack,
  j: (input) => typedText(input, "\n"),
  k: (input) => cutTo(input, "line-end"),
  u: (input) => cutTo(input, "line-start"),
  w: (input) => cutTo(input, "word-left"),
  y: yanked,
  _: undone,
};

function interrupted(state: State, at: number): Reduced {
  const { input } = state;
  if (input.text !== "") {
    const cleared = { ...state, input: EMPTY, recalled: null, answering: false };
    return remembered(cleared, wholeText(input), []);
  }
  if (state.run !== null && !state.readOnly) return { state, effects: [{ do: "stop" }] };
  return stay({ ...state, notice: { text: "ctrl-d leaves", until: at + NOTICE_MS } });
}

function entered(state: State, at: number, { route, goesOn, newKey }: Hands): Reduced {
  const text = wholeText(state.input);
  const way = route(text, state.pinned);
  if (way.to === "nothing") return stay({ ...state, input: EMPTY });
  if (way.to === "shell" && goesOn(text)) return stay(edited(state, typedText(state.input, "\n")));
  const cleared = { ...state, input: EMPTY, recalled: null };
  switch (way.to) {
    case "slash":
      return kept(slashed(cleared, way.word, way.rest), text);
    case "shell":
    case "host":
      if (way.to === "shell") {
        const own = jobLine(cleared, way.text) ?? ownLine(cleared, way.text);
        if (own !== null) return kept(own, text);
      }
      return remembered(cleared, text, ran(way.text, way.to === "host"));
    case "chat":
      // What was typed stays: it is for whoever one talks to next.
      if (state.readOnly) return stay({ ...state, notice: { text: ONLY_LOOKING, until: at + NOTICE_MS } });
      {
        const behind = askedBehind(cleared, way.text);
        if (behind !== null) return kept(behind, text);
      }
      return remembered(...asked(cleared, way.text, newKey(), at));
  }
}

/** Shown as said at once where nothing is in its way, else when a run takes it up. */
function asked(state: State, text: string, key: string, at: number): [State, string, readonly Effect[]] {
  const send: Effect = { do: "send", key, text, interrupt: false };
  if (state.run !== null || state.waiting.length > 0 || state.state !== "idle")
    return [{ ...state, waiting: [...state.waiting, { key, text, runId: null }] }, text, [send]];
  const run = { runId: "", doing: "thinking", what: "", since: at, chars: 0 } as const;
  return [{ ...state, run }, text, [{ do: "print", entry: { kind: "said", text } }, send]];
}

function slashed(state: State, word: string, rest: string): Reduced {
  return (
    onSlash(state, word, rest) ??
    ownLine(state, `${word} ${rest}`.trim()) ?? { state, effects: ran(`${word} ${rest}`.trim(), false) }
  );
}

function kept({ state, effects }: Reduced, text: string): Reduced {
  return remembered(state, text, effects);
}

function remembered(state: State, text: string, effects: readonly Effect[]): Reduced {
  const kept = linesToKeep(text, state.lines.at(-1));
  const remember = kept.map((line): Effect => ({ do: "remember", line }));
  return { state: { ...state, lines: [...state.lines, ...kept] }, effects: [...remember, ...effects] };
}

function upOrDown(state: State, by: -1 | 1, { columns }: Hands): Reduced {
  const row = movedRow(state.input, by, columns);
  if (row !== null) return stay({ ...state, input: row });
  const last = state.waiting.findLast(({ runId }) => runId !== null);
  if (by === -1 && state.input.text === "" && last?.runId != null) {
    const waiting = state.waiting.filter((message) => message !== last);
    const taken = { ...state, waiting, input: withText(EMPTY, last.text) };
    return { state: taken, effects: [{ do: "withdraw", runId: last.runId }] };
  }
  return stay(recall(state, by));
}

function recall(state: State, by: -1 | 1): State {
  const { lines, recalled } = state;
  const at = (recalled?.at ?? lines.length) + by;
  const draft = recalled?.draft ?? state.input;
  if (at < 0 || at > lines.length) return state;
  if (at === lines.length) return recalled === null ? state : { ...state, input: draft, recalled: null };
  return { ...state, input: withText(EMPTY, lines[at] ?? ""), recalled: { at, draft } };
}

/** What stands dim behind the cursor: how this line went on before. */
export function ghostOf({ input, lines }: State): string {
  return input.at === input.text.length && input.pastes.size === 0 ? goingOn(input.text, lines) : "";
}

/** The line that a search stands on; null when none matches. */
export function found({ lines, search }: State): string | null {
  if (search === null) return null;
  const matching = search.words === "" ? [] : lines.toReversed().filter((line) => line.includes(search.words));
  return [...new Set(matching)][search.nth] ?? null;
}

function onSearchKey(state: State, key: Key): Reduced {
  const { search } = state;
  if (search === null) return stay(state);
  const line = found(state);
  if (key.name === "text" && !key.ctrl && !key.alt)
    return stay({ ...state, search: { ...search, words: search.words + key.text, nth: 0 } });
  if (key.name === "backspace") {
    const words = [...search.words].slice(0, -1).join("");
    return stay({ ...state, search: { ...search, words, nth: 0 } });
  }
  if (key.ctrl && key.text === "r")
    return stay(line === null ? state : { ...state, search: { ...search, nth: search.nth + 1 } });
  const gaveUp = key.name === "escape" || (key.ctrl && "cg".includes(key.text));
  return stay({ ...state, search: null, input: gaveUp || line === null ? search.before : withText(EMPTY, line) });
}

function edited(state: State, input: Editing): State {
  const isText = input.text !== state.input.text;
  return { ...state, input, ...(isText ? { recalled: null, answering: false } : {}) };
}

function stay(state: State): Reduced {
  return { state, effects: [] };
}
