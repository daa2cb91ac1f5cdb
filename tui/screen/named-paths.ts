// Finds paths in a line, and makes the address of a file. Pure: whether a file exists is for the caller.

import { posix } from "node:path";
import { isInside } from "../../src/lib/inside.ts";

/** The directory of a process on this computer. */
export interface LinkPlace {
  readonly real: string;
  /** The same directory in gsv. */
  readonly at: string;
  /** Where relative paths start: below `real`. */
  readonly cwd: string;
}

export interface NamedPath {
  readonly start: number;
  readonly end: number;
  readonly path: string;
}

const PATH = /(?<![\p{L}\p{N}\p{M}_./~@:%?#&=+\\-])(?:~?\/|\.{1,2}\/)?[\p{L}\p{N}_.@+][\p{L}\p{N}\p{M}_.@+=,/-]*/gu;
/** Followed by these, the text goes on with something that is no file: an address, a call. */
const GOES_ON = /^(?::\/\/|[({@%?&=\\])/;
const PATH_CHARS_MAX = 300;
const PATHS_IN_LINE_MAX = 8;
/** In a line without escape sequences. */
export function pathsIn(line: string, place: LinkPlace, home: string | undefined): readonly NamedPath[] {
  const found: NamedPath[] = [];
  for (const { 0: whole, index } of line.matchAll(PATH)) {
    const text = whole.replace(/[.,/=+-]+$/, "");
    if (!/[./]/.test(text) || text.length > PATH_CHARS_MAX || GOES_ON.test(line.slice(index + whole.length))) continue;
    const path = absolute(text, place, home);
    if (path === null || !isInside(path, place.real) || path === place.real) continue;
    found.push({ start: index, end: index + text.length, path });
    if (found.length === PATHS_IN_LINE_MAX) break;
  }
  return found;
}

function absolute(text: string, { real, at, cwd }: LinkPlace, home: string | undefined): string | null {
  if (text.startsWith("~")) return home === undefined ? null : normalise(home + text.slice(1));
  if (!text.startsWith("/")) return normalise(`${cwd}/${text}`);
  const path = normalise(text);
  return isInside(path, at) ? real + path.slice(at.length) : path;
}

function normalise(path: string): string {
  return posix.normalize(path).replace(/(?<=.)\/$/, "");
}

export function addressOf(path: string, host: string): string {
  const name = /^[\w.-]+$/.test(host) ? host : "";
  return `file://${name}${path.split("/").map(encodeURIComponent).join("/")}`;
}
