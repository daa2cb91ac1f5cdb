// One line that says what the process does now, or what holds it and what ends that: the states of a process, in words and glyphs. Pure.

import type { FailureClass } from "../../src/abi/stream.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { clockText, countText, elapsedText } from "../screen/numbers.ts";
import type { Theme } from "../screen/theme.ts";
import type { ActiveRun, Fate } from "../state/process.ts";
import type { State } from "../state/state.ts";
import { heldKeys } from "./held.ts";

export interface ActivityPlace {
  readonly theme: Theme;
  readonly now: number;
  readonly columns: number;
  /** What is typed is a message. */
  readonly isMessage: boolean;
}

const SPIN_MS = 250;
const CHARS_OF_TOKEN = 4;
const SEPARATOR = " · ";
const HELD_ROWS_MAX = 3;
const ROOMY_COLUMNS = 76;

/** What stands in a line, the most important first: what has no room goes, from the end. */
type Parts = readonly string[];

/** One row; what holds a process has as many as it takes to say it. */
export function activityLines(state: State, place: ActivityPlace): readonly string[] {
  // The card says it.
  if (state.asks.some(({ pid }) => pid === state.pid)) return [];
  const held = heldParts(state, place);
  if (held !== null) return heldRows(held, keysOf(state, place.theme), place);
  return state.run === null ? [] : [runLine(state.run, state, place)];
}

function heldRows([head = "", ...facts]: Parts, keys: readonly string[], { theme, columns }: ActivityPlace) {
  const glyph = theme.needs(theme.glyphs.held);
  const tail = [...facts.map((fact) => theme.dim(fact)), ...keys].join(theme.dim(SEPARATOR));
  const room = columns - 3;
  const one = tail === "" ? head : `${head}  ${tail}`;
  if (Bun.stringWidth(one) <= room) return [`${glyph} ${worded(one, theme)}`];
  const rows = Bun.wrapAnsi(head, Math.max(10, room), { hard: true }).split("\n");
  const shown = rows.slice(0, HELD_ROWS_MAX);
  if (rows.length > HELD_ROWS_MAX) shown[HELD_ROWS_MAX - 1] = cutWidth(`${shown.at(-1)} …`, room);
  const first = `${glyph} ${worded(shown[0] ?? "", theme)}`;
  return [first, ...shown.slice(1).map((row) => `  ${row}`), ...(tail === "" ? [] : [`  ${tail}`])];
}

/** The state it names stands out. */
function worded(text: string, theme: Theme): string {
  const word = /^(?:paused|stopped|offline)/.exec(text)?.[0] ?? "";
  return theme.bold(word) + text.slice(word.length);
}

/** Another model answers because the one that was asked for cannot. */
export function standInLine({ standIn }: State, { theme, columns }: ActivityPlace): string | null {
  if (standIn === null) return null;
  const [one, other] = [reveal(standIn.of), reveal(standIn.model)];
  const isOffline = standIn.class === "network";
  const words = isOffline ? `offline: using ${other}` : `using ${other}`;
  const why = isOffline
    ? `${one} is back when the network is`
    : `${one} ${FAILS[standIn.class ?? "outage"] ?? "is not answering"}`;
  return `${theme.needs(theme.glyphs.held)} ${worded(fitted(words, [why], columns - 3, theme), theme)}`;
}

function runLine(run: ActiveRun, state: State, { theme, now, columns, isMessage }: ActivityPlace): string {
  const { spinner } = theme.glyphs;
  const glyph = theme.ok(spinner[Math.floor(now / SPIN_MS) % spinner.length] ?? "");
  const again = againParts(state, now);
  const isTool = run.doing === "tool";
  const room = Math.max(12, columns - 40);
  const head =
    again?.head ?? (isTool ? `running ${cutWidth(reveal(run.what).replaceAll("\n", "⏎"), room)}` : run.doing);
  const tokens = run.doing === "writing" ? [`${countText(Math.ceil(run.chars / CHARS_OF_TOKEN))} tok`] : [];
  const facts = [elapsedText(now - (isTool ? run.sinceDoing : run.since)), ...tokens, ...(again?.rest ?? [])];
  const hints = isTool && columns >= ROOMY_COLUMNS ? ["ctrl-o shows", "esc stops"] : ["esc stops"];
  const rest = isMessage ? [FATES[state.fate], "ctrl-s switches", ...facts] : [...facts, ...hints];
  return `${glyph} ${fitted(head, rest, columns - 3, theme)}`;
}

const FATES: { readonly [F in Fate]: string } = {
  next: "enter: at its next step",
  after: "enter: after this answer",
  now: "enter: at once, ends this run",
};

/** Where a model failed and is asked once more. */
function againParts({ waitsFor }: State, now: number): { readonly head: string; readonly rest: Parts } | null {
  if (waitsFor?.kind !== "model") return null;
  const left = waitsFor.until - now;
  const head = left > 0 ? `waiting, asked again in ${elapsedText(left)}` : "asking again";
  return { head, rest: [reveal(waitsFor.reason)] };
}

/** Whether what is said here changes with time alone. */
export function isCounting({ state, waitsFor }: Pick<State, "state" | "waitsFor">): boolean {
  return state === "paused" && (waitsFor?.kind === "outage" || waitsFor?.kind === "restart");
}

function heldParts(state: State, { now }: ActivityPlace): Parts | null {
  const { waitsFor } = state;
  if (state.state === "stopped") {
    const why = waitsFor === null || !("reason" in waitsFor) ? [] : [reveal(waitsFor.reason)];
    return ["stopped", ...why];
  }
  if (state.state !== "paused" || waitsFor === null) return null;
  switch (waitsFor.kind) {
    case "outage": {
      const since = state.stateSince === 0 ? "" : ` since ${new Date(state.stateSince).toTimeString().slice(0, 5)}`;
      const who = reveal(waitsFor.model.split("/")[0] ?? waitsFor.model);
      return [
        `paused: ${who} ${FAILS[waitsFor.class] ?? "is not answering"}${since}`,
        waitsFor.until > now ? `next try ${clockText(waitsFor.until - now)}` : "asking again",
      ];
    }
    case "approval":
    case "question":
      return ["paused: waits for an answer", reveal(waitsFor.summary)];
    case "restart": {
      const left = waitsFor.until - now;
      return [
        `paused: ${reveal(waitsFor.reason)}`,
        left > 0 ? `taken up again in ${clockText(left)}` : "beginning again",
      ];
    }
    default:
      return [`paused: ${reveal(waitsFor.reason)}`];
  }
}

const FAILS: { readonly [C in FailureClass]?: string } = {
  throttle: "asks to wait",
  quota: "has nothing left for this key",
  network: "cannot be reached",
};

function keysOf(state: State, theme: Theme): readonly string[] {
  if (state.input.text !== "") return [];
  return heldKeys(state).map(({ letter, word }) => `${theme.bold(letter)} ${word}`);
}

/** The head, then as much as there is room for. */
function fitted(head: string, rest: Parts, columns: number, theme: Theme): string {
  const kept: string[] = [];
  let room = columns - Bun.stringWidth(head) - 2;
  for (const part of rest) {
    const width = Bun.stringWidth(part) + (kept.length === 0 ? 0 : SEPARATOR.length);
    if (width > room) continue;
    kept.push(part);
    room -= width;
  }
  if (kept.length === 0) return cutWidth(head, columns);
  return `${head}  ${theme.dim(kept.join(SEPARATOR))}`;
}
