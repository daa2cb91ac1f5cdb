// Status and errors on stderr, and the one way to print JSON.

import { exitStatusOf, messageOf, SysError } from "../../src/abi/errno.ts";
import { withoutKeys } from "../../src/lib/text/redact.ts";
import { reveal } from "../../src/lib/text/sanitize.ts";
import { displayWidth } from "../../src/lib/text/truncate.ts";
import { wrapWords } from "../../src/lib/text/wrap.ts";
import type { Io, Output } from "../command.ts";

// Characters that a terminal might act on or not show. In JSON they only occur in strings, where an escape means the same.
const UNSAFE_IN_JSON =
  /[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** One line of status on stderr. */
export function note(io: Io, text: string): Promise<void> {
  return io.stderr.write(`${broken(io.stderr, reveal(text), "")}\n`);
}

/** Wraps at words on a terminal, and indents the following lines. */
function broken(output: Output, line: string, indent: string): string {
  if (!output.isTTY || displayWidth(indent + line) <= output.columns) return indent + line;
  return wrapWords(line, output.columns, { first: indent, rest: `${indent}  ` }).join("\n");
}

export async function printError(io: Io, error: unknown, json: boolean): Promise<void> {
  const { code, hints: given } = error instanceof SysError ? error : { code: "EBUG", hints: [] };
  const [message = "", ...hints] = await Promise.all(
    [messageOf(error), ...given].map(async (text) => withoutKeys(await io.conceal(text))),
  );
  if (json) {
    return io.stderr.write(jsonLine({ type: "error", code, message, hints, exit: exitStatusOf(error) }));
  }
  const text = code === "EBUG" ? `internal error: ${message}` : message;
  // Wrong usage: the mistake, and the nearest right form.
  const shown = hints.some((hint) => hint.startsWith("usage: ")) ? hints.slice(0, 1) : hints;
  const lines = [
    broken(io.stderr, `gsv: ${reveal(text)}`, ""),
    ...shown.map((hint) => broken(io.stderr, reveal(hint), "  ")),
  ];
  await io.stderr.write(`${lines.join("\n")}\n`);
}

export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return `${text.replace(UNSAFE_IN_JSON, (match) => escaped(match))}\n`;
}

function escaped(text: string): string {
  let out = "";
  for (let index = 0; index < text.length; index++) {
    out += `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return out;
}
