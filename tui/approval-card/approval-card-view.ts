// A card as lines: who wants what and why, the whole call with everything hidden in it made visible, and the keys that answer. The
// transcript keeps the same lines with the decision. Pure.

import {
  approvalBody,
  failureLines,
  grantLines,
  lookalikesIn,
  requestLines,
} from "../../commands/approvals/approval-card-text.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { clockText, hourText } from "../screen/numbers.ts";
import type { Theme } from "../screen/theme.ts";
import type { Ask } from "../state/asks.ts";
import { nameIn } from "../state/names.ts";
import type { State } from "../state/state.ts";
import { subjectOf } from "../talk/subject.ts";
import { alikeWith } from "./alike.ts";
import { isAllowing, waysOf } from "./allowing.ts";
import { choicesOf, inTurn, scopeOf, shownAsk } from "./approval-card-keys.ts";
import { fitsTitle, isPlan, type NamedAsk, realSubject, titleOf } from "./approval-card-title.ts";
import { hangingRows } from "./ask-rows.ts";
import { diffRows } from "./diff.ts";
import { type Key, keysThatFit } from "./key-row.ts";

export interface CardView {
  readonly title: string;
  readonly place: string;
  /** Stands out from all other rows. */
  readonly dangers: readonly string[];
  readonly why: readonly string[];
  /** The call or the change, one row each. */
  readonly lines: readonly string[];
  readonly keys: string;
  readonly others: readonly string[];
  /** No room for empty rows. */
  readonly isTight: boolean;
}

export interface CardSize {
  readonly theme: Theme;
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
}

/** Below this height: no empty rows, and one row of reasons. */
const ROOMY_ROWS = 14;
const GAPS = 3;
/** The mark before a title, the blanks behind it, and the last column. */
const TITLE_GAPS = 5;
const OTHERS_MAX = 3;
const WHY_ROWS_MAX = 6;
const INDENT = "  ";

export function cardView(state: State, size: CardSize): CardView | null {
  const shown = shownAsk(state);
  if (shown === null) return null;
  const { theme, now, columns, rows } = size;
  const { remote = null } = state.who;
  const named = (each: Ask): NamedAsk => ({
    ...{ ...each, name: nameIn(state, each, columns) },
    ...(remote !== null && { computer: remote }),
  });
  const ask = named(shown);
  const asks = inTurn(state).map(named);
  const at = asks.findIndex(({ id }) => id === ask.id);
  const isTight = rows < ROOMY_ROWS;
  const alike = alikeWith(ask, asks);
  const others = [
    ...alikeLines(alike, size),
    ...otherLines(
      asks.filter((each) => each.id !== ask.id && !alike.includes(each)),
      size,
      isTight ? 0 : Math.max(0, OTHERS_MAX - alike.length),
    ),
  ];
  const whole = whyLines(ask, columns - 4, isTight);
  const why = isTight ? whyInOne(ask, whole, columns - 4) : whole.slice(0, WHY_ROWS_MAX);
  const waited = clockText(now - ask.since);
  const nth = asks.length > 1 ? `${at + 1} of ${asks.length}` : "";
  const whenToo = nth === "" ? waited : `${nth} · ${waited}`;
  // The time goes before a word of the title does.
  const isCrowded = nth !== "" && Bun.stringWidth(titleOf(ask, 0)) > columns - whenToo.length - TITLE_GAPS;
  const placed = isCrowded ? nth : whenToo;
  const titleRoom = columns - placed.length - TITLE_GAPS;
  const ways = isAllowing(state, ask) ? waysOf(ask) : null;
  if (ways !== null) return waysView(ask, ways, state, size);
  const isInTitle = fitsTitle(ask, titleRoom);
  const all = cardLines(ask, { theme, columns: columns - 4, isInTitle, isPlaced: isNetworkOnly(ask.about) });
  // The title and the keys are always there.
  const dangers = dangerRows(ask, size);
  const room = Math.max(1, rows - 2 - dangers.length - why.length - others.length - (isTight ? 0 : GAPS));
  const left = all.length - room;
  const more = left > 0 ? [theme.needs(`${theme.glyphs.dots} ${left + 1} more lines · d show all`)] : [];
  return {
    title: titleOf(ask, titleRoom),
    place: placed,
    dangers,
    why,
    lines: left > 0 ? [...all.slice(0, room - 1), ...more] : all,
    keys: keysLine(ask, state, size, left > 0 || why.length < whole.length || ask.inPart === true),
    others,
    isTight,
  };
}

