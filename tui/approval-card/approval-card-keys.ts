// Pending approvals and questions as cards: which one is shown, who gets the keys, and what a key answers. A card never takes a key from a
// half-typed line, Enter never approves, and keys are ignored for 400 ms after a card appears. Pure.

import type { Answer } from "../../src/syscalls/approval/hil.ts";
import { emptied, wholeText } from "../line/editor.ts";
import type { Key } from "../line/keys.ts";
import type { Ask, Asking } from "../state/asks.ts";
import { act, only, type Reduced } from "../state/effect.ts";
import { noticed, type State, set } from "../state/state.ts";
import { alikeWith } from "./alike.ts";
import { allowAnswer, allowed, isAllowing, onAllowKey, waysOf } from "./allowing.ts";

/** Keys this soon after a request appears were meant for the line. */
export const IGNORED_MS = 400;

/** In the order of tab: requests of the attached process first. */
export function inTurn({ asking: { asks }, process: { pid } }: State): readonly Ask[] {
  return [...asks.filter((ask) => ask.pid === pid), ...asks.filter((ask) => ask.pid !== pid)];
}

export function shownAsk(state: State): Ask | null {
  const { asks, card, cardHasKeys, lineAnswers, pressed } = state.asking;
  const shown = asks.find(({ id }) => id === card?.id);
  const isInUse = card?.pickedWithTab === true || cardHasKeys || lineAnswers !== null || pressed !== null;
  if (shown !== undefined && (shown.pid === state.process.pid || isInUse)) return shown;
  return inTurn(state)[0] ?? null;
}

/** A view or a list hides the card. */
export function isCovered({ overlay: { view, picker } }: State): boolean {
  return view !== null || picker !== null;
}

/** The same card appears again, so its keys are ignored for a moment. */
export function resetCard(state: State): State {
  const { card } = state.asking;
  return card === null ? state : set(state, "asking", { card: { ...card, isBack: true } });
}

export function withCard(state: State, now: number): State {
  const { asks, card, cardHasKeys, lineAnswers, pressed } = state.asking;
  // Return early: this runs for every delta of an answer.
  if (asks.length === 0 && card === null && !cardHasKeys && lineAnswers === null && pressed === null) return state;
  const ask = shownAsk(state);
  const isClosed = lineAnswers !== null && !asks.some(({ id }) => id === lineAnswers);
  const isMeant = pressed === null || (pressed.id === ask?.id && !isCovered(state));
  const { allowing } = state.asking;
  const asking: Asking = {
    ...state.asking,
    allowing: allowing?.id === ask?.id ? allowing : null,
    lineAnswers: isClosed ? null : lineAnswers,
    pressed: isMeant ? pressed : null,
  };
  if (ask === null) return set(state, "asking", { ...asking, card: null, cardHasKeys: false });
  const isHalfTyped = state.line.input.text !== "" && !cardHasKeys && lineAnswers === null;
  const isNew = ask.id !== card?.id || card.isBack === true || isCovered(state);
  const typedUntil = isHalfTyped ? now : (card?.typedUntil ?? 0);
  const isSame = !isClosed && isMeant && asking.allowing === allowing;
  if (!isNew && typedUntil === card.typedUntil) return isSame ? state : { ...state, asking };
  const wanted = ask.id === card?.id && card.pickedWithTab === true ? { pickedWithTab: true as const } : {};
  const next = { id: ask.id, since: isNew ? now : card.since, typedUntil, ...wanted };
  return set(state, "asking", { ...asking, card: next, cardHasKeys: isNew ? false : cardHasKeys });
}

/** Whether keys go to the card before they go to the line. */
export function hasCardKeys({ asking, line, process }: State): boolean {
  const { asks, cardHasKeys, lineAnswers } = asking;
  return asks.length > 0 && !process.readOnly && lineAnswers === null && (line.input.text === "" || cardHasKeys);
}

