// `select`, which the interpreter does not parse: in the text it becomes a `for` over a marked name, and in the tree a loop that asks.

import { OWN } from "../programs/internal-words.ts";
import { group, type Node } from "./nodes.ts";
import type { Rules } from "./rewrite.ts";

const REFUSED = /syntax error near unexpected token `select'$/;
const HEAD = /^select(\s+)(?=[A-Za-z_])/;

/** A text that the interpreter can parse. `parse` throws on a syntax error. */
export function withoutSelect(text: string, parse: (text: string) => unknown): string {
  if (!/\bselect\b/.test(text)) return text;
  for (let changed = text; ; ) {
    try {
      parse(changed);
      return changed;
    } catch (error) {
      const next = menuAt(changed, error as Mistake);
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
function menuAt(text: string, { message, line = 0, column = 0 }: Mistake): string | null {
  const lines = text.split("\n");
  const written = lines[line - 1];
  if (!REFUSED.test(message) || written === undefined) return null;
  const at = column - 1 + (/^\s*/.exec(written)?.[0].length ?? 0);
  const [head, blank = " "] = HEAD.exec(written.slice(at)) ?? [];
  if (head === undefined) return null;
  const changed = `${written.slice(0, at)}for${blank}${OWN.select}${written.slice(at + head.length)}`;
  return lines.with(line - 1, changed).join("\n");
}

/** Restores `select` in a text that is printed or run again. */
export function withSelect(text: string): string {
  return text.replaceAll(`for ${OWN.select}`, "select ");
}

/** The loop of a menu; null for any other `for`. The menu is shown at first and after an empty line. */
export function menuLoop(node: Node, { parse, nextChain }: Rules): Node | null {
  const name = String(node.variable);
  if (!name.startsWith(OWN.select)) return null;
  const [variable, items] = [name.slice(OWN.select.length), `${OWN.menu}${nextChain()}`];
  const [shown, over, place] = [`${items}_shown`, `${items}_over`, `${items}_place`];
  const [begin, ...rest] = parse(`${items}=("$@")
    ${shown}=; ${over}=0
    while [ "\${#${items}[@]}" -gt 0 ]; do
      [ -n "$${shown}" ] || ${OWN.menu} "\${COLUMNS-}" "\${${items}[@]}" >&2
      ${shown}=1
      printf %s "\${PS3-#? }" >&2
      if read; then :; else echo; ${over}=1; break; fi
      if [ -z "$REPLY" ]; then ${shown}=; continue; fi
      ${variable}=
      case $REPLY in
        [0-9]|[0-9][0-9]|[0-9][0-9][0-9]|[0-9][0-9][0-9][0-9])
          if [ "$REPLY" -ge 1 ] && [ "$REPLY" -le "\${#${items}[@]}" ]; then
            ${place}=$((10#$REPLY - 1)); ${variable}=\${${items}[${place}]}
          fi ;;
      esac
    done
    [ "$${over}" = 0 ]`);
  const filled = node.words === null ? begin : withWords(begin, node.words);
  const whole = rest.map((statement) => withBody(statement, node.body as readonly Node[]));
  return group([filled as Node, ...whole], node.redirections as readonly Node[]);
}

function withWords(statement: unknown, words: unknown): Node {
  return inCommand(statement as Node, (command) => {
    const [assignment] = command.assignments as readonly Node[];
    return { ...command, assignments: [{ ...assignment, array: words }] };
  });
}

function withBody(statement: Node, body: readonly Node[]): Node {
  return inCommand(statement, (command) =>
    command.type === "While" ? { ...command, body: [...(command.body as readonly Node[]), ...body] } : command,
  );
}

function inCommand(statement: Node, change: (command: Node) => Node): Node {
  const pipelines = (statement.pipelines as readonly Node[]).map((pipeline) => ({
    ...pipeline,
    commands: (pipeline.commands as readonly Node[]).map(change),
  }));
  return { ...statement, pipelines };
}
