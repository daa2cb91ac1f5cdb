// Detects arguments that are not UTF-8. They arrive with U+FFFD in them and would be stored that way.

import { readFileSync } from "node:fs";
import { reveal } from "../lib/text/sanitize.ts";
import { clip } from "../lib/text/truncate.ts";

/** The error for the first argument that is not UTF-8; null if there is none, or the system does not tell. */
export function garbled(argv: readonly string[], raw: Uint8Array | null = rawArguments()): string | null {
  if (raw === null) return null;
  // In Latin-1 each byte is one character.
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
