// Formats values (CONVFMT, printf) and compares them. Pure.

import { Usage } from "../program.ts";
import { numberOf, type Value } from "./values.ts";

const PLACE = /%(?<flags>[-+ #0]*)(?<width>\*|\d*)(?:\.(?<digits>\*|\d*))?(?:hh|h|ll|l|L|q|j|z|t)?(?<kind>[a-zA-Z%])/g;
const EXACT_MAX = 2 ** 53;
const WIDTH_MAX = 1024 * 1024;

interface Form {
  readonly flags: string;
  readonly width: number;
  /** null if not given. */
  readonly digits: number | null;
}

/** `plain` is the format for a number that is used as text. */
export function formatted(format: string, values: readonly Value[], plain: string): string {
  let next = 0;
  return format.replaceAll(PLACE, (whole, ...rest) => {
    const parts = rest.at(-1) as { flags: string; width: string; digits?: string; kind: string };
    if (parts.kind === "%") return "%";
    const asked = parts.width === "*" ? numberOf(values[next++]) : Number(parts.width);
    const precision = parts.digits === "*" ? numberOf(values[next++]) : parts.digits;
    const form: Form = {
      flags: asked < 0 ? `${parts.flags}-` : parts.flags,
      width: Math.abs(asked),
      digits: precision === undefined ? null : Number(precision),
    };
    if (form.width > WIDTH_MAX || (form.digits ?? 0) > WIDTH_MAX)
      throw new Usage("awk: a field of a format is too wide", 2);
    const text = placed(parts.kind, values[next++], form, plain);
    return text ?? whole;
  });
}

function placed(kind: string, value: Value, form: Form, plain: string): string | null {
  switch (kind) {
    case "s": {
      const text = textOf(value, plain);
      return padded(form.digits === null ? text : [...text].slice(0, form.digits).join(""), form);
    }
    case "c":
      return padded(letterOf(value), form);
    case "d":
    case "i":
      return integer(numberOf(value), form);
    case "u":
    case "o":
    case "x":
    case "X":
      return unsigned(kind, numberOf(value), form);
    case "e":
    case "E":
    case "f":
    case "F":
    case "g":
    case "G":
      return fraction(kind, numberOf(value), form);
    default:
      return null;
  }
}

function letterOf(value: Value): string {
  const isNumber = typeof value === "number" || (typeof value === "object" && value.number !== null);
  if (!isNumber) return [...textOf(value, "")][0] ?? "";
  const code = Math.trunc(numberOf(value));
  return code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

function padded(text: string, { flags, width }: Form): string {
  const missing = width - [...text].length;
  if (missing <= 0) return text;
  return flags.includes("-") ? text + " ".repeat(missing) : " ".repeat(missing) + text;
}

/** Zero padding goes between sign and digits. */
function signed(digits: string, isNegative: boolean, form: Form, mayFill = true): string {
  const sign = isNegative ? "-" : form.flags.includes("+") ? "+" : form.flags.includes(" ") ? " " : "";
  const fills = form.flags.includes("0") && !form.flags.includes("-") && mayFill;
  return padded(sign + (fills ? digits.padStart(form.width - sign.length, "0") : digits), form);
}

function integer(number: number, form: Form): string {
  if (!Number.isFinite(number)) return padded(strange(number), form);
  const whole = Math.trunc(number);
  const digits = BigInt(Math.abs(whole))
    .toString()
    .padStart(form.digits ?? 0, "0");
  return signed(digits, whole < 0, form, form.digits === null);
}

function unsigned(kind: string, number: number, form: Form): string {
  if (!Number.isFinite(number)) return padded(strange(number), form);
  const whole = BigInt.asUintN(64, BigInt(Math.trunc(number)));
  const digits = whole.toString(kind === "o" ? 8 : kind === "u" ? 10 : 16).padStart(form.digits ?? 0, "0");
  const marked =
    form.flags.includes("#") && whole !== 0n ? `${{ o: "0", x: "0x", X: "0x" }[kind] ?? ""}${digits}` : digits;
  const text = signed(marked, false, { ...form, flags: form.flags.replaceAll(/[+ ]/g, "") }, form.digits === null);
  return kind === "X" ? text.toUpperCase() : text;
}

function strange(number: number): string {
  return Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

const DIGITS_MAX = 100;

function fraction(kind: string, number: number, form: Form): string {
  if (!Number.isFinite(number)) return padded(strange(number), form);
  const digits = Math.min(form.digits ?? 6, DIGITS_MAX);
  const size = Math.abs(number);
  const lower = kind.toLowerCase();
  let text =
    lower === "f" ? fixed(size, digits) : lower === "e" ? scientific(size, digits) : general(size, digits, form);
  if (kind === "E" || kind === "G") text = text.toUpperCase();
  return signed(text, number < 0 || Object.is(number, -0), form);
}

function fixed(size: number, digits: number): string {
  // toFixed uses exponents from 1e21 on.
  if (size < 1e21) return size.toFixed(digits);
  return BigInt(size).toString() + (digits > 0 ? `.${"0".repeat(digits)}` : "");
}

function scientific(size: number, digits: number): string {
  return size.toExponential(digits).replace(/e([-+])(\d)$/, "e$10$2");
}

function general(size: number, digits: number, { flags }: Form): string {
  const precision = digits === 0 ? 1 : digits;
  const exponent = size === 0 ? 0 : Number(size.toExponential(precision - 1).split("e")[1]);
  const isSmall = exponent < -4 || exponent >= precision;
  const text = isSmall ? scientific(size, precision - 1) : fixed(size, precision - 1 - exponent);
  if (flags.includes("#") || !text.includes(".")) return text;
  return text.replace(/\.?0+(?=e|$)/, "");
}

export function textOf(value: Value, format: string): string {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  if (typeof value !== "number") return value.text;
  if (Number.isInteger(value) && Math.abs(value) < EXACT_MAX) return String(value === 0 ? 0 : value);
  return numberText(value, format);
}

function numberText(value: number, format: string): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return Number.isInteger(value) ? BigInt(value).toString() : formatted(format, [value], format);
}

/** Compares as numbers if both are numeric, else as texts. */
export function compared(a: Value, b: Value, format: string): number {
  const [x, y] = [asNumber(a), asNumber(b)];
  if (x !== null && y !== null) return x - y;
  const [s, t] = [textOf(a, format), textOf(b, format)];
  return s < t ? -1 : s > t ? 1 : 0;
}

function asNumber(value: Value): number | null {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  return typeof value === "string" ? null : value.number;
}