/** null if the key is not for the card. */
export function onCardKey(state: State, key: Key, at: number): Reduced | null {
  const ask = shownAsk(state);
  if (ask === null || key.ctrl || key.alt) return null;
  const { cardHasKeys } = state.asking;
  const listed = onAllowKey(state, ask, key);
  if (listed !== null) return listed;
  if (key.name === "escape" && cardHasKeys) return only(set(state, "asking", { cardHasKeys: false }));
  if (key.name === "tab" && !key.shift) return only(nextCard(state, at));
  if (key.name !== "text") return null;
  const done = answerCard(state, ask, key.text, at);
  if (done === null) return null;
  if (isTooSoon(state, at)) return only(state);
  if (cardHasKeys) return done;
  const pressed = { id: ask.id, letter: key.text, at };
  return act(set(state, "asking", { pressed }), { do: "settle-answer", since: at });
}

function isTooSoon({ asking: { card, cardHasKeys } }: State, at: number): boolean {
  if (card === null || card.isBack === true) return true;
  return at - card.since < IGNORED_MS || (!cardHasKeys && at - card.typedUntil < IGNORED_MS);
}

/** `at`: when the key was pressed. */
export function answerCard(state: State, ask: Ask, letter: string, at: number): Reduced | null {
  const listed = allowed(state, ask, letter);
  if (listed !== null && !("answer" in listed)) return listed;
  if (letter === "a" && ask.kind === "approval" && waysOf(ask) !== null)
    return only(set(state, "asking", { allowing: { id: ask.id, at: 1 }, cardHasKeys: state.asking.cardHasKeys }));
  if (letter === "A") return allAllowed(state, ask, at) ?? notOffered(state, ask, letter, at);
  const answer = listed?.answer ?? answerOf(ask, letter);
  if (answer !== null) return given(set(state, "asking", { cardHasKeys: false }), answer);
  if (letter === "r" && (ask.kind === "approval" || isOpen(ask)))
    return only(set(state, "asking", { lineAnswers: ask.id, cardHasKeys: false }));
  if (letter === "d") return act(state, { do: "show-ask", id: ask.id });
  if (letter === "e" && ask.kind === "approval")
    return act(withOurAnswer(state, ask.id), { do: "edit-ask", id: ask.id });
  return notOffered(state, ask, letter, at);
}

/** Keys of other cards do nothing here, and are no text either. null for other letters. */
function notOffered(state: State, ask: Ask, letter: string, at: number): Reduced | null {
  const { kind, args } = ask;
  const choices = isAllowing(state, ask) ? (waysOf(ask)?.length ?? 0) : choicesOf(args).length;
  // Other agents number their answers.
  if (kind === "approval" && choices === 0 && /^[1-9]$/.test(letter))
    return only(noticed(state, `${letter}: press y or n`, at));
  if (kind === "approval" && letter === "a") return only(noticed(state, "a: this asks every time", at));
  if (kind === "approval" && letter === "A") return only(noticed(state, "A: no other request is alike", at));
  if (choices > 0 && /^[0-9]$/.test(letter))
    return only(noticed(state, `${letter}: choose 1-${Math.min(9, choices)}`, at));
  return null;
}

/** Allows the shown request and all like it that were on screen long enough to be read. */
function allAllowed(state: State, ask: Ask, at: number): Reduced | null {
  const seen = state.asking.asks.filter(({ since }) => at - since >= IGNORED_MS);
  const alike = alikeWith(ask, seen);
  if (alike.length === 0) return null;
  const begun: Reduced = only(set(state, "asking", { cardHasKeys: false }));
  return [ask, ...alike].reduce(({ state: before, effects }, each) => {
    const { id, hash } = each;
    const next = given(before, { id, ...(hash !== "" && { hash }), decision: "approve" });
    return act(next.state, ...effects, ...next.effects);
  }, begun);
}