/** The ways to allow more, in place of the call. */
function waysView(ask: NamedAsk, ways: readonly string[], state: State, size: CardSize): CardView {
  const { theme, columns, rows } = size;
  const marked = state.asking.allowing?.at ?? 0;
  const room = columns - 8;
  const lines = ways.map((way, index) => {
    const text = cutWidth(reveal(way).replaceAll("\n", "⏎"), room);
    return index === marked ? `${theme.you(theme.glyphs.say)} ${index + 1} ${text}` : `  ${index + 1} ${text}`;
  });
  const where = ask.about?.directory == null ? "" : ` in ${reveal(ask.about.directory)}`;
  return {
    title: titleOf(ask, columns - TITLE_GAPS),
    place: "",
    dangers: [],
    why: wrapped(`from now on, run without asking${where}:`, columns - 4),
    lines,
    keys: keysLine(ask, state, size, false),
    others: [],
    isTight: rows < ROOMY_ROWS,
  };
}

export function dangerRows({ about }: Ask, { theme, columns }: Pick<CardSize, "theme" | "columns">): readonly string[] {
  const rows = (about?.dangers ?? []).flatMap((each) => wrapped(`danger: ${reveal(each)}`, columns - 4));
  return rows.map((row) => theme.bad(theme.bold(row)));
}

/** A danger says more than these. */
const GENERAL = /^(?:deletes files or ends processes|changes files or processes|unknown command, may change files)$/;

/** Reasons begin with their command, shortened; a line of one command is on the card already. */
function reasonOf(reason: string, command: string): string {
  const end = reason.lastIndexOf(": ");
  if (end === -1) return reason;
  const start = reason.slice(0, end);
  const isWhole = start === command || (start.endsWith("…") && command.startsWith(start.slice(0, -1)));
  return isWhole && !/[|&;]/.test(command) ? reason.slice(end + 2) : reason;
}

/** A reason without its command. */
function endOf(reason: string): string {
  return reason.slice(reason.lastIndexOf(": ") + 1).trimStart();
}

/** Where a command runs, or where a file lies, and why it asks. null if the kernel is older and tells it in words only. */
function placeLines({ args, about }: Ask, isTight: boolean): readonly string[] | null {
  if (about === null) return null;
  const { directory, sandboxed, grants = [], path, attaches, dangers = [] } = about;
  const command = String((args as { readonly command?: unknown }).command ?? "");
  const reasons = about.reasons
    .map((each) => reasonOf(each, command))
    .filter((each) => dangers.length === 0 || !GENERAL.test(endOf(each)))
    .filter((each) => !grants.includes("network") || endOf(each) !== "uses the network")
    .filter((each) => !dangers.includes(each) && !/^(?:no sandbox: every|directory not attached)/.test(each))
    .map((each) => reveal(each).replaceAll("\n", "⏎"));
  const attached = attaches === undefined ? [] : [`attaches ${reveal(attaches)}`];
  if (path !== undefined) return [...attached, ...reasons];
  if (sandboxed === undefined || directory === null) return null;
  // More grants have a line of their own.
  const granted = isNetworkOnly(about) ? ", with network for this command only" : "";
  const network = grants.includes("network") ? granted : ", no network";
  const box = sandboxed ? `in a sandbox${network}` : "no sandbox: it can do everything you can";
  if (attaches === directory) return [`attaches ${reveal(directory)}`, box, ...reasons];
  const where = `in ${reveal(directory)}`;
  // In one row the sandbox counts, and the dock has the place.
  return isTight ? [box, where, ...reasons] : [where, box, ...reasons];
}

/** Then the place of the command says it. */
function isNetworkOnly(about: Ask["about"]): boolean {
  const { grants = [], sandboxed, directory } = about ?? {};
  return sandboxed === true && directory != null && grants.length === 1 && grants[0] === "network";
}

