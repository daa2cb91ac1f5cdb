// Randomness with a seed, so that a failure can be repeated.

import type { RandomBytes } from "../../src/abi/ids.ts";

export interface Random {
  readonly seed: number;
  /** A float in [0, 1). */
  next(): number;
  /** A whole number in [0, below). */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
  readonly bytes: RandomBytes;
}

/** mulberry32: small, fast, good enough to choose test cases. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const int = (below: number) => Math.floor(next() * below);
  return {
    seed,
    next,
    int,
    pick: (items) => {
      const item = items[int(items.length)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
    bytes: (length) => Uint8Array.from({ length }, () => int(256)),
  };
}
