// Costs of answers in whole millionths of a dollar. Integers only, so that sums do not depend on the order or
// the grouping. Prices are data, in dollars per million tokens. Pure.

import { SysError } from "../errno.ts";

/** Dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** As a server counts them. `input` excludes cached tokens. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The usage that a server reports; a few report the cost, too. */
export type Reported = Tokens & { readonly costUsd?: number };

export interface Charged {
  readonly usage: Tokens & { readonly costUsd: number };
  /** False if the price is unknown: the cost is then 0. */
  readonly priced: boolean;
}

/** The price of a model. */
export interface Rate {
  /** null if unknown. */
  readonly price: Price | null;
  /** Set in ai.prices. */
  readonly isOwn: boolean;
}

export const FREE: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const MILLION = 1_000_000;
/** Far above real prices; keeps sums exact. */
const PRICE_MAX = 1_000_000;

/** The cost of one answer, rounded once to the nearest millionth. */
export function costMicros(price: Price, tokens: Tokens): number {
  // A price has at most six places, so a token costs a whole number of millionths of a millionth.
  const each = (perMillion: number, count: number) => BigInt(Math.round(perMillion * MILLION)) * BigInt(count);
  const total =
    each(price.input, tokens.input) +
    each(price.output, tokens.output) +
    each(price.cacheRead, tokens.cacheRead) +
    each(price.cacheWrite, tokens.cacheWrite);
  return Number((total + 500_000n) / 1_000_000n);
}

/** The configured price wins, then the cost from the server, then gsv's price. */
export function charged({ price, isOwn }: Rate, reported: Reported): Charged {
  const { input, output, cacheRead, cacheWrite, costUsd } = reported;
  const tokens = { input, output, cacheRead, cacheWrite };
  if (costUsd !== undefined && !isOwn) return { usage: { ...tokens, costUsd: usdOf(microsOf(costUsd)) }, priced: true };
  const micros = price === null ? 0 : costMicros(price, tokens);
  return { usage: { ...tokens, costUsd: usdOf(micros) }, priced: price !== null };
}

export function tokensOf({ input, output, cacheRead, cacheWrite }: Tokens): number {
  return input + output + cacheRead + cacheWrite;
}

export function microsOf(usd: number): number {
  return Math.round(usd * MILLION);
}

export function usdOf(micros: number): number {
  return micros / MILLION;
}

/** Exact, with at least two decimals: `$2.00`, `$0.000123`. */
export function exactUsd(micros: number): string {
  const places = String(micros % MILLION)
    .padStart(6, "0")
    .replace(/0{1,4}$/, "");
  return `$${Math.floor(micros / MILLION)}.${places}`;
}

/** For people: in cents from one dollar on, finer below. */
export function usdText(micros: number): string {
  if (micros === 0) return "$0";
  if (micros < 100) return exactUsd(micros);
  return micros < MILLION ? exactUsd(Math.round(micros / 100) * 100) : `$${(micros / MILLION).toFixed(2)}`;
}

/** Keys: `PROVIDER/MODEL`, or `PROVIDER/*` for the other models. */
export type Prices = { readonly [model: string]: Price };

const EXAMPLE = '{"openai/my-model": {"input": 0.5, "output": 1.5}}';

/** The setting `ai.prices`. Throws ECONFIG with an example. */
export function pricesFrom(json: string): Prices {
  const entries = Object.entries(JSON.parse(json) as { readonly [model: string]: unknown });
  return Object.fromEntries(entries.map(([model, said]) => [model, priceFrom(model, said)]));
}

function priceFrom(model: string, said: unknown): Price {
  const shown = model.length > 80 ? `${model.slice(0, 79).toWellFormed()}…` : model;
  if (!/^[^/\s]+\/\S+$/.test(model)) throw wrong(`model names must be PROVIDER/MODEL or PROVIDER/*, not ${shown}`);
  const price = typeof said === "object" && said !== null && !Array.isArray(said) ? said : null;
  if (price === null) throw wrong(`the price of ${shown} must be an object`);
  const { input, output, cacheRead = input, cacheWrite = input, ...rest } = price as Record<string, unknown>;
  const stranger = Object.keys(rest)[0];
  if (stranger !== undefined) throw wrong(`unknown key in a price: ${stranger.slice(0, 40).toWellFormed()}`);
  const amount = (name: string, value: unknown): number => {
    if (typeof value === "number" && value >= 0 && value <= PRICE_MAX) return value;
    throw wrong(`${name} of ${shown} must be dollars per million tokens, from 0 to ${PRICE_MAX}`);
  };
  return {
    input: amount("input", input),
    output: amount("output", output),
    cacheRead: amount("cacheRead", cacheRead),
    cacheWrite: amount("cacheWrite", cacheWrite),
  };
}

function wrong(what: string): SysError {
  return new SysError("ECONFIG", `ai.prices: ${what}`, [`for example ${EXAMPLE}`]);
}

/** The configured price of a model, or null. */
export function priceSet(prices: Prices, model: string): Price | null {
  const all = `${model.split("/")[0]}/*`;
  if (Object.hasOwn(prices, model)) return prices[model]!;
  return Object.hasOwn(prices, all) ? prices[all]! : null;
}
