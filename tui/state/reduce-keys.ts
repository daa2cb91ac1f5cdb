// What a key makes of the state. A card never takes a key from a half-typed line, Enter never approves, Escape never clears text, and a
// paste never submits. Pure.

import { answerOf, hasCardKeys, onCardKey, replied, tabbed, uncovered } from "../cards/cards.ts";
import { onChosenKey } from "../cards/chosen-answer.ts";
import {
  cutTo,
  type Editing,
  emptied,
  erasedAhead,
  erasedBack,
  type Move,
  moved,
  pasted,
  redone,
  typed as typedText,
  undone,
  wholeText,
  withText,
  yanked,
  yankedBefore,
} from "../line/editor.ts";
import { remarked, unknownSlash } from "../line/foreign.ts";
import { goingOn, isKept, type Past, withLast } from "../line/history.ts";
import type { Key, Typed } from "../line/keys.ts";
import { chosen } from "../line/menu.ts";
import { movedRow } from "../line/rows.ts";
import { newSearch, onSearchKey } from "../line/search.ts";
import { onSlash, ownLine, ran } from "../line/slash.ts";
import { nextCollapsed } from "../talk/collapsed.ts";
import { onHeldKey } from "../talk/held.ts";
import { askedBehind, jobLine } from "../talk/jobs.ts";
import { asked, takenBack, turnedFate } from "../talk/send.ts";
import type { Route } from "../verdict/route.ts";
import { keySheet } from "../views/key-sheet.ts";
import { onPickerKeys, onViewKeys, openedPager, openedPicker, openedTop, type ViewHands } from "../views/views.ts";
import type { Effect, Reduced } from "./effect.ts";
import type { State } from "./state.ts";

const NOTICE_MS = 4000;
const ONLY_LOOKING = "only looking: /attach PID talks";

export interface Hands {
  readonly route: (text: string, pinned: State["pinned"]) => Route;
  /** Whether a line for the shell goes on in the next one. */
  readonly goesOn: (text: string) => boolean;
  readonly columns: number;
  readonly now: number;
  /** Of a view: all columns but one, all rows but one. */
  readonly size: ViewHands["size"];
  readonly newKey: () => string;
}

export function onTyped(before: State, typed: Typed, at: number, hands: Hands): Reduced {
  if (typed.type === "focus" || typed.type === "place") return stay(before);
  // Whatever has the keys: it is there again when one comes back.
  if (typed.type === "key" && typed.ctrl && typed.text === "z") return { state: before, effects: [{ do: "suspend" }] };
  const { state, effects, isTaken } = onChosenKey(read(before, typed), typed, at);
  if (isTaken) return { state, effects };
  const rest = onKey(state, typed, at, hands);
  return { state: rest.state, effects: [...effects, ...rest.effects] };
}

/** Whoever presses a key has read what was told. */
function read(state: State, typed: Pressed): State {
  const { notice } = state;
  const isLine = typed.type === "key" && typed.name === "enter";
  return notice === null || (notice.isNews && !isLine) ? state : { ...state, notice: null };
}

type Pressed = Exclude<Typed, { readonly type: "focus" | "place" }>;