/** A letter for an approval, the number of a choice for a question. */
export function answerOf({ id, kind, call, hash, args, about }: Ask, letter: string): Answer | null {
  if (kind === "question") {
    const text = /^[1-9]$/.test(letter) ? choicesOf(args)[Number(letter) - 1] : undefined;
    return text === undefined ? null : { id, decision: "answer", text };
  }
  const seen = { id, ...(hash !== "" && { hash }) };
  if (call === "hil.plan" && (letter === "y" || letter === "a"))
    return { ...seen, decision: "approve", mode: letter === "y" ? "accept-edits" : "ask" };
  if (letter === "y") return { ...seen, decision: "approve" };
  if (letter === "a" && about?.once !== true) return { ...seen, decision: "approve", always: true };
  return letter === "n" ? { ...seen, decision: "deny" } : null;
}

export function choicesOf(args: object): readonly string[] {
  const { choices } = args as { readonly choices?: unknown };
  return Array.isArray(choices) ? choices.map(String) : [];
}

/** Of "always". */
export function scopeOf({ call }: Pick<Ask, "call">): string {
  if (call === "shell.exec") return " for this command";
  return call.startsWith("fs.") ? " for this file" : " for this call";
}

function nextCard(state: State, at: number): State {
  const { card, cardHasKeys } = state.asking;
  const asks = inTurn(state);
  const index = asks.findIndex(({ id }) => id === shownAsk(state)?.id);
  const next = asks[(index + 1) % asks.length];
  const isFree = state.line.input.text === "";
  if (next === undefined || asks.length === 1) return set(state, "asking", { cardHasKeys: isFree && !cardHasKeys });
  const shown = { id: next.id, since: at, typedUntil: card?.typedUntil ?? 0, pickedWithTab: true as const };
  return set(state, "asking", { card: shown, cardHasKeys: isFree });
}

/** A question without choices takes any text. */
function isOpen({ kind, args }: Ask): boolean {
  return kind === "question" && choicesOf(args).length === 0;
}

/** Tab on a half-typed line: the card gets the keys, or the line itself becomes the answer. */
export function tabbed(state: State): State {
  const ask = shownAsk(state);
  if (ask !== null && isOpen(ask)) return set(state, "asking", { lineAnswers: ask.id });
  return set(state, "asking", { cardHasKeys: !state.asking.cardHasKeys });
}

/** Escape on a line that is for a card. A pattern goes, a reason stays as the line. */
export function unreplied(state: State): State {
  const { allowing } = state.asking;
  const input = allowing === null ? state.line.input : emptied(state.line.input);
  return set(set(state, "line", { input }), "asking", { lineAnswers: null });
}

/** Enter on a line that is for a card: the reason for a no, or the answer to a question. */
export function replied(state: State): Reduced {
  const { asks, lineAnswers } = state.asking;
  const ask = asks.find(({ id }) => id === lineAnswers);
  const text = wholeText(state.line.input).trim();
  if (ask === undefined) return only(set(state, "asking", { lineAnswers: null }));
  if (ask.kind === "question" && text === "") return only(state);
  const empty = set(state, "line", { input: emptied(state.line.input) });
  const over = set(empty, "asking", { lineAnswers: null });
  if (ask.kind === "question") return given(over, { id: ask.id, decision: "answer", text });
  if (isAllowing(state, ask)) return text === "" ? only(state) : given(over, allowAnswer(ask, text));
  const seen = { id: ask.id, ...(ask.hash !== "" && { hash: ask.hash }) };
  return given(over, { ...seen, decision: "deny", ...(text === "" ? {} : { message: text }) });
}

/** The text stays with the request until the kernel accepts the answer. */
function given(state: State, answer: Answer): Reduced {
  const text = answer.text ?? answer.message;
  const kept = text === undefined ? {} : { ourAnswer: text };
  const closed = set(state, "asking", { allowing: null });
  return act(withOurAnswer(closed, answer.id, kept), { do: "answer", answer });
}

function withOurAnswer(state: State, id: string, kept: Pick<Ask, "ourAnswer"> = {}): State {
  const asks = state.asking.asks.map((ask) => (ask.id === id ? { ...ask, ...kept, isOurs: true as const } : ask));
  return set(state, "asking", { asks });
}
