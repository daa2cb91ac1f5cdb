// Combines grep's patterns into one regular expression. Pure.

import { compiled, translated } from "../expression.ts";
import type { Options } from "../options.ts";

export function matcher(patterns: readonly string[], called: string, flags: Options["flags"]): RegExp {
  const fixed = flags.has("F") || called === "fgrep";
  const extended = flags.has("E") || called === "egrep";
  const source = patterns
    .map((each) => (fixed ? RegExp.escape(each) : flags.has("P") ? each : translated(each, extended)))
    .map((each) => `(?:${each})`)
    .join("|");
  const word = flags.has("w") ? `(?<![\\p{L}\\p{N}_])(?:${source})(?![\\p{L}\\p{N}_])` : source;
  const line = flags.has("x") ? `^(?:${word})$` : word;
  return compiled(
    "grep",
    patterns.join("\n"),
    patterns.length === 0 ? "(?!)" : line,
    `g${flags.has("i") || flags.has("y") ? "i" : ""}`,
  );
}
