// Budgets: limits of money, tokens and run time. How they are written and read, when one is used up, and
// how much is left. Run time excludes waiting for a person or another process. Pure.

import { SysError } from "../errno.ts";
import { exactUsd, usdText } from "./money.ts";

export interface Amounts {
  readonly micros: number;
  readonly tokens: number;
  readonly ms: number;
}

export type Dimension = keyof Amounts;
const DIMENSIONS = ["micros", "tokens", "ms"] as const satisfies readonly Dimension[];

export type Limits = { readonly [D in Dimension]: number | null };

export const NOTHING: Amounts = { micros: 0, tokens: 0, ms: 0 };
export const UNLIMITED: Limits = { micros: null, tokens: null, ms: null };
/** The owner is warned from this share on. */
export const WARN_SHARE = 0.8;

/** A new budget in place of the old one, a raise, or its removal. */
export type BudgetChange =
  | { readonly kind: "set"; readonly limits: Limits }
  | { readonly kind: "raise"; readonly by: Amounts }
  | { readonly kind: "none" };

const MONEY = /^(\+?)(?:\$([0-9]{1,9}(?:\.[0-9]{1,6})?)|([0-9]{1,9}(?:\.[0-9]{1,6})?)(?:\$|usd))$/i;
const TIME = /^(\+?)([0-9]{1,9})([smhd])$/;
const TOKENS = /^(\+?)([0-9]{1,12}(?:\.[0-9]{1,3})?)(?:(k|M)(?: ?tokens)?| ?tokens)$/;
const BARE = /^\+?[0-9]{1,9}(?:\.[0-9]{1,6})?$/;
const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const HINT = "for example '$2,30m,200k' (money, run time, tokens; quoted); + raises the current one";

/** `$2,30m,200k`, `+$1`, `none`. Throws EINVAL with an example. */
export function budgetWritten(text: string): BudgetChange {
  const written = text.trim();
  if (written === "none") return { kind: "none" };
  const said: { [D in Dimension]?: number } = {};
  const raises = new Set<boolean>();
  for (const part of written.split(",")) {
    const { dimension, amount, raise } = partOf(part.trim());
    if (said[dimension] !== undefined) throw wrong(`${NAMES[dimension]} is given twice`);
    said[dimension] = amount;
    raises.add(raise);
  }
  if (raises.size > 1) throw wrong("either every part begins with + or none does");
  return raises.has(true)
    ? { kind: "raise", by: { ...NOTHING, ...said } }
    : { kind: "set", limits: { ...UNLIMITED, ...said } };
}

const NAMES: { readonly [D in Dimension]: string } = { micros: "money", tokens: "tokens", ms: "run time" };

interface Part {
  readonly dimension: Dimension;
  readonly amount: number;
  readonly raise: boolean;
}

function partOf(part: string): Part {
  const found = moneyOf(part) ?? timeOf(part) ?? tokensOf(part);
  if (found === null) {
    // A shell replaces an unquoted $2 with nothing.
    if (part === "") throw wrong("one part is empty");
    // Not money: a shell turns an unquoted $10.50 into 0.50.
    if (BARE.test(part))
      throw wrong(
        `${part} of what? money is '${part.startsWith("+") ? "+$" : "$"}${part.replace("+", "")}', in quotes`,
      );
    throw wrong(`${JSON.stringify(part.length > 40 ? `${part.slice(0, 39).toWellFormed()}…` : part)} is no amount`);
  }
  if (found.amount <= 0 || !Number.isSafeInteger(found.amount))
    throw wrong("an amount is more than nothing, and no more than can be counted");
  return found;
}

function moneyOf(part: string): Part | null {
  const [, plus, before, after] = MONEY.exec(part) ?? [];
  const usd = before ?? after;
  if (usd === undefined) return null;
  return { dimension: "micros", amount: scaled(usd, 6), raise: plus === "+" };
}

function timeOf(part: string): Part | null {
  const [, plus, count, unit] = TIME.exec(part) ?? [];
  if (count === undefined) return null;
  return { dimension: "ms", amount: Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS], raise: plus === "+" };
}

function tokensOf(part: string): Part | null {
  const [, plus, count, unit] = TOKENS.exec(part) ?? [];
  if (count === undefined) return null;
  const amount = unit === undefined ? Number(count) : scaled(count, unit === "k" ? 3 : 6);
  return { dimension: "tokens", amount, raise: plus === "+" };
}