function whyLines(ask: Ask, columns: number, isTight: boolean): readonly string[] {
  const { kind, tool, call, why, about, expiresAt, args } = ask;
  const { default: fallback } = args as { readonly default?: unknown };
  if (kind === "question") {
    if (expiresAt === null) return [];
    const then = fallback === undefined ? "" : ` · default: ${reveal(String(fallback))}`;
    return wrapped(`expires at ${hourText(expiresAt)}${then}`, columns);
  }
  if (isPlan({ call })) return [];
  const placed = placeLines(ask, isTight);
  if (placed !== null) return wrapped(placed.join(" · "), columns);
  // The subject is in the title or below.
  const subject = subjectOf(tool, args);
  const reason = reveal(subject !== "" && why.endsWith(`: ${subject}`) ? why.slice(0, -subject.length - 2) : why);
  const directory = about?.directory == null ? "" : reveal(about.directory);
  const where = directory === "" || reason.includes(directory) ? "" : ` in ${directory}`;
  const reasons = (about?.reasons ?? []).map((each) => reveal(each).replaceAll("\n", "⏎"));
  return wrapped([`${reason}${where}`, ...reasons].join(" · "), columns);
}

/** For a file in gsv: the reason, because the card shows the path already. Otherwise the call and its place. */
function whyInOne({ about, args }: Ask, whole: readonly string[], columns: number): readonly string[] {
  const isFile = about?.target === "gsv" && "path" in args;
  const reason = isFile ? reveal(about.reasons[0] ?? "").replaceAll("\n", "⏎") : "";
  const [first = "", ...rest] = whole;
  if (rest.length === 0) return whole;
  return [reason === "" ? `${first}…` : cutWidth(`${reason}…`, columns)];
}

export interface CardText {
  readonly theme: Theme;
  readonly columns: number;
  readonly isInTitle: boolean;
  /** The place of the command says what it is granted. */
  readonly isPlaced?: boolean;
}

export function cardLines(ask: Ask, { theme, columns, isInTitle, isPlaced = false }: CardText): readonly string[] {
  const { kind, about, inPart = false } = ask;
  const cut = inPart ? [theme.needs("shortened · d show all")] : [];
  if (kind === "question") return [...approvalBody({ ...ask, expiresAt: null }).flatMap(hanging(columns)), ...cut];
  const diff = about?.diff ?? null;
  const subject = reveal(realSubject(ask));
  const asked = pathLines(ask).filter(
    (line) => !isInTitle || (line !== `  path: ${subject}` && line !== `  | ${subject}`),
  );
  const warned = lookalikesIn(ask).flatMap(hanging(columns)).map(theme.needs);
  const changed = diff === null ? [] : diffRows(diff, columns - 2, theme);
  const more = [...failureLines(ask), ...(isPlaced ? [] : grantLines(ask))].flatMap(hanging(columns));
  return [...warned, ...asked.flatMap(hanging(columns)), ...more, ...changed, ...cut];
}

/** The real path of a file first, then the one that the agent gave. */
function pathLines(ask: Ask): readonly string[] {
  const real = realSubject(ask);
  const { path } = ask.args as { readonly path?: unknown };
  const lines = requestLines(ask);
  if (ask.about?.path === undefined || real === path) return lines;
  const asGiven = (line: string) =>
    line === `  | ${reveal(String(path))}`
      ? `  given as: ${reveal(String(path))}`
      : line.replace(/^ {2}path: /, "  given as: ");
  const given = lines.map(asGiven);
  // The end of the real path says nothing more.
  const isEnd = typeof path === "string" && real.endsWith(`/${path}`);
  return [`  path: ${reveal(real)}`, ...(isEnd ? given.filter((line) => !line.startsWith("  given as: ")) : given)];
}

/** The card is indented already. */
function hanging(columns: number): (line: string) => readonly string[] {
  return (line) => hangingRows(line, columns, INDENT.length);
}

function wrapped(text: string, columns: number): readonly string[] {
  return text === "" ? [] : Bun.wrapAnsi(text, Math.max(10, columns), { hard: true }).split("\n");
}

