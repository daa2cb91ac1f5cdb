// What a script says to a program first about who reads what it prints: each command of a pipe runs to its end before the next begins, so
// one that could be stopped by its reader is told beforehand what that reader wants.

/** Nobody reads it. */
export const ALONE = "__gsv_alone";
/** A `head` reads it, with the words that stand between these. */
export const HEAD = { begins: "__gsv_for_head", ends: "__gsv_of_head" } as const;

/** The arguments themselves, and those of the `head` behind it; null where there is none. */
export function readerOf(all: readonly string[]): {
  readonly args: readonly string[];
  readonly head: readonly string[] | null;
} {
  const end = all[0] === HEAD.begins ? all.indexOf(HEAD.ends) : -1;
  return end === -1 ? { args: all, head: null } : { args: all.slice(end + 1), head: all.slice(1, end) };
}

/** Words of a script that only scripts put there are not shown to whoever traces it. */
export function untold(text: string): string {
  return text
    .replaceAll(new RegExp(` (?:${HEAD.begins} .*?${HEAD.ends}|${ALONE})`, "g"), "")
    .replaceAll(/^\++ (?:__gsv_\w+.*|eval '')\n/gm, "")
    .replaceAll(/^(\++ \w+) --shell=\S*/gm, "$1");
}
