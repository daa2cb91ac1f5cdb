// What a key does. A card never takes a key from a half-typed line, Enter never approves, Escape never clears text, and a paste never
// submits. Pure.

import { hasCardKeys, onCardKey, replied, resetCard, tabbed, unreplied } from "../approval-card/approval-card-keys.ts";
import { onKeyAfterAnswer } from "../approval-card/chosen-answer.ts";
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
import { isKept, type Past, withLast } from "../line/history.ts";
import type { Key, Typed } from "../line/keys.ts";
import { chosen, ghostOf, menuMove, shownMenu, unfinishedSlash } from "../line/menu.ts";
import { movedRow } from "../line/rows.ts";
import { newSearch, onSearchKey } from "../line/search.ts";
import { comment, onSlash, ownLine, unknownSlash } from "../line/slash.ts";
import { nextCollapsed } from "../talk/collapsed.ts";
import { askedInBackground, jobLine, leaving } from "../talk/jobs.ts";
import { onPausedKey } from "../talk/paused-keys.ts";
import { nextFate, sentMessage, takenBack } from "../talk/send.ts";
import { keySheet } from "../views/key-sheet.ts";
import { onPickerKeys, onViewKeys, openedPager, openedPicker, openedTop } from "../views/views.ts";
import { act, type Effect, only, type Reduced, ran } from "./effect.ts";
import type { KeyContext } from "./key-context.ts";
import type { Pin } from "./line.ts";
import { noticed, type State, set } from "./state.ts";

const READ_ONLY = "read-only: /attach PID to talk";
const LEAVE_WITH = "ctrl-d to leave";

export function onTyped(before: State, typed: Typed, at: number, context: KeyContext): Reduced {
  if (typed.type === "focus") return only(set(before, "news", { isFocused: typed.has }));
  if (typed.type === "cursor") return only(before);
  // Also while a card or a view has the keyboard.
  if (typed.type === "key" && typed.ctrl && typed.text === "z") return act(before, { do: "suspend" });
  const { state, effects, isTaken } = onKeyAfterAnswer(withNoticeClosed(before, typed), typed, at);
  if (isTaken) return act(state, ...effects);
  const rest = onKey(state, typed, at, context);
  return act(rest.state, ...effects, ...rest.effects);
}

type Pressed = Exclude<Typed, { readonly type: "focus" | "cursor" }>;

/** Any key closes a notice; news stays until enter. */
function withNoticeClosed(state: State, typed: Pressed): State {
  const { notice } = state.overlay;
  const isEnter = typed.type === "key" && typed.name === "enter";
  return notice === null || (notice.isNews && !isEnter) ? state : set(state, "overlay", { notice: null });
}

function onKey(before: State, typed: Pressed, at: number, context: KeyContext): Reduced {
  const { overlay, line, chat } = before;
  const isKey = typed.type === "key";
  if (isKey && isExpand(typed) && chat.opened !== null && overlay.view?.kind === "pager")
    return expanded(set(before, "overlay", { view: null }));
  if (overlay.view !== null && isKey)
    return afterView(onViewKeys(before, typed, { at, size: context.size }), typed, at, context);
  const menu = shownMenu(before);
  // After enter, the next letter begins a new line and not a word with the key for the paused process.
  const isEntered = isKey && typed.name === "enter" && line.pausedKey !== null;
  const state = closedMenu(isEntered ? set(before, "line", { pausedKey: null }) : before);
  if (typed.type === "paste")
    return only(edited(set(state, "line", { pausedKey: null }), pasted(state.line.input, typed.text)));
  if (overlay.picker !== null) return onPickerKeys(state, overlay.picker, typed);
  if (overlay.keysShown) return only(set(state, "overlay", { keysShown: false }));
  if (line.search !== null) return only(set(state, "line", onSearchKey(line.search, typed, line.past, line.cwd)));
  if (isExpand(typed)) return expanded(set(state, "chat", { opened: chat.opened }));
  const taken = hasCardKeys(state) ? onCardKey(state, typed, at) : onPausedKey(state, typed, at);
  if (taken !== null) return taken;
  const by = menu === null ? null : menuMove(before, typed);
  if (menu !== null && by !== null) return only(chosen(state, menu, by));
  return typed.ctrl ? onControl(state, typed, at) : onPlain(state, typed, at, context);
}

function isExpand(key: Key): boolean {
  return key.ctrl && key.text === "o";
}

function closedMenu(state: State): State {
  if (state.line.menu === null && state.chat.opened === null) return state;
  return set(set(state, "line", { menu: null }), "chat", { opened: null });
}

function afterView(
  { state, effects, left }: ReturnType<typeof onViewKeys>,
  key: Key,
  at: number,
  context: KeyContext,
): Reduced {
  if (left === "") return act(state, ...effects);
  const rest = onTyped(resetCard(state), { ...key, type: "key", text: left }, at, context);
  return act(rest.state, ...effects, ...rest.effects);
}

