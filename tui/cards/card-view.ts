// A card as lines: who wants what and why, all that would run or change with everything hidden in it shown, and the keys that answer. The
// same lines, with the verdict, are what the transcript keeps. Pure.

import { approvalBody, deceits, requestLines } from "../../commands/approvals/approval-text.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { cutWidth } from "../../src/lib/text/truncate.ts";
import { clockText } from "../screen/numbers.ts";
import type { Theme } from "../screen/theme.ts";
import type { Ask } from "../state/asks.ts";
import type { State } from "../state/state.ts";
import { subjectOf } from "../talk/subject.ts";
import { hangingRows } from "./ask-rows.ts";
import { choicesOf, inTurn, shownAsk } from "./cards.ts";
import { diffRows } from "./diff.ts";

export interface CardView {
  readonly title: string;
  readonly place: string;
  readonly why: readonly string[];
  /** What runs or changes, a row each. */
  readonly lines: readonly string[];
  readonly keys: string;
  /** The others that wait. */
  readonly others: readonly string[];
  /** No room for rows that are empty. */
  readonly isTight: boolean;
}

export interface CardPlace {
  readonly theme: Theme;
  readonly now: number;
  readonly columns: number;
  /** What there is for it. */
  readonly rows: number;
}

/** Below that it has no empty rows, and says why in one. */
const ROOMY_ROWS = 14;
const GAPS = 3;
/** The mark before a title, the blanks behind it, and the last column. */
const TITLE_GAPS = 5;
const OTHERS_MAX = 3;
const WHY_ROWS_MAX = 6;
const INDENT = "  ";

export function cardView(state: State, place: CardPlace): CardView | null {
  const ask = shownAsk(state);
  if (ask === null) return null;
  const { theme, now, columns, rows } = place;
  const asks = inTurn(state);
  const at = asks.findIndex(({ id }) => id === ask.id);
  const isTight = rows < ROOMY_ROWS;
  const others = otherLines(asks.toSpliced(at, 1), place, isTight ? 0 : OTHERS_MAX);
  const whole = whyLines(ask, columns - 4);
  const why = isTight ? whyInOne(ask, whole, columns - 4) : whole.slice(0, WHY_ROWS_MAX);
  const waited = clockText(now - ask.since);
  const placed = asks.length > 1 ? `${at + 1} of ${asks.length} · ${waited}` : waited;
  const titleRoom = columns - placed.length - TITLE_GAPS;
  const all = cardLines(ask, { theme, columns: columns - 4, isSubjectSaid: fitsTitle(ask, titleRoom) });
  // The title and the keys are always there.
  const room = Math.max(1, rows - 2 - why.length - others.length - (isTight ? 0 : GAPS));
  const left = all.length - room;
  const more = left > 0 ? [theme.needs(`${theme.glyphs.dots} ${left + 1} lines more, d shows all`)] : [];
  return {
    title: titleOf(ask, titleRoom),
    place: placed,
    why,
    lines: left > 0 ? [...all.slice(0, room - 1), ...more] : all,
    keys: keysLine(ask, state, place, left > 0 || why.length < whole.length || ask.inPart === true),
    others,
    isTight,
  };
}

/** With what it is about where that is one row; else that stands below. */
function titleOf(ask: Ask, columns: number): string {
  const { pid, kind, tool, about } = ask;
  if (kind === "question") return `${reveal(pid)} asks you`;
  const on = about?.target === undefined || about.target === "gsv" ? "" : ` on ${reveal(about.target)}`;
  const head = `${reveal(pid)} wants ${reveal(tool)}${on}`;
  return fitsTitle(ask, columns) ? `${head} ${reveal(subjectOf(tool, ask.args))}` : head;
}

function fitsTitle({ pid, tool, args, about }: Ask, columns: number): boolean {
  const subject = reveal(subjectOf(tool, args));
  const head = pid.length + tool.length + (about?.target.length ?? 0) + 12;
  return !subject.includes("\n") && head + Bun.stringWidth(subject) <= columns;
}

/** What it is, where, and why it asks. */
function whyLines({ kind, tool, why, about, expiresAt, args }: Ask, columns: number): readonly string[] {
  const { default: fallback } = args as { readonly default?: unknown };
  if (kind === "question") {
    if (expiresAt === null) return [];
    const then = fallback === undefined ? "" : `, then: ${reveal(String(fallback))}`;
    return wrapped(`until ${new Date(expiresAt).toTimeString().slice(0, 5)}${then}`, columns);
  }
  // What it runs stands above or below; here is what that means.
  const subject = subjectOf(tool, args);
  const said = reveal(subject !== "" && why.endsWith(`: ${subject}`) ? why.slice(0, -subject.length - 2) : why);
  const directory = about?.directory == null ? "" : reveal(about.directory);
  const where = directory === "" || said.includes(directory) ? "" : ` in ${directory}`;
  const reasons = (about?.reasons ?? []).map((reason) => reveal(reason).replaceAll("\n", "⏎"));
  return wrapped([`${said}${where}`, ...reasons].join(" · "), columns);
}

