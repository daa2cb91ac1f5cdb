// Math functions of `bc -l` to any number of places. Pure.

import { compared, type Decimal, decimal, negative, ONE, over, plus, root, scaled, times, ZERO } from "./number.ts";

const GUARD = 10;

export const MATH: { readonly [name: string]: (value: Decimal, scale: number) => Decimal } = {
  e: (value, scale) => scaled(exponential(value, scale + GUARD), scale),
  l: (value, scale) => scaled(logarithm(value, scale + GUARD), scale),
  s: (value, scale) => scaled(sine(value, scale + GUARD), scale),
  c: (value, scale) =>
    scaled(sine(plus(value, over(pi(scale + GUARD), decimal(2), scale + GUARD)), scale + GUARD), scale),
  a: (value, scale) => scaled(arctangent(value, scale + GUARD), scale),
};

/** Sums a series until a term is zero. */
function series(first: Decimal, places: number, next: (term: Decimal, at: number) => Decimal): Decimal {
  let [sum, term] = [scaled(first, places), scaled(first, places)];
  for (let at = 1; term.digits !== 0n; at++) {
    term = next(term, at);
    sum = plus(sum, term);
  }
  return scaled(sum, places);
}

function exponential(value: Decimal, places: number): Decimal {
  if (value.digits < 0n) return over(ONE, exponential(negative(value), places), places);
  let [small, halvings] = [scaled(value, places + GUARD), 0];
  while (compared(small, ONE) > 0) {
    small = over(small, decimal(2), places + GUARD);
    halvings++;
  }
  let sum = series(ONE, places + GUARD, (term, at) =>
    over(times(term, small, places + GUARD), decimal(at), places + GUARD),
  );
  for (; halvings > 0; halvings--) sum = scaled(times(sum, sum, places + GUARD), places + GUARD);
  return scaled(sum, places);
}

function logarithm(value: Decimal, places: number): Decimal {
  if (value.digits <= 0n) return { digits: -(10n ** BigInt(places)) + 1n, scale: 0 };
  const work = places + GUARD;
  let [near, doublings] = [scaled(value, work), 1n];
  const [low, high] = [decimal(1), decimal(2)];
  while (compared(near, high) > 0 || compared(over(ONE, near, work), high) > 0 || compared(near, low) < 0) {
    near = root(near, work);
    doublings *= 2n;
    if (doublings > 1n << 20n) break;
    if (compared(near, high) <= 0 && compared(near, { digits: 5n, scale: 1 }) >= 0) break;
  }
  const ratio = over(plus(near, negative(ONE)), plus(near, ONE), work);
  const square = scaled(times(ratio, ratio, work), work);
  let [sum, power] = [ratio, ratio];
  for (let at = 3; power.digits !== 0n; at += 2) {
    power = scaled(times(power, square, work), work);
    sum = plus(sum, over(power, decimal(at), work));
  }
  return scaled({ digits: sum.digits * 2n * doublings, scale: sum.scale }, places);
}

function pi(places: number): Decimal {
  const part = (value: number) => arctangentOfPart(over(ONE, decimal(value), places + GUARD), places + GUARD);
  const sum = plus(
    { ...part(5), digits: part(5).digits * 16n },
    negative({ ...part(239), digits: part(239).digits * 4n }),
  );
  return scaled(sum, places);
}

function sine(value: Decimal, places: number): Decimal {
  const work = places + GUARD;
  const turn = { ...pi(work), digits: pi(work).digits * 2n };
  const turns = scaled(over(value, turn, work), 0);
  const small = scaled(plus(value, negative(times(turn, turns, work))), work);
  const square = negative(scaled(times(small, small, work), work));
  return scaled(
    series(small, work, (term, at) =>
      over(scaled(times(term, square, work), work), decimal(2 * at * (2 * at + 1)), work),
    ),
    places,
  );
}

function arctangent(value: Decimal, places: number): Decimal {
  const work = places + GUARD;
  if (value.digits < 0n) return negative(arctangent(negative(value), places));
  if (compared(value, ONE) > 0) {
    const quarter = over(pi(work), decimal(2), work);
    return scaled(plus(quarter, negative(arctangent(over(ONE, value, work), work))), places);
  }
  if (compared(value, { digits: 3n, scale: 1 }) <= 0)
    return scaled(arctangentOfPart(scaled(value, work), work), places);
  // Compute with half the angle, then double the result.
  const one = plus(ONE, root(plus(ONE, scaled(times(value, value, work), work)), work));
  const half = arctangent(over(value, one, work), work);
  return scaled({ ...half, digits: half.digits * 2n }, places);
}

function arctangentOfPart(value: Decimal, work: number): Decimal {
  const square = negative(scaled(times(value, value, work), work));
  let [sum, power] = [plus(value, ZERO), value];
  for (let at = 3; power.digits !== 0n; at += 2) {
    power = scaled(times(power, square, work), work);
    sum = plus(sum, over(power, decimal(at), work));
  }
  return scaled(sum, work);
}