function onKey(before: State, typed: Pressed, at: number, hands: Hands): Reduced {
  const viewHands = () => ({ at, size: hands.size, answerOf, ran: (text: string) => ran(text, false) });
  const isExpanded = before.opened !== null && before.view?.kind === "pager";
  if (isExpanded && typed.type === "key" && typed.ctrl && typed.text === "o")
    return expanded({ ...before, view: null });
  if (before.view !== null && typed.type === "key")
    return afterView(onViewKeys(before, typed, viewHands()), typed, at, hands);
  const { menu } = before;
  const state = menu === null && before.opened === null ? before : { ...before, menu: null, opened: null };
  if (typed.type === "paste") return stay(edited({ ...state, hot: null }, pasted(state.input, typed.text)));
  if (state.picker !== null) return onPickerKeys(state, state.picker, typed, viewHands());
  if (state.keysShown) return stay({ ...state, keysShown: false });
  if (state.search !== null) return stay({ ...state, ...onSearchKey(state.search, typed, state.past, state.cwd) });
  if (typed.ctrl && typed.text === "o") return expanded({ ...state, opened: before.opened });
  if (hasCardKeys(state)) {
    const answered = onCardKey(state, typed, at);
    if (answered !== null) return answered;
  } else {
    const held = onHeldKey(state, typed, at);
    if (held !== null) return held;
  }
  if (typed.name === "tab" && menu !== null) return stay(chosen(state, menu, typed.shift ? -1 : 1));
  return typed.ctrl ? onControl(state, typed, at) : onPlain(state, typed, at, hands);
}

/** What was typed in the same breath after the key that left a view is for the line. */
function afterView(
  { state, effects, left }: ReturnType<typeof onViewKeys>,
  key: Key,
  at: number,
  hands: Hands,
): Reduced {
  if (left === "") return { state, effects };
  const rest = onTyped(uncovered(state), { ...key, type: "key", text: left }, at, hands);
  return { state: rest.state, effects: [...effects, ...rest.effects] };
}

function expanded(state: State): Reduced {
  const next = nextCollapsed(state);
  if (next === null) return stay(state);
  const { fold, nth, count } = next;
  const more = nth + 1 < count ? " · ctrl-o earlier" : "";
  const where = count > 1 ? `  ${count - nth} of ${count}${more}` : "";
  return openedPager({ ...state, opened: nth }, `${fold.title}${where}`.replaceAll("\n", "⏎"), fold.text);
}

/** What the keys do stands above the line, where there is room; else it is paged. */
function withSheet({ state, effects }: Reduced, { size }: Hands): Reduced {
  if (!state.keysShown) return { state, effects };
  const plain = (text: string) => text;
  const sheet = keySheet(size.columns, { key: plain, word: plain });
  if (sheet.length + ROWS_LEFT <= size.rows) return { state, effects };
  return openedPager({ ...state, keysShown: false }, "keys", sheet.join("\n"));
}

/** For the line, where one is, and something of what was said. */
const ROWS_LEFT = 6;

function onPlain(state: State, key: Key, at: number, hands: Hands): Reduced {
  const { input } = state;
  switch (key.name) {
    case "text":
      if (key.alt && /^[1-9]$/.test(key.text)) return { state, effects: [{ do: "go", nth: Number(key.text) }] };
      if (key.alt) return stay(edited(state, onAlt(input, key.text)));
      if (key.text === "?" && input.text === "") return withSheet(stay({ ...state, keysShown: true }), hands);
      return stay(edited(state, typedText(input, key.text)));
    case "enter":
      return key.alt || key.shift ? stay(edited(state, typedText(input, "\n"))) : entered(state, at, hands);
    case "tab":
      if (key.shift) return stay({ ...state, pinned: NEXT_PIN[state.pinned ?? "none"] ?? null });
      if (state.asks.length > 0 && state.replying === null) return stay(tabbed(state));
      return { state, effects: input.text === "" ? [] : [{ do: "complete", of: input }] };
    case "escape":
      if (state.replying !== null) return stay({ ...state, replying: null });
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
  if (letter === "y") return yankedBefore(input);
  if (letter === "z" || letter === "_") return redone(input);
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
    case "r":
      return stay({ ...state, search: newSearch(input) });
    case "s":
      return stay(turnedFate(state));
    case "p":
      return openedPicker(state, "process");
    case "t":
      return openedTop(state);
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
    const cleared = { ...state, input: emptied(input), recalled: null, answering: false, replying: null };
    return remembered(cleared, entryOf(state, wholeText(input), at), []);
  }
  if (state.run !== null && !state.readOnly) return { state, effects: [{ do: "stop" }] };
  return stay({ ...state, notice: { text: "ctrl-d leaves", until: at + NOTICE_MS } });
}

