// The names closest to a mistyped one, for "did you mean". Nothing ever runs on such a guess.

/** At most three names within a third of the word's length (at least one edit), the closest first. */
export function nearest(word: string, names: Iterable<string>): string[] {
  const reach = Math.max(1, Math.floor(word.length / 3));
  return [...new Set(names)]
    .map((name) => ({ name, distance: name.startsWith(word) && word.length > 1 ? 1 : editDistance(word, name) }))
    .filter(({ distance }) => distance <= reach)
    .sort((left, right) => left.distance - right.distance || left.name.localeCompare(right.name))
    .slice(0, 3)
    .map(({ name }) => name);
}

// Insertions, deletions, substitutions, and two neighbours swapped, each one edit.
function editDistance(left: string, right: string): number {
  // A much longer word is not a typing mistake. Keeps the table small.
  if (Math.abs(left.length - right.length) > 3 || left.length > 40) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      if (row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length]!;
}