function expanded(state: State): Reduced {
  const next = nextCollapsed(state.chat);
  if (next === null) return only(state);
  const { collapsed, nth, count } = next;
  const more = nth + 1 < count ? " · ctrl-o earlier" : "";
  const where = count > 1 ? `  ${count - nth} of ${count}${more}` : "";
  const title = `${collapsed.title}${where}`.replaceAll("\n", "⏎");
  return openedPager(set(state, "chat", { opened: nth }), title, collapsed.text);
}

/** The list of keys stands above the line if there is room; otherwise the pager shows it. */
function withKeySheet({ state, effects }: Reduced, { size }: KeyContext): Reduced {
  if (!state.overlay.keysShown) return act(state, ...effects);
  const plain = (text: string) => text;
  const { lines, fits } = keySheet(size, { key: plain, word: plain });
  if (fits) return act(state, ...effects);
  return openedPager(set(state, "overlay", { keysShown: false }), "keys", lines.join("\n"));
}

function onPlain(state: State, key: Key, at: number, context: KeyContext): Reduced {
  const { input, pinned, route } = state.line;
  switch (key.name) {
    case "text":
      if (key.alt && /^[1-9]$/.test(key.text)) return act(state, { do: "go", nth: Number(key.text) });
      if (key.alt) return only(edited(state, onAlt(input, key.text)));
      if (key.text === "?" && input.text === "")
        return withKeySheet(only(set(state, "overlay", { keysShown: true })), context);
      return only(edited(state, typedText(input, key.text)));
    case "enter":
      return key.alt || key.shift ? only(edited(state, typedText(input, "\n"))) : entered(state, at, context);
    case "tab":
      if (key.shift && input.text !== "") return only(set(state, "line", { turned: NEXT_TURN[route.to] ?? "chat" }));
      if (key.shift) return only(set(state, "line", { pinned: NEXT_PIN[pinned ?? "none"] ?? null }));
      if (state.asking.asks.length > 0 && state.asking.lineAnswers === null) return only(tabbed(state));
      return input.text === "" ? only(state) : act(state, { do: "complete", of: input });
    case "escape":
      if (state.asking.lineAnswers !== null) return only(unreplied(state));
      return aborted(withLineBack(state)) ?? only(withLineBack(state));
    case "backspace":
      return only(edited(state, key.alt ? cutTo(input, "word-left") : erasedBack(input)));
    case "delete":
      return only(edited(state, erasedAhead(input)));
    case "up":
    case "down":
      return upOrDown(state, key.name === "up" ? -1 : 1, context);
    case "right":
      return only(acceptedGhost(state, key) ?? edited(state, moved(input, key.alt ? "word-right" : "right")));
    case "left":
      return only(edited(state, moved(input, key.alt ? "word-left" : "left")));
    case "home":
      return only(edited(state, moved(input, "line-start")));
    case "end":
      return only(acceptedGhost(state, key) ?? edited(state, moved(input, "line-end")));
    default:
      return only(state);
  }
}

const NEXT_TURN: { readonly [to: string]: Pin } = { chat: "shell", shell: "host", host: "chat" };
const NEXT_PIN: { readonly [pin: string]: State["line"]["pinned"] } = { none: "chat", chat: "shell", shell: null };

/** Takes the suggestion behind the cursor; null if there is none. */
function acceptedGhost(state: State, key: Key): State | null {
  const ghost = key.alt ? "" : ghostOf(state);
  return ghost === "" ? null : edited(state, typedText(state.line.input, ghost));
}

/** Puts the last line back: a message until its answer begins, a command that failed. */
function withLineBack(state: State): State {
  const { input, last, past } = state.line;
  const { run, waiting } = state.chat;
  if (last === null || input.text !== "") return state;
  const isAsked =
    last.to === "chat" && run !== null && waiting.length === 0 && run.doing === "thinking" && run.chars === 0;
  const entry = past.at(-1);
  const hasRun = last.to !== "chat" && run === null && entry?.text === last.text && (entry.status ?? 0) !== 0;
  if (!isAsked && !hasRun) return state;
  return set(state, "line", { input: withText(emptied(input), last.text), last: null });
}

/** null if nothing runs that this terminal may stop. */
function aborted(state: State): Reduced | null {
  const { pid, readOnly } = state.process;
  return state.chat.run === null || readOnly ? null : act(state, { do: "abort", pid });
}

function onAlt(input: Editing, letter: string): Editing {
  if (letter === "b") return moved(input, "word-left");
  if (letter === "f") return moved(input, "word-right");
  if (letter === "y") return yankedBefore(input);
  if (letter === "z" || letter === "_") return redone(input);
  return letter === "d" ? cutTo(input, "word-right") : input;
}

