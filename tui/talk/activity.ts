// One line about the attached process: what it does now, or why it waits and what ends that. Pure.

import type { FailureClass } from "../../src/abi/stream.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { clockText, countText, elapsedText, hourText } from "../screen/numbers.ts";
import type { Theme } from "../screen/theme.ts";
import type { ActiveRun, Attachment, Fate } from "../state/process.ts";
import type { State } from "../state/state.ts";
import { pausedKeys } from "./paused-keys.ts";

export interface ActivityLayout {
  readonly theme: Theme;
  readonly now: number;
  readonly columns: number;
  /** The typed line is a message. */
  readonly isMessage: boolean;
}

export const SPIN_MS = 250;
const CHARS_OF_TOKEN = 4;
const SEPARATOR = " · ";
const PAUSED_ROWS_MAX = 3;
const ROOMY_COLUMNS = 76;

/** Parts of a line, the most important first: what does not fit goes, from the end. */
type Parts = readonly string[];

export function activityLines(state: State, layout: ActivityLayout): readonly string[] {
  const { process, chat, asking } = state;
  if (asking.asks.some(({ pid }) => pid === process.pid)) return [];
  const paused = pausedParts(process, layout);
  if (paused !== null) return pausedRows(paused, keysOf(state, layout.theme), layout);
  return chat.run === null ? [] : [runLine(chat.run, state, layout)];
}

function pausedRows([head = "", ...facts]: Parts, keys: readonly string[], { theme, columns }: ActivityLayout) {
  const glyph = theme.needs(theme.glyphs.paused);
  const parts = [...facts.map((fact) => theme.dim(fact)), ...keys];
  const room = columns - 3;
  const one = [head, ...(parts.length === 0 ? [] : [parts.join(theme.dim(SEPARATOR))])].join("  ");
  if (Bun.stringWidth(one) <= room) return [`${glyph} ${withBoldState(one, theme)}`];
  const rows = Bun.wrapAnsi(head, Math.max(10, room), { hard: true }).split("\n");
  const shown = rows.slice(0, PAUSED_ROWS_MAX);
  if (rows.length > PAUSED_ROWS_MAX) shown[PAUSED_ROWS_MAX - 1] = cutWidth(`${shown.at(-1)} …`, room);
  const first = `${glyph} ${withBoldState(shown[0] ?? "", theme)}`;
  return [first, ...[...shown.slice(1), ...packed(parts, room, theme)].map((row) => `  ${row}`)];
}

function packed(parts: Parts, room: number, theme: Theme): readonly string[] {
  const rows: string[] = [];
  for (const part of parts) {
    const longer = `${rows.at(-1)}${theme.dim(SEPARATOR)}${part}`;
    if (rows.length > 0 && Bun.stringWidth(longer) <= room) rows[rows.length - 1] = longer;
    else rows.push(part);
  }
  return rows;
}

function withBoldState(text: string, theme: Theme): string {
  const word = /^(?:paused|stopped|offline)/.exec(text)?.[0] ?? "";
  return theme.bold(word) + text.slice(word.length);
}

/** Another model answers because the chosen one fails. */
export function standInLine({ standIn }: Attachment, { theme, columns }: ActivityLayout): string | null {
  if (standIn === null) return null;
  const [chosen, other] = [reveal(standIn.of), reveal(standIn.model)];
  const isOffline = standIn.class === "network";
  const head = isOffline ? `offline: using ${other}` : `using ${other}`;
  const why = isOffline ? `${chosen} is out of reach` : `${chosen} ${failureText(standIn.class ?? "outage")}`;
  return `${theme.needs(theme.glyphs.paused)} ${withBoldState(fitted(head, [why], columns - 3, theme), theme)}`;
}

function runLine(run: ActiveRun, { process, chat }: State, layout: ActivityLayout): string {
  const { theme, now, columns, isMessage } = layout;
  const { spinner } = theme.glyphs;
  const glyph = theme.ok(spinner[Math.floor(now / SPIN_MS) % spinner.length] ?? "");
  const retry = retryParts(process, now);
  const isTool = run.doing === "tool";
  const room = Math.max(12, columns - 40);
  const head =
    retry?.head ?? (isTool ? `running ${cutWidth(reveal(run.what).replaceAll("\n", "⏎"), room)}` : run.doing);
  const tokens = run.doing === "writing" ? [`${countText(Math.ceil(run.chars / CHARS_OF_TOKEN))} tok`] : [];
  const elapsed = elapsedText(now - (isTool ? run.sinceDoing : run.since));
  const facts = retry?.rest ?? [elapsed, ...tokens];
  const hints = isTool && columns >= ROOMY_COLUMNS ? ["ctrl-o expand", "esc stop"] : ["esc stop"];
  const rest = isMessage ? [FATES[chat.fate], "ctrl-s change", ...facts] : [...facts, ...hints];
  return `${glyph} ${fitted(head, rest, columns - 3, theme)}`;
}

const FATES: { readonly [F in Fate]: string } = {
  next: "enter: send at the next step",
  after: "enter: send after this answer",
  now: "enter: stop this run and send",
};

function retryParts({ waitsFor }: Attachment, now: number): { readonly head: string; readonly rest: Parts } | null {
  if (waitsFor?.kind !== "model") return null;
  const left = waitsFor.until - now;
  const { attempt, reason } = waitsFor;
  const which = attempt === undefined ? "" : ` (${attempt.next} of ${attempt.of})`;
  return {
    head: `retrying${left > 0 ? ` in ${elapsedText(Math.ceil(left / 1000) * 1000)}` : ""}${which}`,
    rest: [reveal(reason)],
  };
}

/** Whether the line changes with time alone. */
export function isCounting({ state, waitsFor }: Attachment): boolean {
  return state === "paused" && (waitsFor?.kind === "outage" || waitsFor?.kind === "restart");
}

function pausedParts({ state, waitsFor, stateSince }: Attachment, { now }: ActivityLayout): Parts | null {
  if (state === "stopped") {
    const why = waitsFor === null || !("reason" in waitsFor) ? [] : [reveal(waitsFor.reason)];
    return ["stopped", ...why];
  }
  if (state !== "paused" || waitsFor === null) return null;
  switch (waitsFor.kind) {
    case "outage": {
      const since = stateSince === 0 ? "" : ` since ${hourText(stateSince)}`;
      return [
        // The transcript has the status.
        `paused: ${reveal(waitsFor.reason).replace(/ \(\d+\)$/, "")}${since}`,
        waitsFor.until > now ? `retrying in ${clockText(waitsFor.until - now)}` : "retrying",
      ];
    }
    case "approval":
    case "question":
      return ["paused: waits for an answer", reveal(waitsFor.summary)];
    case "restart": {
      const left = waitsFor.until - now;
      return [`paused: ${reveal(waitsFor.reason)}`, left > 0 ? `restarting in ${clockText(left)}` : "restarting"];
    }
    case "credential":
      // The keys say what to do.
      return [`paused: ${reveal(waitsFor.reason.split(". ", 1)[0] ?? "")}`];
    default:
      return [`paused: ${reveal(waitsFor.reason)}`];
  }
}

const FAILURES: { readonly [C in FailureClass]?: string } = {
  throttle: "has reached its rate limit",
  quota: "has no quota left",
  network: "cannot be reached",
};

function failureText(failed: FailureClass): string {
  return FAILURES[failed] ?? "is not responding";
}

function keysOf({ line, process }: State, theme: Theme): readonly string[] {
  if (line.input.text !== "") return [];
  return pausedKeys(process).map(({ letter, word }) => `${theme.bold(letter)} ${word}`);
}

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
