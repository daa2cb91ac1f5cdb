// Approvals and questions that wait, as cards: which one is shown, whose keys are whose, and what a key answers. A card never takes a key
// from a half-typed line, Enter never approves, and keys of the first moments were meant for something else; what is pressed on an empty
// line is held until no letter follows it. Pure.

import type { Answer } from "../../src/syscalls/approval/approval-service.ts";
import { emptied, wholeText } from "../line/editor.ts";
import type { Key } from "../line/keys.ts";
import type { Ask } from "../state/asks.ts";
import type { Reduced } from "../state/effect.ts";
import type { State } from "../state/state.ts";

const DEAF_MS = 400;

/** As they are gone through: what the process one talks to asks stands first. */
export function inTurn({ asks, pid }: Pick<State, "asks" | "pid">): readonly Ask[] {
  return [...asks.filter((ask) => ask.pid === pid), ...asks.filter((ask) => ask.pid !== pid)];
}

export function shownAsk(state: State): Ask | null {
  const { asks, card, pid, answering, replying, chosen } = state;
  const shown = asks.find(({ id }) => id === card?.id);
  const isInHand = card?.isWanted === true || answering || replying !== null || chosen !== null;
  if (shown !== undefined && (shown.pid === pid || isInHand)) return shown;
  return inTurn(state)[0] ?? null;
}

/** Something else has the screen, or the place of a card. */
export function isCovered({ view, picker }: State): boolean {
  return view !== null || picker !== null;
}

/** It had: a card is read from now on. */
export function uncovered(state: State): State {
  return { ...state, card: null };
}

/** After anything that happened: the card that is shown now, and since when it can be read. */
export function carded(state: State, now: number): State {
  const { asks, card, input, answering, replying, chosen } = state;
  // Mostly nothing asks: then this is all there is to it, with every piece of an answer.
  if (asks.length === 0 && card === null && !answering && replying === null && chosen === null) return state;
  const ask = shownAsk(state);
  const gone = replying !== null && !asks.some(({ id }) => id === replying);
  // What was typed for it is not lost with it.
  const kept = gone ? { ...state, replying: null } : state;
  const isMeant = kept.chosen === null || (kept.chosen.id === ask?.id && !isCovered(state));
  const settled = isMeant ? kept : { ...kept, chosen: null };
  if (ask === null) return card === null && !answering ? settled : { ...settled, card: null, answering: false };
  const isHalfTyped = input.text !== "" && !answering && replying === null;
  const isNew = ask.id !== card?.id || isCovered(state);
  const since = isNew ? now : card.since;
  const typedUntil = isHalfTyped ? now : (card?.typedUntil ?? 0);
  if (!isNew && typedUntil === card.typedUntil) return settled;
  const wanted = ask.id === card?.id && card.isWanted === true ? { isWanted: true as const } : {};
  return { ...settled, card: { id: ask.id, since, typedUntil, ...wanted }, answering: isNew ? false : answering };
}

/** Whether keys are the card's before they are the line's. */
export function hasCardKeys({ asks, input, answering, replying, readOnly }: State): boolean {
  return asks.length > 0 && !readOnly && replying === null && (input.text === "" || answering);
}

/** Null where the key is none of the card's. */
export function onCardKey(state: State, key: Key, at: number): Reduced | null {
  const ask = shownAsk(state);
  if (ask === null || key.ctrl || key.alt) return null;
  if (key.name === "escape" && state.answering) return stay({ ...state, answering: false });
  if (key.name === "tab" && !key.shift) return stay(turned(state, at));
  if (key.name !== "text") return null;
  const done = answered(state, ask, key.text);
  if (done === null) return null;
  if (isDeaf(state, at)) return stay(state);
  if (state.answering) return done;
  return {
    state: { ...state, chosen: { id: ask.id, letter: key.text, at } },
    effects: [{ do: "let-stand", since: at }],
  };
}

