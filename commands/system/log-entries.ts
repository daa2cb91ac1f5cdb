// Entries of the kernel log (a time and one or more lines), and which of them are new. Pure.

/** The last printed text, to find the place again: the start of a long log is cut. */
const MARK_CHARS = 400;

export interface LogEntry {
  readonly at: number | null;
  readonly text: string;
}

/** Lines without a time belong to the entry before. */
export function entriesIn(text: string): LogEntry[] {
  const entries: { at: number | null; text: string }[] = [];
  for (const line of text.split("\n")) {
    const [, stamp, rest = ""] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (.*)$/s.exec(line) ?? [];
    const last = entries.at(-1);
    if (stamp !== undefined) entries.push({ at: Date.parse(stamp), text: rest });
    else if (last !== undefined) last.text += `\n${line}`;
    else if (line !== "") entries.push({ at: null, text: line });
  }
  return entries.map(({ at, text }) => ({ at, text: text.trimEnd() }));
}

/** The part of a text after a known part. */
export function newPart(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const mark = before.slice(-MARK_CHARS);
  const at = now.lastIndexOf(mark);
  return at === -1 ? now : now.slice(at + mark.length);
}
