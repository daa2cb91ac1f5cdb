// Numbers of bc: a big integer and the number of its decimal places. Pure.

export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };
export const ONE: Decimal = { digits: 1n, scale: 0 };

export function decimal(value: number | bigint): Decimal {
  return { digits: BigInt(value), scale: 0 };
}

/** Parses any base up to 16; a single letter keeps its value in smaller bases. */
export function decimalFrom(text: string, base: number): Decimal {
  const [whole = "", part = ""] = text.split(".");
  const value = (letter: string) => Math.min(Number.parseInt(letter, 36), text.length === 1 ? 35 : base - 1);
  if (base === 10 && /^[\d.]*$/.test(text)) return { digits: BigInt(whole + part || "0"), scale: part.length };
  let digits = 0n;
  for (const letter of whole) digits = digits * BigInt(base) + BigInt(value(letter));
  let [above, below] = [0n, 1n];
  for (const letter of part) [above, below] = [above * BigInt(base) + BigInt(value(letter)), below * BigInt(base)];
  return { digits: digits * power(part.length) + (above * power(part.length)) / below, scale: part.length };
}

function power(places: number): bigint {
  return 10n ** BigInt(places);
}

/** Truncates to the given places. */
export function scaled({ digits, scale }: Decimal, places: number): Decimal {
  const moved = places >= scale ? digits * power(places - scale) : digits / power(scale - places);
  return { digits: moved, scale: places };
}

export function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { digits: scaled(a, scale).digits + scaled(b, scale).digits, scale };
}

export function negative({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale };
}

export function times(a: Decimal, b: Decimal, scale: number): Decimal {
  const whole = { digits: a.digits * b.digits, scale: a.scale + b.scale };
  return scaled(whole, Math.min(whole.scale, Math.max(scale, a.scale, b.scale)));
}

export function over(a: Decimal, b: Decimal, scale: number): Decimal {
  return { digits: (a.digits * power(scale + b.scale)) / (b.digits * power(a.scale)), scale };
}

export function rest(a: Decimal, b: Decimal, scale: number): Decimal {
  const places = Math.max(scale + b.scale, a.scale);
  const quotient = over(a, b, scale);
  const product = { digits: quotient.digits * b.digits, scale: quotient.scale + b.scale };
  return scaled(plus(a, negative(product)), places);
}

export function raised(a: Decimal, exponent: bigint, scale: number): Decimal {
  if (exponent < 0n) return over(ONE, raised(a, -exponent, a.scale * Number(-exponent)), scale);
  const whole = { digits: a.digits ** exponent, scale: a.scale * Number(exponent) };
  return scaled(whole, Math.min(whole.scale, Math.max(scale, a.scale)));
}

export function root(a: Decimal, scale: number): Decimal {
  const places = Math.max(scale, a.scale);
  const target = scaled(a, places * 2).digits;
  if (target < 2n) return { digits: target, scale: places };
  let guess = 1n << BigInt(Math.ceil(target.toString(2).length / 2));
  for (;;) {
    const next = (guess + target / guess) / 2n;
    if (next >= guess) return { digits: guess, scale: places };
    guess = next;
  }
}

export function compared(a: Decimal, b: Decimal): number {
  const { digits } = plus(a, negative(b));
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

export function shown({ digits, scale }: Decimal, base: number): string {
  const sign = digits < 0n ? "-" : "";
  const bare = digits < 0n ? -digits : digits;
  if (base !== 10) return sign + inBase(bare, scale, base);
  const text = bare.toString().padStart(scale + 1, "0");
  const whole = text.slice(0, text.length - scale).replace(/^0+(?=.)/, "");
  if (scale === 0) return bare === 0n ? "0" : sign + whole;
  return bare === 0n ? "0" : `${sign}${whole === "0" ? "" : whole}.${text.slice(text.length - scale)}`;
}

function inBase(bare: bigint, scale: number, base: number): string {
  const big = BigInt(base);
  const letters: string[] = [];
  const unit = power(scale);
  const letter = (value: bigint) =>
    base <= 16 ? value.toString(base).toUpperCase() : ` ${String(value).padStart(2, "0")}`;
  for (let whole = bare / unit; whole > 0n; whole /= big) letters.unshift(letter(whole % big));
  let output = letters.join("") || (scale === 0 || bare === 0n ? "0" : "");
  if (scale === 0 || bare === 0n) return output;
  output += ".";
  let part = bare % unit;
  for (let reached = 1n; reached < unit; reached *= big) {
    part *= big;
    output += letter(part / unit);
    part %= unit;
  }
  return output;
}

export const HOLDS: { readonly [sign: string]: (order: number) => boolean } = {
  "<": (order) => order < 0,
  ">": (order) => order > 0,
  "<=": (order) => order <= 0,
  ">=": (order) => order >= 0,
  "==": (order) => order === 0,
  "!=": (order) => order !== 0,
};

export function truth(value: boolean): Decimal {
  return value ? ONE : ZERO;
}
