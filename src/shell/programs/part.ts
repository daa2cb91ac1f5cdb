// Internal arguments that tell a program its place in a pipe. The interpreter runs each command of a pipe to its end before the next
// starts; with these, neighbouring programs run concurrently.

/** First argument of a program without a reader. */
export const ALONE = "__gsv_alone";
const PART = "__gsv_part=";

/** The pipe, and the program's position in it. */
export interface Part {
  readonly chain: string;
  readonly at: number;
  readonly count: number;
  /** stderr is printed, dropped, or joined with stdout. */
  readonly stderr: "told" | "dropped" | "printed";
}

export function partWord({ chain, at, count, stderr }: Part): string {
  return `${PART}${chain}:${at}:${count}:${stderr}`;
}

/** The real arguments and the place in the pipe; null outside of one. An alias may have put words in front. */
export function partOf(all: readonly string[]): { readonly args: readonly string[]; readonly part: Part | null } {
  const place = all.findIndex((word) => word.startsWith(PART));
  if (place === -1) return { args: all, part: null };
  const [chain = "", at, count, stderr = "told"] = all[place]?.slice(PART.length).split(":") ?? [];
  const part = { chain, at: Number(at), count: Number(count), stderr: stderr as Part["stderr"] };
  return { args: all.filter((_, at) => at !== place), part };
}

/** Removes internal words from traces (set -x). */
export function untold(text: string): string {
  return text
    .replaceAll(new RegExp(` (?:${PART}\\S+|${ALONE})`, "g"), "")
    .replaceAll(/^\++ (?:__(?:gsv|just_bash)_\w+.*|eval '')\n/gm, "")
    .replaceAll(/^(\++ \w+) --shell=\S*/gm, "$1");
}
