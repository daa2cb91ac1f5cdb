// `select` and `coproc`, which the interpreter does not parse: in the text they become marked loops and functions. Pure.

import { OWN } from "../programs/internal-words.ts";

const REFUSED = /syntax error near unexpected token `(select|coproc)'$/;
const MENU = /^select(\s+)(?=[A-Za-z_])/;
const COMPOUND = String.raw`(?:\{\s|\{$|\((?!\()|(?:while|until|for|if|case)\b)`;
const UNNAMED = new RegExp(String.raw`^coproc[ \t]+(?=${COMPOUND})`);
const NAMED = new RegExp(String.raw`^coproc[ \t]+([A-Za-z_]\w*)[ \t]+(?=${COMPOUND})`);
/** A simple command without assignments in front of it. */
const SIMPLE = /^coproc[ \t]+(?=[\w./"'$~:-])(?!\w+\+?=)(?!(?:time|select|function|coproc)\b)/;

/** A text that the interpreter can parse. `parse` throws on a syntax error. */
export function parsable(text: string, parse: (text: string) => unknown): string {
  if (!/\b(?:select|coproc)\b/.test(text)) return text;
  for (let changed = text; ; ) {
    try {
      parse(changed);
      return changed;
    } catch (error) {
      const next = changedAt(changed, error as Mistake);
      // The script is refused as it is written.
      if (next === null) return changed === text || !REFUSED.test((error as Error).message) ? changed : text;
      changed = next;
    }
  }
}

interface Mistake {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Columns do not count the indentation. */
function changedAt(text: string, { message, line = 0, column = 0 }: Mistake): string | null {
  const lines = text.split("\n");
  const written = lines[line - 1];
  if (!REFUSED.test(message) || written === undefined) return null;
  const at = column - 1 + (/^\s*/.exec(written)?.[0].length ?? 0);
  const rest = written.slice(at);
  const changed = rest.startsWith("select") ? menu(rest) : coproc(rest);
  return changed === null ? null : lines.with(line - 1, written.slice(0, at) + changed).join("\n");
}

function menu(rest: string): string | null {
  const [head, blank = " "] = MENU.exec(rest) ?? [];
  return head === undefined ? null : `for${blank}${OWN.select}${rest.slice(head.length)}`;
}

function coproc(rest: string): string | null {
  if (UNNAMED.test(rest)) return rest.replace(UNNAMED, `${OWN.coproc}COPROC() `);
  if (NAMED.test(rest)) return rest.replace(NAMED, (_, name) => `${OWN.coproc}${name}() `);
  return SIMPLE.test(rest) ? rest.replace(SIMPLE, `${OWN.coproc} `) : null;
}

/** Restores both words in a text that is printed or run again. */
export function asWritten(text: string): string {
  return text
    .replaceAll(`for ${OWN.select}`, "select ")
    .replaceAll(new RegExp(`${OWN.coproc}(\\w+) ?\\(\\) ?`, "g"), "coproc $1 ")
    .replaceAll(`${OWN.coproc} `, "coproc ");
}
