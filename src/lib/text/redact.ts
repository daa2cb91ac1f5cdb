// Secrets kept out of logs: by value, in whatever form they were written down, where they are known; and by the shape that keys, tokens
// and passwords have, wherever they stand. What is redacted stays visible as such; everything else stays as it is.

const ARGS_CHARS_MAX = 2048;
const GONE = "[redacted]";
/** What is shorter would be found inside ordinary words. */
const VALUE_CHARS_MIN = 6;
const SHAPES: readonly RegExp[] = [
  /\bgsv_[-A-Za-z0-9_]{16,}/g,
  /\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|xox[abprs]|glpat|AKIA|ASIA)[-_A-Za-z0-9]{12,}/g,
  /\b[Bb]earer\s+[-._~+/A-Za-z0-9]{8,}=*/g,
  /\beyJ[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=[a-z][a-z0-9+.-]*:\/\/[^\s/:@]{1,256}:)[^\s/@]{1,256}(?=@)/g,
];
/** Also inside JSON, where a quote has backslashes before it. */
const NAMED =
  /((?:pass(?:word|wd)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie)\\*["']?\s*[:=]\s*\\*["']?)((?:[^\s"',;}\\]|\\(?!\\*["'])){3,})/gi;

/** The secrets this process knows. One that was taken back stays one. */
export class Redactor {
  private readonly values = new Set<string>();
  private forms: readonly string[] = [];

  add(value: string): void {
    if (value.length < VALUE_CHARS_MIN || this.values.has(value)) return;
    this.values.add(value);
    // The longest first: a form that holds another must not lose only its middle.
    this.forms = [...new Set([...this.forms, ...formsOf(value)])].sort((left, right) => right.length - left.length);
  }

  /** Without the known ones, as it is otherwise: for what people read. */
  known(text: string): string {
    return this.forms.reduce((so, form) => so.replaceAll(form, GONE), text);
  }

  /** Without the known ones and without what looks like one: for what is written down. */
  text(text: string): string {
    let clean = this.known(text);
    for (const shape of SHAPES) clean = clean.replace(shape, GONE);
    return clean.replace(NAMED, `$1${GONE}`);
  }

  /** A value as one bounded line of JSON without secrets. */
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

// Base64 of a longer text holds the value shifted by the bytes before it: the characters that it alone decides are the same everywhere.
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