/** Moves the decimal point in the text, so nothing is rounded. */
function scaled(decimal: string, places: number): number {
  const [whole = "", fraction = ""] = decimal.split(".");
  return Number(whole + fraction.padEnd(places, "0"));
}

function wrong(what: string): SysError {
  return new SysError("EINVAL", `invalid budget: ${what}`, [HINT]);
}

/** A budget without + and none. */
export function budgetStated(text: string): Limits {
  const change = budgetWritten(text);
  if (change.kind === "set") return change.limits;
  throw wrong(change.kind === "raise" ? "there is nothing to raise here" : "leave it out, and there is none");
}

/** null if removed. Throws if there is no limit to raise. */
export function changed(before: Limits | null, change: BudgetChange): Limits | null {
  if (change.kind === "none") return null;
  if (change.kind === "set") return change.limits;
  const missing = DIMENSIONS.find((each) => change.by[each] > 0 && (before?.[each] ?? null) === null);
  if (missing !== undefined)
    throw new SysError("EINVAL", `no budget of ${NAMES[missing]} to raise`, ["to set one, leave out the +"]);
  return mapped((each) => {
    const limit = before?.[each] ?? null;
    return limit === null ? null : limit + change.by[each];
  });
}

/** In the form that budgetWritten reads. */
export function budgetText(limits: Limits): string {
  const parts = DIMENSIONS.flatMap((each) => {
    const limit = limits[each];
    return limit === null ? [] : [AS_WRITTEN[each](limit)];
  });
  return parts.join(",") || "none";
}

const AS_WRITTEN: { readonly [D in Dimension]: (amount: number) => string } = {
  micros: (micros) => exactUsd(micros).replace(/\.00$/, ""),
  tokens: (tokens) => (tokens % 1000 === 0 ? `${tokens / 1000}k` : `${tokens} tokens`),
  ms: (ms) => {
    const unit = (["d", "h", "m"] as const).find((each) => ms % UNIT_MS[each] === 0 && ms >= UNIT_MS[each]) ?? "s";
    return `${Math.ceil(ms / UNIT_MS[unit])}${unit}`;
  },
};

/** `$0.07 of $0.50`, for each limit. */
export function usedText(limits: Limits, used: Amounts): string {
  const parts = DIMENSIONS.flatMap((each) => {
    const limit = limits[each];
    return limit === null ? [] : [`${amountText(each, used[each])} of ${amountText(each, limit)}`];
  });
  return parts.join(", ") || "no bounds";
}

export function amountText(dimension: Dimension, amount: number): string {
  if (dimension === "micros") return usdText(amount);
  if (dimension === "tokens") return `${thousands(amount)} tokens`;
  const seconds = Math.floor(amount / 1000);
  if (seconds < 120) return `${seconds}s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 360) / 10}h`;
}

function thousands(count: number): string {
  if (count < 10_000) return String(count);
  return count < 1_000_000 ? `${Math.floor(count / 1000)}k` : `${Math.floor(count / 10_000) / 100}M`;
}

export function reached(limits: Limits, used: Amounts): Dimension | null {
  return DIMENSIONS.find((each) => limits[each] !== null && used[each] >= limits[each]) ?? null;
}

/** Whether `wanted` fits with the used and reserved amounts. */
export function fits(limits: Limits, used: Amounts, wanted: Amounts): boolean {
  return DIMENSIONS.every((each) => limits[each] === null || used[each] + wanted[each] <= limits[each]);
}

/** The used share of the limit that is closest. */
export function shareOf(limits: Limits, used: Amounts): number {
  return Math.max(0, ...DIMENSIONS.map((each) => (limits[each] === null ? 0 : used[each] / limits[each])));
}

export function plus(left: Amounts, right: Amounts): Amounts {
  return { micros: left.micros + right.micros, tokens: left.tokens + right.tokens, ms: left.ms + right.ms };
}

/** The lower limit of two, per dimension. */
export function narrower(left: Limits, right: Limits): Limits {
  return mapped((each) => {
    const bounds = [left[each], right[each]].filter((bound) => bound !== null);
    return bounds.length === 0 ? null : Math.min(...bounds);
  });
}

export function isBounded(limits: Limits): boolean {
  return DIMENSIONS.some((each) => limits[each] !== null);
}

function mapped(bound: (dimension: Dimension) => number | null): Limits {
  return { micros: bound("micros"), tokens: bound("tokens"), ms: bound("ms") };
}
