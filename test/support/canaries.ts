// Secrets that must not turn up anywhere, and the ways they could be written down.

/** Every form a value may have in a file or on a screen. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  // What comes after it in a longer text has a part in the character that follows.
  const decided = Math.floor((bytes.length * 8) / 6);
  const url = encodeURIComponent(value);
  const json = JSON.stringify(value).slice(1, -1);
  return [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    url,
    url.replaceAll("%20", "+"),
    url.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    bytes.toString("base64").slice(0, decided),
    bytes.toString("base64url").slice(0, decided),
  ];
}

/** Which forms of which values stand in these bytes. */
export function found(values: readonly string[], bytes: Uint8Array | string): string[] {
  const haystack = Buffer.from(bytes);
  return values.flatMap((value) => formsOf(value).filter((form) => haystack.includes(form)));
}
