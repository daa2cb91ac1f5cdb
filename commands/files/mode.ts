// Permissions as people write them: octal, or changes to what is there (`u+x,go-w`). Pure.

import { SysError } from "../../src/abi/errno.ts";
import type { FileEntry } from "../../src/syscalls/fs/file-tree-service.ts";

const CLAUSE = /^([ugoa]*)([-+=])([rwxXst]*)$/;
const SHIFTS: { readonly [who: string]: number } = { u: 6, g: 3, o: 0 };
const SPECIAL: { readonly [who: string]: number } = { u: 0o4000, g: 0o2000, o: 0 };

/** The new mode in octal. */
export function modeFrom(text: string, { mode, kind }: Pick<FileEntry, "mode" | "kind">): string {
  if (/^[0-7]{1,5}$/.test(text) && Number.parseInt(text, 8) <= 0o7777) return text.padStart(4, "0");
  let bits = Number.parseInt(mode, 8);
  for (const clause of text.split(",")) {
    const [, who = "", change = "", what = ""] = CLAUSE.exec(clause) ?? [];
    if (change === "")
      throw new SysError("EUSAGE", `${text.slice(0, 60)} is no mode`, [
        "a mode is 0640 in octal, or changes as u+x,go-w",
      ]);
    bits = changed(bits, {
      who: who === "" || who.includes("a") ? "ugo" : who,
      change,
      what,
      isDirectory: kind === "directory",
    });
  }
  return bits.toString(8).padStart(4, "0");
}

interface Clause {
  readonly who: string;
  readonly change: string;
  readonly what: string;
  readonly isDirectory: boolean;
}

function changed(bits: number, { who, change, what, isDirectory }: Clause): number {
  const runs = isDirectory || (bits & 0o111) !== 0;
  let wanted = 0;
  let all = 0;
  for (const each of who) {
    const shift = SHIFTS[each] ?? 0;
    all |= 0o7 << shift;
    if (what.includes("r")) wanted |= 4 << shift;
    if (what.includes("w")) wanted |= 2 << shift;
    if (what.includes("x") || (what.includes("X") && runs)) wanted |= 1 << shift;
    if (what.includes("s")) wanted |= SPECIAL[each] ?? 0;
  }
  if (what.includes("t")) wanted |= 0o1000;
  if (change === "+") return bits | wanted;
  if (change === "-") return bits & ~wanted;
  return (bits & ~all) | wanted;
}
