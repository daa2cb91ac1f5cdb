// Arguments that are not text. They come to us with U+FFFD in the place of what was not UTF-8, and would be stored that way.

import { readFileSync } from "node:fs";
import { reveal } from "../lib/text/sanitize.ts";
import { clip } from "../lib/text/truncate.ts";

/** One line about the first of `argv` that was not UTF-8 as it was given; null when there is none, or the system does not show it. */
export function garbled(argv: readonly string[], raw: Uint8Array | null = rawArguments()): string | null {
  if (raw === null) return null;
  // Latin 1 gives each byte a character of its own.
  const words = Buffer.from(raw).toString("latin1").split("\0").slice(0, -1).slice(-argv.length);
  const at = words.findIndex((word) => !isText(Buffer.from(word, "latin1")));
  if (at === -1) return null;
  return `gsv: an argument is not UTF-8 text: ${reveal(clip(argv[at] ?? ""))}`;
}

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function rawArguments(): Uint8Array | null {
  try {
    return readFileSync("/proc/self/cmdline");
  } catch {
    return null;
  }
}
