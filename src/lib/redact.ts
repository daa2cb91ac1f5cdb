// Secrets kept out of logs: by the shape that keys, tokens and passwords have, wherever they stand. What is redacted stays visible as
// such; everything else stays as it is. Bounded, so that a log row is a row.

const ARGS_CHARS_MAX = 2048;
const SHAPES: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsv|ghp|gho|ghs|github_pat|xox[abprs]|glpat|AKIA|ASIA)[-_A-Za-z0-9]{12,}/g,
  /\b[Bb]earer\s+[-._~+/A-Za-z0-9]{8,}=*/g,
  /\beyJ[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=[a-z][a-z0-9+.-]*:\/\/[^\s/:@]{1,256}:)[^\s/@]{1,256}(?=@)/g,
];
const NAMED =
  /((?:pass(?:word|wd)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie)["']?\s*[:=]\s*["']?)([^\s"',;}]{3,})/gi;

function redactText(text: string): string {
  let clean = text;
  for (const shape of SHAPES) clean = clean.replace(shape, "[redacted]");
  return clean.replace(NAMED, "$1[redacted]");
}

/** A value as one bounded line of JSON without secrets. */
export function redact(value: unknown): string {
  const text = redactText(JSON.stringify(value) ?? "");
  return text.length <= ARGS_CHARS_MAX ? text : `${text.slice(0, ARGS_CHARS_MAX - 1).toWellFormed()}…`;
}
