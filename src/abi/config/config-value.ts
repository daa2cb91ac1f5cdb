// The values of settings: each has one canonical text, which is stored, compared and printed. Errors name the allowed values.
// Layers are resolved here, too. Pure.

import { SysError } from "../errno.ts";
import { quietHours } from "../notification.ts";
import type { Setting } from "./config.ts";

/** Weakest first. */
const CONFIG_LAYERS = ["default", "system", "user", "environment", "flag"] as const;
export type ConfigLayer = (typeof CONFIG_LAYERS)[number];

const TEXT_CHARS_MAX = 8192;
/** A shorter secret looks like an ordinary word and could not be redacted. */
const SECRET_CHARS_MIN = 8;
const FLAGS: { readonly [text: string]: string } = {
  true: "true",
  on: "true",
  yes: "true",
  "1": "true",
  false: "false",
  off: "false",
  no: "false",
  "0": "false",
};

/** The canonical form of a written value. Throws ECONFIG with the allowed values; never quotes a secret. */
export function canonicalValue(key: string, setting: Setting, written: string): string {
  const text = setting.type === "text" || setting.type === "secret" ? written : written.trim();
  if (text.includes("\u0000") || !text.isWellFormed()) throw wrong(key, "text without NUL and broken characters");
  if (text.length > TEXT_CHARS_MAX) throw wrong(key, `at most ${TEXT_CHARS_MAX} characters long`);
  switch (setting.type) {
    case "int":
      return canonicalInt(key, setting, text);
    case "flag": {
      const value = Object.hasOwn(FLAGS, text.toLowerCase()) ? FLAGS[text.toLowerCase()] : undefined;
      if (value === undefined) throw wrong(key, "true or false", text);
      return value;
    }
    case "choice":
      if (!setting.choices?.includes(text)) throw wrong(key, `one of ${setting.choices?.join(", ")}`, text);
      return text;
    case "json":
      return canonicalJson(key, setting, text);
    case "secret":
      if (text.length < SECRET_CHARS_MIN) throw wrong(key, `at least ${SECRET_CHARS_MIN} characters long`);
      if (keyFault(text) !== null) throw wrong(key, `without ${keyFault(text)}`);
      return text;
    case "text":
      if (setting.isZone && !isZone(text)) throw wrong(key, "the name of a time zone, such as Europe/Berlin", text);
      if (setting.isHours && text !== "" && quietHours(text) === null)
        throw wrong(key, "a span of the day, such as 22:00-07:00", text);
      return text;
  }
}

/** What a key contains that no key does and no header can carry; null if nothing. */
export function keyFault(key: string): string | null {
  if (/[\r\n]/.test(key)) return "line breaks";
  if (/\s/.test(key)) return "blanks";
  if (/["'`]/.test(key)) return "quotes";
  return /[^\x21-\x7e]/.test(key) ? "characters other than ASCII" : null;
}

function isZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

function canonicalInt(key: string, { min = 0, max = Number.MAX_SAFE_INTEGER }: Setting, text: string): string {
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw wrong(key, `a whole number from ${min} to ${max}`, text);
  return String(value);
}

function canonicalJson(key: string, { shape = "object" }: Setting, text: string): string {
  const expected = shape === "array" ? "a JSON array like []" : "a JSON object like {}";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong(key, expected, text);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value) !== (shape === "array")) {
    throw wrong(key, expected, text);
  }
  return JSON.stringify(value);
}

function wrong(key: string, expected: string, got?: string): SysError {
  const shown = got === undefined ? "" : `, not ${JSON.stringify(got.length > 60 ? `${got.slice(0, 59)}…` : got)}`;
  return new SysError("ECONFIG", `${key} must be ${expected}${shown}`, [`current value: gsv config get -v ${key}`]);
}

/** A canonical value as a JSON value. */
export function typedValue({ type }: Setting, text: string): unknown {
  return type === "int" || type === "flag" || type === "json" ? (JSON.parse(text) as unknown) : text;
}

export type LayerTexts = { readonly [L in ConfigLayer]?: string | undefined };

export interface Resolved {
  readonly text: string;
  readonly layer: ConfigLayer;
  /** Layers that set it, weakest first. */
  readonly layers: readonly { readonly layer: ConfigLayer; readonly text: string }[];
}

/** The strongest layer with a valid value wins. Invalid values are ignored. */
export function resolveSetting(key: string, setting: Setting, said: LayerTexts): Resolved {
  const layers = CONFIG_LAYERS.flatMap((layer) => {
    const text = layer === "default" ? setting.fallback : canonicalOrNull(key, setting, said[layer]);
    return text === null ? [] : [{ layer, text }];
  });
  const { text, layer } = layers.at(-1) ?? { text: setting.fallback, layer: "default" };
  return { text, layer, layers };
}

function canonicalOrNull(key: string, setting: Setting, text: string | undefined): string | null {
  if (text === undefined || text === "") return null;
  try {
    return canonicalValue(key, setting, text);
  } catch {
    return null;
  }
}
