// Compiles the regular expressions of shell programs. Pure.

import { translated } from "./posix-pattern.ts";
import { Usage } from "./program.ts";

export interface Kind {
  readonly extended: boolean;
  readonly ignoreCase?: boolean;
  readonly flags?: string;
}

export function expression(
  program: string,
  pattern: string,
  { extended, ignoreCase = false, flags = "" }: Kind,
): RegExp {
  return compiled(program, pattern, translated(pattern, extended), `${flags}${ignoreCase ? "i" : ""}`);
}

/** Uses the u flag if the expression allows it, so that characters beyond the BMP count as one. */
export function compiled(program: string, pattern: string, source: string, flags: string): RegExp {
  if (isOpen(pattern)) throw new Usage(`${program}: Invalid regular expression`, 2);
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    try {
      return new RegExp(source, flags);
    } catch {
      throw new Usage(`${program}: ${/\(/.test(pattern) ? "Unmatched ( or \\(" : "Invalid regular expression"}`, 2);
    }
  }
}

/** An unclosed bracket. */
function isOpen(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\./gs, "").replaceAll(/\[\^?\]?(?:\[:[a-z]+:\]|[^\]])*\]/g, "");
  return bare.includes("[");
}
