// Replacing text in a text, exactly. When it cannot, the error says how many places fit and what to do: models read it and try again.

import { SysError } from "../src/abi/errno.ts";

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
  const [first] = wanted;
  if (first === undefined) return null;
  const lines = text.split("\n").map(squeezed);
  const at = lines.findIndex((_, index) => {
    const rest = lines.slice(index, index + wanted.length * 2).filter((line) => line !== "");
    return lines[index] === first && wanted.every((line, nth) => rest[nth] === line);
  });
  return at === -1 ? null : `line ${at + 1} differs in white space only: copy it exactly`;
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
