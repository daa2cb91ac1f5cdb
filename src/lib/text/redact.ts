// Redacts secrets: known ones by value, in any encoding, and unknown ones by the usual form of keys, tokens
// and passwords. A mark replaces them; all other text is unchanged.

const ARGS_CHARS_MAX = 2048;
const GONE = "[redacted]";
/** Shorter secrets would match parts of ordinary words. */
const VALUE_CHARS_MIN = 6;
const SHAPES: readonly RegExp[] = [
  /\bgsv_[-A-Za-z0-9_]{16,}/g,
  /\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|xox[abprs]|glpat|AKIA|ASIA)[-_A-Za-z0-9]{12,}/g,
  /\b[Bb]earer\s+[-._~+/A-Za-z0-9]{8,}=*/g,
  /\beyJ[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=[a-z][a-z0-9+.-]*:\/\/[^\s/:@]{1,256}:)[^\s/@]{1,256}(?=@)/g,
];
/** Also inside JSON, where quotes are escaped. */
const NAMED =
  /((?:pass(?:word|wd)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie)\\*["']?\s*[:=]\s*\\*["']?)((?:[^\s"',;}\\]|\\(?!\\*["'])){3,})/gi;

/** Keys and tokens by their prefix, in text that people read: strict, so that no ordinary word is taken for one. */
const KEYS: readonly RegExp[] = [
  /\bgsv_[a-z]+_[-A-Za-z0-9_]{16,}/g,
  /\b(?:sk-|pk-|rk-|ghp_|gho_|ghs_|github_pat_|xox[abprs]-|glpat-|AIza)(?=[-_A-Za-z0-9]*\d)[-_A-Za-z0-9]{16,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
];

/** For errors, which quote what was typed: a key in the wrong place is not printed. */
export function withoutKeys(text: string): string {
  return KEYS.reduce((so, shape) => so.replace(shape, GONE), text);
}

/** A word that may be a key without a known prefix: long, of letters and digits. */
export function isLikeKey(word: string): boolean {
  return withoutKeys(word) !== word || (/^[^\s/]{20,}$/.test(word) && /\d/.test(word) && /[A-Za-z]/.test(word));
}

/** The secrets this process knows. Deleted ones stay known. */
export class Redactor {
  private readonly values = new Set<string>();
  private forms: readonly string[] = [];

  add(value: string): void {
    if (value.length < VALUE_CHARS_MIN || this.values.has(value)) return;
    this.values.add(value);
    // Longest first, because a form may contain another one.
    this.forms = [...new Set([...this.forms, ...formsOf(value)])].sort((left, right) => right.length - left.length);
  }

  /** Redacts known secrets: for text that people read. */
  known(text: string): string {
    return this.forms.reduce((so, form) => so.replaceAll(form, GONE), text);
  }

  /** Redacts known secrets and text that looks like one: for logs. */
  text(text: string): string {
    let clean = this.known(text);
    for (const shape of SHAPES) clean = clean.replace(shape, GONE);
    return clean.replace(NAMED, `$1${GONE}`);
  }

  /** A value as one short line of JSON without secrets. */
  line(value: unknown): string {
    const text = this.text(JSON.stringify(value) ?? "");
    return text.length <= ARGS_CHARS_MAX ? text : `${text.slice(0, ARGS_CHARS_MAX - 1).toWellFormed()}…`;
  }
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString("hex");
  const url = encodeURIComponent(value.toWellFormed());
  const strict = url.replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  const json = escaped(value);
  const plain = [value, json, escaped(json), json.replaceAll("/", "\\/"), asciiJson(value)];
  const forms = [
    ...plain,
    hex,
    hex.toUpperCase(),
    ...[url, strict].flatMap((each) => [each, lowerPercent(each), each.replaceAll("%20", "+")]),
    ...[0, 1, 2].flatMap((offset) => base64Within(bytes, offset)),
  ];
  return forms.filter((form) => form.length >= VALUE_CHARS_MIN);
}

// In Base64 of a longer text the value is shifted by the bytes before it. Match the characters that depend on the value alone.
function base64Within(bytes: Buffer, offset: number): string[] {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor((whole.length * 8) / 6);
  return [whole.toString("base64"), whole.toString("base64url")].map((text) => text.slice(from, to));
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function asciiJson(text: string): string {
  return escaped(text).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function lowerPercent(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase());
}
