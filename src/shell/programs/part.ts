// What a script says to a program about those beside it in a pipe: the interpreter runs each command of a pipe to its end before the next
// begins, so programs of the shell's own that stand side by side are told of each other, and run at the same time.

/** Nobody reads it. */
export const ALONE = "__gsv_alone";
const PART = "__gsv_part=";

/** Which of several programs in a row it is, and which row. */
export interface Part {
  readonly chain: string;
  readonly at: number;
  readonly count: number;
  /** What becomes of what it says on stderr: told, dropped, or read by the next like what it prints. */
  readonly stderr: "told" | "dropped" | "printed";
}

export function partWord({ chain, at, count, stderr }: Part): string {
  return `${PART}${chain}:${at}:${count}:${stderr}`;
}

/** The arguments themselves, and where in a row of programs it stands; null for one alone. An alias may have put words before. */
export function partOf(all: readonly string[]): { readonly args: readonly string[]; readonly part: Part | null } {
  const place = all.findIndex((word) => word.startsWith(PART));
  if (place === -1) return { args: all, part: null };
  const [chain = "", at, count, stderr = "told"] = all[place]?.slice(PART.length).split(":") ?? [];
  const part = { chain, at: Number(at), count: Number(count), stderr: stderr as Part["stderr"] };
  return { args: all.filter((_, at) => at !== place), part };
}

/** Words of a script that only scripts put there are not shown to whoever traces it. */
export function untold(text: string): string {
  return text
    .replaceAll(new RegExp(` (?:${PART}\\S+|${ALONE})`, "g"), "")
    .replaceAll(/^\++ (?:__(?:gsv|just_bash)_\w+.*|eval '')\n/gm, "")
    .replaceAll(/^(\++ \w+) --shell=\S*/gm, "$1");
}
