// Texts for the search index, and search queries. Scripts without spaces between words are indexed character by character, so that words
// within a sentence are found. Pure.

import { SysError } from "../../../abi/errno.ts";
import type { Message } from "../../../abi/process/message.ts";
import { headAndTail } from "../../../lib/text/truncate.ts";
import { HIT_MARKS } from "../../../store/history-index.ts";

const TEXT_BYTES_MAX = 32 * 1024;
const ARGS_BYTES_MAX = 2048;
const TERMS_MAX = 32;
/** Invisible separator; not part of a word. */
const SEAM = "\u200b";
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu;
const MARKS = /[\ue000\ue001]/g;

function indexed(text: string): string {
  const whole = headAndTail(text, TEXT_BYTES_MAX).text.replace(MARKS, "\ufffd").replaceAll("\u0000", "\ufffd");
  return whole.replace(UNSPACED, (sign) => `${SEAM}${sign}${SEAM}`);
}

export function textOf(message: Message): string | null {
  switch (message.role) {
    case "assistant": {
      const { text, toolCalls = [] } = message.content;
      return spoken([text, ...toolCalls.map(({ name, args }) => callText(name, args))]);
    }
    case "toolResult":
      return spoken([message.content.output]);
    default:
      return spoken([message.content]);
  }
}

/** The same for a line of an archive; null if it is not a message. */
export function recordOf(line: string): { seq: number; role: string; at: number; text: string } | null {
  const record = fieldsOf(line);
  const { id, role, content, ts, tool_calls: calls } = record;
  if (typeof id !== "number" || typeof role !== "string" || typeof ts !== "number") return null;
  const called = Array.isArray(calls) ? (calls as { name?: unknown; args?: object }[]) : [];
  const text = spoken([
    typeof content === "string" ? content : JSON.stringify(content ?? ""),
    ...called.map(({ name, args = {} }) => callText(String(name), args)),
  ]);
  return text === null ? null : { seq: id, role, at: ts, text };
}

function fieldsOf(line: string): { readonly [field: string]: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as { readonly [field: string]: unknown }) : {};
  } catch {
    return {};
  }
}

function callText(name: string, args: object): string {
  return `[${name}] ${headAndTail(JSON.stringify(args), ARGS_BYTES_MAX).text}`;
}

function spoken(parts: readonly string[]): string | null {
  const text = parts.filter((part) => part !== "").join("\n");
  return text === "" ? null : indexed(text);
}

/** All words must match; quoted words in that order; a trailing * matches a prefix. */
export function matchOf(words: readonly string[]): string {
  const terms = [...words.join(" ").matchAll(/"([^"]*)"?|(\S+)/g)].flatMap(([, quoted, word]) =>
    termOf(quoted ?? word ?? ""),
  );
  if (terms.length === 0)
    throw new SysError("EINVAL", "nothing to search for: no letters or digits", ["gsv history search rent"]);
  if (terms.length > TERMS_MAX) throw new SysError("EINVAL", `too many words to search for: the limit is ${TERMS_MAX}`);
  return terms.join(" ");
}

function termOf(text: string): string[] {
  const isPrefix = /[\p{L}\p{N}]\*$/u.test(text);
  const plain = indexed(isPrefix ? text.slice(0, -1) : text).replaceAll('"', " ");
  return /[\p{L}\p{N}\p{Co}]/u.test(plain) ? [`"${plain}"${isPrefix ? "*" : ""}`] : [];
}

export interface Snippet {
  readonly text: string;
  readonly hits: readonly (readonly [begin: number, end: number])[];
}

export function snippetOf(marked: string): Snippet {
  const hits: [number, number][] = [];
  let text = "";
  for (const piece of marked
    .replaceAll(SEAM, "")
    .replace(/\s+/g, " ")
    .split(/([\ue000\ue001])/)) {
    const last = hits.at(-1);
    if (piece === HIT_MARKS.begin) hits.push([text.length, text.length]);
    else if (piece === HIT_MARKS.end && last !== undefined) last[1] = text.length;
    else text += piece;
  }
  return { text, hits: joined(hits) };
}

function joined(hits: readonly [number, number][]): [number, number][] {
  const all: [number, number][] = [];
  for (const [begin, end] of hits) {
    const last = all.at(-1);
    if (last !== undefined && begin <= last[1]) last[1] = Math.max(last[1], end);
    else if (end > begin) all.push([begin, end]);
  }
  return all;
}
