// Terminal output of a program as plain text for the agent: no escape sequences, of a progress line its last state. Pure.

import { sanitize } from "../../src/lib/text/sanitize.ts";

const ALTERNATE_SCREEN = "\x1b[?1049h";

export function plainText(output: string): string {
  if (output.includes(ALTERNATE_SCREEN)) return "[full-screen program]";
  return sanitize(output.replace(/\r+\n/g, "\n").replace(/[^\n]*\r/g, ""));
}
