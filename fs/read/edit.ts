// Exact text replacement. Errors tell the number of matches and what to do: models read them and retry.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import { nearLines, shownLines } from "./near-lines.ts";

export interface Edit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

export interface Edited {
  readonly text: string;
  readonly replacements: number;
  /** Line of the first replacement. */
  readonly line: number;
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
  // Check the size first: many replacements could exhaust memory.
  if (text.length + places.length * (newString.length - oldString.length) > LIMITS.fileBytesMax) {
    throw new SysError("EFBIG", `cannot edit ${path}: a file holds at most ${LIMITS.fileBytesMax / 1024 / 1024} MiB`);
  }
  const line = lineAt(text, places[0] ?? 0);
  return { text: text.split(oldString).join(newString), replacements: places.length, line };
}

/** In a CRLF file, LF in the edit matches CRLF. */
function inLineEndingsOf(text: string, { oldString, newString }: Edit): Pick<Edit, "oldString" | "newString"> {
  const lf = /(?<!\r)\n/g;
  if (text.includes(oldString) || !text.includes("\r\n") || text.search(lf) !== -1) return { oldString, newString };
  return { oldString: oldString.replace(lf, "\r\n"), newString: newString.replace(lf, "\r\n") };
}

/** Without overlaps. */
function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

function notFound(text: string, oldString: string, path: string): SysError {
  const unnumbered = oldString.replace(/^ *\d+\t/gm, "");
  const isNumbered = unnumbered !== oldString && text.includes(unnumbered);
  const hints = isNumbered ? ["leave out the line numbers: they are not part of the file"] : nearHints(text, oldString);
  return new SysError("ECONFLICT", `cannot edit ${path}: the old text was not found`, hints);
}

function nearHints(text: string, oldString: string): readonly string[] {
  const near = nearLines(text, oldString);
  if (near === null) return ["read the file again and copy the text exactly"];
  const what = near.byWhiteSpace
    ? `line ${near.line} differs only in white space: copy it exactly`
    : "the nearest lines in the file are:";
  return [what, ...shownLines(near.lines.map((line, index) => `${near.line + index}: ${line}`))];
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
