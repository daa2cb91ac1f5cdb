// Formats modes as letters and parses those of chmod. Pure.

import type { Stat } from "../program.ts";

export function modeLetters({ kind, mode }: Pick<Stat, "kind" | "mode">): string {
  const letters = [..."rwxrwxrwx"].map((letter, at) => (mode & (0o400 >> at) ? letter : "-"));
  const special = (bit: number, at: number, [set = "", bare = ""]: string) => {
    if (mode & bit) letters[at] = letters[at] === "x" ? set : bare;
  };
  special(0o4000, 2, "sS");
  special(0o2000, 5, "sS");
  special(0o1000, 8, "tT");
  return `${{ file: "-", directory: "d", symlink: "l" }[kind]}${letters.join("")}`;
}

/** `755`, `u+x,go-w`, `a=r`; null if the text is not a mode. */
export function changedMode(text: string, mode: number, isDirectory: boolean, umask: number): number | null {
  if (/^[0-7]{1,4}$/.test(text)) return Number.parseInt(text, 8);
  let result = mode;
  for (const clause of text.split(",")) {
    const [, who = "", changes] = /^([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]))+)$/.exec(clause) ?? [];
    if (changes === undefined) return null;
    const places = who === "" || who.includes("a") ? "ugo" : who;
    for (const [, operator = "", what = ""] of changes.matchAll(/([-+=])([rwxXstugo]*)/g)) {
      for (const place of places) {
        const shift = { u: 6, g: 3, o: 0 }[place] ?? 0;
        const bits = bitsOf(what, result, isDirectory) & (who === "" ? ~(umask >> shift) : 7);
        if (operator === "=") result &= ~(7 << shift);
        result = operator === "-" ? result & ~(bits << shift) : result | (bits << shift);
      }
      const special =
        (what.includes("s") ? (places.includes("u") ? 0o4000 : 0) | (places.includes("g") ? 0o2000 : 0) : 0) |
        (what.includes("t") ? 0o1000 : 0);
      result = operator === "-" ? result & ~special : result | special;
    }
  }
  return result;
}

function bitsOf(what: string, mode: number, isDirectory: boolean): number {
  const from = { u: 6, g: 3, o: 0 }[what];
  if (from !== undefined) return (mode >> from) & 7;
  const search = what.includes("x") || (what.includes("X") && (isDirectory || (mode & 0o111) !== 0));
  return (what.includes("r") ? 4 : 0) | (what.includes("w") ? 2 : 0) | (search ? 1 : 0);
}
