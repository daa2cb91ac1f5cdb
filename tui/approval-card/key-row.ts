// The row of keys of a card, with words as long as the width allows. Pure.

import type { Theme } from "../screen/theme.ts";

export type Key = readonly [key: string, word: string, short?: string, shortest?: string];

/** The first keys always appear, shorter if needed; the rest as far as they fit. */
export function keysThatFit(first: readonly Key[], rest: readonly Key[], columns: number, theme: Theme): string {
  const text = (keys: readonly Key[], gap: string, length: number) =>
    keys
      .map(([key, word, short = word, shortest = short]) => `${theme.bold(key)} ${[shortest, short, word][length]}`)
      .join(gap);
  const all = [...first, ...rest];
  const ways = [
    ["   ", 2],
    ["  ", 2],
    ["   ", 1],
    ["  ", 1],
    ["  ", 0],
  ] as const;
  const fits = (keys: readonly Key[]) =>
    ways.map(([gap, length]) => text(keys, gap, length)).find((line) => Bun.stringWidth(line) <= columns);
  for (let count = all.length; count >= first.length; count--) {
    const line = fits(all.slice(0, count));
    if (line !== undefined) return line;
  }
  return text(first, "  ", 0);
}