function isDeaf({ card, answering }: State, at: number): boolean {
  if (card === null) return true;
  return at - card.since < DEAF_MS || (!answering && at - card.typedUntil < DEAF_MS);
}

export function answered(state: State, ask: Ask, letter: string): Reduced | null {
  const answer = answerOf(ask, letter);
  if (answer !== null) return given({ ...state, answering: false }, answer);
  if (letter === "r" && (ask.kind === "approval" || isOpen(ask)))
    return stay({ ...state, replying: ask.id, answering: false });
  if (letter === "d") return { state, effects: [{ do: "show-ask", id: ask.id }] };
  if (letter === "e" && ask.kind === "approval")
    return { state: ours(state, ask.id), effects: [{ do: "edit-ask", id: ask.id }] };
  return null;
}

/** Of an approval one letter, of a question the number of a choice. */
export function answerOf({ id, kind, hash, args, about }: Ask, letter: string): Answer | null {
  if (kind === "question") {
    const text = /^[1-9]$/.test(letter) ? choicesOf(args)[Number(letter) - 1] : undefined;
    return text === undefined ? null : { id, decision: "answer", text };
  }
  const seen = { id, ...(hash !== "" && { hash }) };
  if (letter === "y") return { ...seen, decision: "approve" };
  if (letter === "a" && about?.once !== true) return { ...seen, decision: "approve", always: true };
  return letter === "n" ? { ...seen, decision: "deny" } : null;
}

export function choicesOf(args: object): readonly string[] {
  const { choices } = args as { readonly choices?: unknown };
  return Array.isArray(choices) ? choices.map(String) : [];
}

/** The next of those that wait; on an empty line it has the keys at once. */
function turned(state: State, at: number): State {
  const asks = inTurn(state);
  const place = asks.findIndex(({ id }) => id === shownAsk(state)?.id);
  const next = asks[(place + 1) % asks.length];
  const isFree = state.input.text === "";
  if (next === undefined || asks.length === 1) return { ...state, answering: isFree && !state.answering };
  const typedUntil = state.card?.typedUntil ?? 0;
  return { ...state, card: { id: next.id, since: at, typedUntil, isWanted: true }, answering: isFree };
}

/** Whether any words answer it. */
function isOpen({ kind, args }: Ask): boolean {
  return kind === "question" && choicesOf(args).length === 0;
}

/** A half-typed line and a card: its keys answer the card from here on, or the line itself is the answer to a question. */
export function tabbed(state: State): State {
  const ask = shownAsk(state);
  if (ask !== null && isOpen(ask)) return { ...state, replying: ask.id };
  return { ...state, answering: !state.answering };
}

/** Enter, while words for a card are typed: why not, or the answer. */
export function replied(state: State): Reduced {
  const ask = state.asks.find(({ id }) => id === state.replying);
  const text = wholeText(state.input).trim();
  const over = { ...state, replying: null, input: emptied(state.input) };
  if (ask === undefined) return stay({ ...state, replying: null });
  if (ask.kind === "question") return text === "" ? stay(state) : given(over, { id: ask.id, decision: "answer", text });
  const seen = { id: ask.id, ...(ask.hash !== "" && { hash: ask.hash }) };
  return given(over, { ...seen, decision: "deny", ...(text === "" ? {} : { message: text }) });
}

/** What was said is kept with it until the kernel has taken it. */
function given(state: State, answer: Answer): Reduced {
  const said = answer.text ?? answer.message;
  const kept = said === undefined ? {} : { answered: said };
  return { state: ours(state, answer.id, kept), effects: [{ do: "answer", answer }] };
}

function ours(state: State, id: string, kept: Pick<Ask, "answered"> = {}): State {
  return { ...state, asks: state.asks.map((ask) => (ask.id === id ? { ...ask, ...kept, isOurs: true } : ask)) };
}

function stay(state: State): Reduced {
  return { state, effects: [] };
}