function onControl(state: State, key: Key, at: number): Reduced {
  const { input } = state.line;
  if (key.name === "left" || key.name === "right") return only(edited(state, moved(input, `word-${key.name}` as Move)));
  if (key.name !== "text") return only(state);
  const ghosted = "ef".includes(key.text) ? acceptedGhost(state, key) : null;
  if (ghosted !== null) return only(ghosted);
  const change = EDITS[key.text];
  if (change !== undefined) return only(edited(state, change(input)));
  switch (key.text) {
    case "c":
      return interrupted(state, at);
    case "d":
      return input.text === "" ? leaving(state) : only(edited(state, erasedAhead(input)));
    case "g":
      return act(state, { do: "edit", text: wholeText(input) });
    case "l":
      return act(state, { do: "push-up" });
    case "r":
      return only(set(state, "line", { search: newSearch(input) }));
    case "s":
      return only(nextFate(state));
    case "p":
      return openedPicker(state, "process");
    case "t":
      return openedTop(state);
    default:
      return only(state);
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
  const { input } = state.line;
  if (input.text === "") return aborted(state) ?? only(noticed(state, LEAVE_WITH, at));
  const cleared = set(cleanLine(state), "asking", { cardHasKeys: false, lineAnswers: null });
  return remembered(cleared, entryOf(state, wholeText(input), at), []);
}

function cleanLine(state: State): State {
  return set(state, "line", { input: emptied(state.line.input), recalled: null });
}

function entered(state: State, at: number, context: KeyContext): Reduced {
  const { input, past, pinned, turned } = state.line;
  if (state.asking.lineAnswers !== null) return replied(state);
  const text = withLast(wholeText(input), past);
  const way = context.route(text, turned ?? pinned);
  const menu = unfinishedSlash(state, way);
  if (menu !== null) return only(chosen(state, menu, 1));
  if (way.to === "nothing") return comment(set(state, "line", { input: emptied(input) }), text.trim());
  if (way.to === "shell" && context.isUnfinished(text)) return only(edited(state, typedText(input, "\n")));
  if (way.to === "chat" && text.endsWith("\\") && input.at === input.text.length)
    return only(edited(state, typedText(erasedBack(input), "\n")));
  // The text stays for the process that is attached next.
  if (way.to === "chat" && state.process.readOnly) return only(noticed(state, READ_ONLY, at));
  const entry = entryOf(state, text, at);
  const clean = set(cleanLine(state), "line", { turned: null, last: { text, to: way.to } });
  const done = carriedOut(clean, text, { way, entry, at, context });
  return remembered(done.state, entry, done.effects);
}

interface Entered {
  readonly way: ReturnType<KeyContext["route"]>;
  readonly entry: Past | null;
  readonly at: number;
  readonly context: KeyContext;
}

function carriedOut(state: State, text: string, { way, entry, at, context }: Entered): Reduced {
  switch (way.to) {
    case "nothing":
      return only(state);
    case "slash":
      return withKeySheet(slashed(state, way.word, way.rest), context);
    case "unknown":
      return unknownSlash(state, text.trim(), way.word);
    case "shell":
      return jobLine(state, way.text) ?? ownLine(state, way.text) ?? act(state, ...ran(way.text, false, entry));
    case "host":
      return act(state, ...ran(way.text, true, entry));
    case "chat":
      return askedInBackground(state, way.text) ?? sentMessage(state, way.text, { key: context.newKey(), at });
  }
}

/** null if history does not keep the line. */
function entryOf({ line: { past, cwd } }: State, text: string, at: number): Past | null {
  return isKept(text, past.at(-1)?.text) ? { text, at, cwd, status: null } : null;
}

function slashed(state: State, word: string, rest: string): Reduced {
  const line = `${word} ${rest}`.trim();
  return onSlash(state, word, rest) ?? ownLine(state, line) ?? act(state, ...ran(line));
}

function remembered(state: State, entry: Past | null, effects: readonly Effect[]): Reduced {
  if (entry === null) return act(state, ...effects);
  return act(set(state, "line", { past: [...state.line.past, entry] }), { do: "remember", entry }, ...effects);
}

function upOrDown(state: State, by: -1 | 1, { columns }: KeyContext): Reduced {
  const { input, recalled } = state.line;
  const row = movedRow(input, by, columns);
  if (row !== null) return only(set(state, "line", { input: row }));
  const taken = by === -1 && input.text === "" && recalled === null ? takenBack(state) : null;
  return taken ?? only(recall(state, by));
}

function recall(state: State, by: -1 | 1): State {
  const { past, recalled, input } = state.line;
  const at = (recalled?.at ?? past.length) + by;
  const draft = recalled?.draft ?? input;
  if (at < 0 || at > past.length) return state;
  if (at === past.length) return recalled === null ? state : set(state, "line", { input: draft, recalled: null });
  return set(state, "line", { input: withText(emptied(input), past[at]?.text ?? ""), recalled: { at, draft } });
}

function edited(state: State, input: Editing): State {
  if (input.text === state.line.input.text) return set(state, "line", { input });
  return set(set(state, "line", { input, recalled: null }), "asking", { cardHasKeys: false });
}