/** Of a file in gsv why it asks: which one it is stands above or below. Of all else what it does, and where. */
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
  /** Above it, in full. */
  readonly isSubjectSaid: boolean;
}

/** All that would run or change, or what is asked. */
export function cardLines(ask: Ask, { theme, columns, isSubjectSaid }: CardText): readonly string[] {
  const { kind, tool, about, args, inPart = false } = ask;
  const cut = inPart ? [theme.needs("this is in part: d shows all of it")] : [];
  if (kind === "question") return [...approvalBody({ ...ask, expiresAt: null }).flatMap(hanging(columns)), ...cut];
  const diff = about?.diff ?? null;
  // Where the title says it already.
  const subject = reveal(subjectOf(tool, args));
  const asked = requestLines(ask).filter(
    (line) => !isSubjectSaid || (line !== `  path: ${subject}` && line !== `  | ${subject}`),
  );
  const warned = deceits(ask).flatMap(hanging(columns)).map(theme.needs);
  const changed = diff === null ? [] : diffRows(diff, columns - 2, theme);
  // Without words a danger would be a colour only.
  const dangers = (about?.dangers ?? []).map((each) => theme.bad(`${INDENT}${reveal(each)}`));
  const grants = (about?.grants ?? []).map((each) => `${INDENT}gets the ${each}, for this command only`);
  return [...warned, ...dangers, ...asked.flatMap(hanging(columns)), ...grants, ...changed, ...cut];
}

/** The card itself stands where the indent would be. */
function hanging(columns: number): (line: string) => readonly string[] {
  return (line) => hangingRows(line, columns, INDENT.length);
}

function wrapped(text: string, columns: number): readonly string[] {
  return text === "" ? [] : Bun.wrapAnsi(text, Math.max(10, columns), { hard: true }).split("\n");
}

function keysLine(ask: Ask, state: State, { theme, columns }: CardPlace, isCut: boolean): string {
  const key = (letter: string, word: string) => `${theme.bold(letter)} ${word}`;
  const { replying, input, answering, chosen } = state;
  if (chosen !== null)
    return `${theme.needs(`${chosen.letter} ${theme.glyphs.dots}`)}   ${key("esc", "takes it back")}`;
  const isQuestion = ask.kind === "question";
  if (replying === ask.id)
    return `${key("enter", isQuestion ? "answers" : "says no, and why")}   ${key("esc", "goes back")}`;
  const count = Math.min(9, choicesOf(ask.args).length);
  if (input.text !== "" && !answering) {
    if (!isQuestion) return key("tab", "answers, then y or n");
    return key("tab", count === 0 ? "answers with this line" : "chooses, then a number");
  }
  const isWide = columns >= 76;
  const first = isQuestion
    ? [count === 0 ? key("r", "answers") : key(count === 1 ? "1" : `1-${count}`, "chooses")]
    : [
        key("y", "once"),
        ...(ask.about?.once === true ? [] : [key("a", isWide ? `always${about(ask)}` : "always")]),
        key("n", "no"),
        key("r", isWide ? "no, and say why" : "why not"),
      ];
  const rest = [
    ...(state.asks.length > 1 ? [key("tab", "next")] : []),
    ...(isCut ? [key("d", "all")] : []),
    ...(isQuestion ? [] : [key("e", "edit")]),
  ];
  return keysThatFit(first, rest, columns - 3);
}

/** The first are always there. */
function keysThatFit(first: readonly string[], rest: readonly string[], columns: number): string {
  let line = first.join("   ");
  const gap = Bun.stringWidth(line) > columns ? "  " : "   ";
  line = first.join(gap);
  for (const each of rest) if (Bun.stringWidth(line + gap + each) <= columns) line += gap + each;
  return line;
}

function about({ call }: Ask): string {
  if (call === "shell.exec") return " for this command";
  return call.startsWith("fs.") ? " for this file" : " for this";
}

function otherLines(others: readonly Ask[], { theme, now, columns }: CardPlace, most: number): readonly string[] {
  const shown = others.slice(0, most).map((ask) => {
    const waited = clockText(now - ask.since);
    const title = cutWidth(titleOf(ask, columns - waited.length - 8), Math.max(8, columns - waited.length - 8));
    return `${INDENT}${theme.needs(theme.glyphs.asks)} ${theme.dim(`${title}  ${waited}`)}`;
  });
  const left = others.length - shown.length;
  return left > 0 && most > 0 ? [...shown, theme.dim(`${INDENT}  and ${left} more`)] : shown;
}
