// The history of typed lines, each with its time, directory and exit status, as one line of a file. Pure.

import { reveal } from "../../src/lib/text/sanitize.ts";
import { asOneLine } from "./unfinished.ts";

export interface Past {
  readonly text: string;
  /** null for lines stored without a time. */
  readonly at: number | null;
  readonly cwd: string | null;
  /** null if the line did not run or has not ended. */
  readonly status: number | null;
}

export interface History {
  readonly past: readonly Past[];
  readonly add: (entry: Past) => void;
}

const LINE_END = "\x1e";
const ENTRY = /^(?<at>\d{4}-\d\d-\d\dT[\d:.]+Z)\t(?<status>-|\d{1,3})\t(?<cwd>[^\t]*)\t(?<text>.*)$/s;

export function lineOfPast({ text, at, cwd, status }: Past): string {
  const stored = text.replaceAll(LINE_END, "").replaceAll("\n", LINE_END);
  if (at === null) return stored;
  return `${new Date(at).toISOString()}\t${status ?? "-"}\t${(cwd ?? "").replace(/[\t\n]/g, " ")}\t${stored}`;
}

/** Oldest first. A line is stored before it runs and again after: both are one entry. */
export function pastOf(lines: readonly string[]): readonly Past[] {
  const entries = new Map<string, Past>();
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const past = pastIn(line);
    entries.set(past.at === null ? `${index}` : `${past.at} ${past.text}`, past);
  }
  return [...entries.values()];
}

function pastIn(line: string): Past {
  const { at, status, cwd, text } = ENTRY.exec(line)?.groups ?? {};
  const when = at === undefined ? Number.NaN : Date.parse(at);
  if (Number.isNaN(when)) return { text: line.replaceAll(LINE_END, "\n"), at: null, cwd: null, status: null };
  return {
    text: (text ?? "").replaceAll(LINE_END, "\n"),
    at: when,
    cwd: cwd || null,
    status: status === "-" ? null : Number(status),
  };
}

export function pastRows(past: readonly Past[], most: number): readonly string[] {
  const from = Math.max(0, past.length - most);
  const wide = String(past.length).length + 2;
  return past.slice(from).map(({ text }, at) => {
    const line = reveal((asOneLine(text) ?? text).replaceAll("\n", "⏎"));
    return `${String(from + at + 1).padStart(wide)}  ${line}`;
  });
}

/** Not if it begins with a space or repeats the last line. */
export function isKept(text: string, last: string | undefined): boolean {
  return text.trim() !== "" && !text.startsWith(" ") && text !== last;
}

/** The rest of the last line that began so, from this directory if there is one; empty if there is none. */
export function continuation(begun: string, past: readonly Past[], cwd: string): string {
  if (begun === "" || begun.includes("\n")) return "";
  const fits = ({ text, status }: Past) =>
    text.length > begun.length && text.startsWith(begun) && !text.includes("\n") && status !== 127;
  const found = past.findLast((each) => each.cwd === cwd && fits(each)) ?? past.findLast(fits);
  return found === undefined ? "" : found.text.slice(begun.length);
}

/** Replaces `!!`, as a word of its own, by the last line that ran. */
export function withLast(text: string, past: readonly Past[]): string {
  if (!/(?:^|\s)!!(?=\s|$)/.test(text)) return text;
  const last = past.findLast(({ status }) => status !== null)?.text ?? past.at(-1)?.text;
  return last === undefined ? text : text.replace(/(^|\s)!!(?=\s|$)/g, (_whole, before: string) => before + last);
}

/** For a history without multi-line entries: one line if the text can be one, otherwise each of its lines. */
export function linesToKeep(text: string, last: string | undefined): readonly string[] {
  if (text.trim() === "" || text.startsWith(" ")) return [];
  const whole = asOneLine(text);
  const kept: string[] = [];
  for (const each of whole === null ? text.split("\n") : [whole])
    if (each.trim() !== "" && (kept.at(-1) ?? last) !== each) kept.push(each);
  return kept;
}