function entered(state: State, at: number, hands: Hands): Reduced {
  const { route, goesOn, newKey } = hands;
  if (state.replying !== null) return replied(state);
  const text = withLast(wholeText(state.input), state.past);
  const way = route(text, state.pinned);
  if (way.to === "nothing") return remarked({ ...state, input: emptied(state.input) }, text.trim());
  if (way.to === "shell" && goesOn(text)) return stay(edited(state, typedText(state.input, "\n")));
  if (way.to === "chat" && text.endsWith("\\") && state.input.at === state.input.text.length)
    return stay(edited(state, typedText(erasedBack(state.input), "\n")));
  const cleared = { ...state, input: emptied(state.input), recalled: null };
  const entry = entryOf(state, text, at);
  switch (way.to) {
    case "slash": {
      const done = withSheet(slashed(cleared, way.word, way.rest), hands);
      return remembered(done.state, entry, done.effects);
    }
    case "unknown": {
      const done = unknownSlash(cleared, text.trim(), way.word);
      return remembered(done.state, entry, done.effects);
    }
    case "shell":
    case "host":
      if (way.to === "shell") {
        const own = jobLine(cleared, way.text) ?? ownLine(cleared, way.text);
        if (own !== null) return remembered(own.state, entry, own.effects);
      }
      return remembered(cleared, entry, ran(way.text, way.to === "host", entry));
    case "chat": {
      // What was typed stays: it is for whoever one talks to next.
      if (state.readOnly) return stay({ ...state, notice: { text: ONLY_LOOKING, until: at + NOTICE_MS } });
      const sent = askedBehind(cleared, way.text) ?? asked(cleared, way.text, { key: newKey(), at });
      return remembered(sent.state, entry, sent.effects);
    }
  }
}

/** Null where it is not to be kept. */
function entryOf({ past, cwd }: State, text: string, at: number): Past | null {
  return isKept(text, past.at(-1)?.text) ? { text, at, cwd, status: null } : null;
}

function slashed(state: State, word: string, rest: string): Reduced {
  return (
    onSlash(state, word, rest) ??
    ownLine(state, `${word} ${rest}`.trim()) ?? { state, effects: ran(`${word} ${rest}`.trim(), false) }
  );
}

function remembered(state: State, entry: Past | null, effects: readonly Effect[]): Reduced {
  if (entry === null) return { state, effects };
  return { state: { ...state, past: [...state.past, entry] }, effects: [{ do: "remember", entry }, ...effects] };
}

function upOrDown(state: State, by: -1 | 1, { columns }: Hands): Reduced {
  const row = movedRow(state.input, by, columns);
  if (row !== null) return stay({ ...state, input: row });
  const taken = by === -1 && state.input.text === "" && state.recalled === null ? takenBack(state) : null;
  return taken ?? stay(recall(state, by));
}

function recall(state: State, by: -1 | 1): State {
  const { past, recalled, input } = state;
  const at = (recalled?.at ?? past.length) + by;
  const draft = recalled?.draft ?? input;
  if (at < 0 || at > past.length) return state;
  if (at === past.length) return recalled === null ? state : { ...state, input: draft, recalled: null };
  return { ...state, input: withText(emptied(input), past[at]?.text ?? ""), recalled: { at, draft } };
}

/** What stands dim behind the cursor: how this line went on before. */
export function ghostOf({ input, past, cwd, replying }: State): string {
  if (input.at !== input.text.length || input.pastes.size > 0 || replying !== null) return "";
  return goingOn(input.text, past, cwd);
}

function edited(state: State, input: Editing): State {
  const isText = input.text !== state.input.text;
  return { ...state, input, ...(isText ? { recalled: null, answering: false } : {}) };
}

function stay(state: State): Reduced {
  return { state, effects: [] };
}
