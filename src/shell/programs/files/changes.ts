// Finds the smallest change from one list of lines to another. Pure.

/** From a line of each on, so many of the first are gone and so many of the second have come. */
export interface Change {
  readonly at: number;
  readonly gone: number;
  readonly to: number;
  readonly come: number;
}

export function changesBetween(left: readonly string[], right: readonly string[]): readonly Change[] {
  const changes: Change[] = [];
  let [at, to] = [0, 0];
  for (const [x, y] of [...common(left, right), [left.length, right.length] as const]) {
    if (x > at || y > to) changes.push({ at, gone: x - at, to, come: y - to });
    [at, to] = [x + 1, y + 1];
  }
  return changes;
}

/** Matching pairs of lines, in order, by Myers' algorithm: the furthest path per number of edits, then backtracking. */
function common(left: readonly string[], right: readonly string[]): readonly (readonly [number, number])[] {
  const most = left.length + right.length;
  let furthest = new Map<number, number>([[1, 0]]);
  const ways: Map<number, number>[] = [];
  for (let edits = 0; edits <= most; edits++) {
    ways.push(furthest);
    const next = new Map(furthest);
    for (let way = -edits; way <= edits; way += 2) {
      const down = way === -edits || (way !== edits && (next.get(way - 1) ?? 0) < (next.get(way + 1) ?? 0));
      let x = down ? (next.get(way + 1) ?? 0) : (next.get(way - 1) ?? 0) + 1;
      while (x < left.length && x - way < right.length && left[x] === right[x - way]) x++;
      next.set(way, x);
      if (x >= left.length && x - way >= right.length) return back(ways, left.length, right.length);
    }
    furthest = next;
  }
  return [];
}

function back(
  ways: readonly Map<number, number>[],
  width: number,
  height: number,
): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  let [x, y] = [width, height];
  for (let edits = ways.length - 1; edits >= 0; edits--) {
    const furthest = ways[edits] ?? new Map<number, number>();
    const way = x - y;
    const down = way === -edits || (way !== edits && (furthest.get(way - 1) ?? 0) < (furthest.get(way + 1) ?? 0));
    const before = down ? way + 1 : way - 1;
    const fromX = edits === 0 ? 0 : (furthest.get(before) ?? 0);
    const fromY = edits === 0 ? 0 : fromX - before;
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}
