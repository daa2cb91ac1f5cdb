// Secrets that must not turn up anywhere, and the ways they could be written down.

import { readdirSync } from "node:fs";
import { join } from "node:path";

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

/** What was looked at, and where values were found in it. */
export class Search {
  readonly hits: string[] = [];

  constructor(private readonly values: readonly string[]) {}

  look(where: string, bytes: Uint8Array | string): void {
    this.hits.push(...found(this.values, bytes).map((form) => `${where}: ${form}`));
  }
}

export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