function keysLine(ask: Ask, state: State, { theme, columns }: CardSize, isCut: boolean): string {
  const { lineAnswers, cardHasKeys, pressed, asks } = state.asking;
  const isQuestion = ask.kind === "question";
  const fit = (first: readonly Key[], rest: readonly Key[] = []) => keysThatFit(first, rest, columns - 3, theme);
  if (pressed !== null) return `${theme.needs(`${pressed.letter} ${theme.glyphs.dots}`)}   ${fit([["esc", "cancel"]])}`;
  const isListed = isAllowing(state, ask);
  if (lineAnswers === ask.id)
    return fit([
      ["enter", isQuestion ? "answer" : isListed ? "allow this" : isPlan(ask) ? "send back" : "deny with this reason"],
      ["esc", "cancel"],
    ]);
  const alike = alikeWith(ask, asks).length;
  const count = Math.min(9, choicesOf(ask.args).length);
  if (state.line.input.text !== "" && !cardHasKeys) {
    if (!isQuestion) return fit([["tab", "answer, then y or n"]]);
    return fit([["tab", count === 0 ? "answer with this line" : "choose, then a number"]]);
  }
  const reason: Key = ["r", isPlan(ask) ? "say what to change" : "deny, say why", isPlan(ask) ? "change" : "reason"];
  const next: readonly Key[] = [
    ...(asks.length > 1 ? [["tab", "next"] as const] : []),
    ...(isCut ? [["d", "show all"] as const] : []),
  ];
  if (isListed)
    return fit([
      [`1-${waysOf(ask)?.length ?? 1}`, "choose"],
      ["e", "edit"],
      ["esc", "back"],
    ]);
  if (isPlan(ask))
    return fit(
      [
        ["y", "start, accept edits", "accept edits", "accept"],
        ["a", "start, ask", "ask"],
        ["n", "keep planning", "back"],
        reason,
      ],
      next,
    );
  if (isQuestion) return fit([count === 0 ? ["r", "answer"] : [count === 1 ? "1" : `1-${count}`, "choose"]], next);
  return fit(
    [
      ["y", "allow once", "once"],
      ...(alike > 0 ? [["A", `allow all ${alike + 1}`, `all ${alike + 1}`] as const] : []),
      ...alwaysKey(ask, theme),
      ["n", "deny"],
      ...(alike > 0 ? [] : [reason]),
    ],
    [...(alike > 0 ? [reason] : []), ...next, ["e", "edit"]],
  );
}

function alwaysKey(ask: Ask, { glyphs: { dots } }: Theme): readonly Key[] {
  if (ask.about?.once === true) return [];
  if (waysOf(ask) !== null) return [["a", `allow more${dots}`, `more${dots}`]];
  return [["a", `always${scopeOf(ask)}`, "always"]];
}

/** Whole, because one key allows them with the shown one. */
function alikeLines(alike: readonly NamedAsk[], { theme, now, columns }: CardSize): readonly string[] {
  return alike.flatMap(({ name, tool, args, since }) => {
    const text = `${reveal(subjectOf(tool, args))}  ${reveal(name)} ${clockText(now - since)}`;
    const rows = Bun.wrapAnsi(text, Math.max(10, columns - 6), { hard: true }).split("\n");
    return rows.map((row, index) => `${INDENT}${index === 0 ? theme.needs(theme.glyphs.asks) : " "} ${row}`);
  });
}

function otherLines(others: readonly NamedAsk[], { theme, now, columns }: CardSize, most: number): readonly string[] {
  const shown = others.slice(0, most).map((ask) => {
    const waited = clockText(now - ask.since);
    const room = columns - waited.length - 8;
    const title = cutWidth(shortTitle(ask, room), Math.max(8, room));
    return `${INDENT}${theme.needs(theme.glyphs.asks)} ${theme.dim(`${title}  ${waited}`)}`;
  });
  const left = others.length - shown.length;
  return left > 0 && most > 0 ? [...shown, theme.dim(`${INDENT}  and ${left} more`)] : shown;
}

/** Names the command or file also where the title has no room for it: several requests would look the same. */
function shortTitle(ask: NamedAsk, columns: number): string {
  const subject = reveal(realSubject(ask)).replaceAll("\n", "⏎");
  if (ask.kind === "question" || isPlan(ask) || subject === "" || fitsTitle(ask, columns)) return titleOf(ask, columns);
  return `${reveal(ask.name)}: ${reveal(ask.tool)} ${subject}`;
}
