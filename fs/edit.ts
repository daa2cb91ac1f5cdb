// Replacing text in a text, exactly. When it cannot, the error says how many places fit and what to do: models read it and try again.

import { SysError } from "../src/abi/errno.ts";
import { LIMITS } from "../src/abi/limits.ts";

export interface Edit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

export interface Edited {
  readonly text: string;
  readonly replacements: number;
}

const LINES_NAMED_MAX = 5;

export function applyEdit(text: string, edit: Edit, path: string): Edited {
  if (edit.oldString === "") {
    throw new SysError("EINVAL", `cannot edit ${path}: the old text is empty`, ["to replace the whole file, write it"]);
  }
  if (edit.oldString === edit.newString) {
    throw new SysError("EINVAL", `cannot edit ${path}: the old and the new text are the same`);
  }
  const { oldString, newString } = inLineEndingsOf(text, edit);
  const places = placesOf(text, oldString);
  if (places.length === 0) throw notFound(text, oldString, path);
  if (places.length > 1 && !edit.replaceAll) throw ambiguous(text, places, path);
  // Before it is built: a short text for a shorter one, often enough, takes more memory than there is.
  if (text.length + places.length * (newString.length - oldString.length) > LIMITS.fileBytesMax) {
    throw new SysError("EFBIG", `cannot edit ${path}: a file holds at most ${LIMITS.fileBytesMax / 1024 / 1024} MiB`);
  }
  return { text: text.split(oldString).join(newString), replacements: places.length };
}

/** In a file with CRLF an edit written with LF means the same lines. */
function inLineEndingsOf(text: string, { oldString, newString }: Edit): Pick<Edit, "oldString" | "newString"> {
  const lf = /(?<!\r)\n/g;
  if (text.includes(oldString) || !text.includes("\r\n") || text.search(lf) !== -1) return { oldString, newString };
  return { oldString: oldString.replace(lf, "\r\n"), newString: newString.replace(lf, "\r\n") };
}

/** Without overlaps, as they would be replaced. */
function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

function notFound(text: string, oldString: string, path: string): SysError {
  const unnumbered = oldString.replace(/^ *\d+\t/gm, "");
  const hint =
    unnumbered !== oldString && text.includes(unnumbered)
      ? "leave out the line numbers: they are not part of the file"
      : (nearLine(text, oldString) ?? "read the file again and copy the text exactly as it stands");
  return new SysError("ECONFLICT", `cannot edit ${path}: the old text was not found`, [hint]);
}

/** A place that differs in white space only is most likely the one that was meant. */
function nearLine(text: string, oldString: string): string | null {
  const squeezed = (line: string) => line.replace(/\s+/g, " ").trim();
  const wanted = oldString
    .split("\n")
    .map(squeezed)
    .filter((line) => line !== "");
  if (wanted.length === 0) return null;
  const lines: string[] = [];
  const numbers: number[] = [];
  for (const [index, line] of text.split("\n").map(squeezed).entries()) {
    if (line === "") continue;
    lines.push(line);
    numbers.push(index + 1);
  }
  const number = numbers[runOf(wanted, lines)];
  return number === undefined ? null : `line ${number} differs in white space only: copy it exactly`;
}

/** Where the wanted lines stand one after the other, or -1. Never looks at a line twice, however often the lines repeat themselves. */
function runOf(wanted: readonly string[], lines: readonly string[]): number {
  // Of the first `nth` wanted lines, how many at their end are also their beginning: that far a match that fails still holds.
  const held = [0, 0];
  for (let nth = 1, same = 0; nth < wanted.length; nth++) {
    while (same > 0 && wanted[nth] !== wanted[same]) same = held[same] ?? 0;
    if (wanted[nth] === wanted[same]) same++;
    held.push(same);
  }
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && line !== wanted[matched]) matched = held[matched] ?? 0;
    if (line === wanted[matched]) matched++;
    if (matched === wanted.length) return index - matched + 1;
  }
  return -1;
}

function ambiguous(text: string, places: readonly number[], path: string): SysError {
  const lines = places.slice(0, LINES_NAMED_MAX).map((place) => lineAt(text, place));
  const more = places.length > lines.length ? ", …" : "";
  return new SysError(
    "ECONFLICT",
    `cannot edit ${path}: the old text occurs ${places.length} times (lines ${lines.join(", ")}${more})`,
    ["add lines around it until it occurs once, or set replaceAll"],
  );
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < place; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
