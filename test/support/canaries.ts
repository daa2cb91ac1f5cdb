// Secrets that must not appear anywhere, and their possible notations.

import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Every form a value may have in a file or on a screen. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  // The next bytes of a longer text share the last character.
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

/** The forms of the values that occur in these bytes. */
export function found(values: readonly string[], bytes: Uint8Array | string): string[] {
  const haystack = Buffer.from(bytes);
  return values.flatMap((value) => formsOf(value).filter((form) => haystack.includes(form)));
}

/** The searched places, and those with a value. */
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
