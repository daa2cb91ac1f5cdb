// The tree of `select`: a `for` over a marked name becomes a loop that asks.

import { OWN } from "../programs/internal-words.ts";
import { group, type Node } from "./nodes.ts";
import type { Rules } from "./rewrite.ts";

/** The loop of a menu; null for any other `for`. The menu is shown at first and after an empty line. */
export function menuLoop(node: Node, { parse, nextNumber }: Rules): Node | null {
  const name = String(node.variable);
  if (!name.startsWith(OWN.select)) return null;
  const [variable, items] = [name.slice(OWN.select.length), `${OWN.menu}${nextNumber()}`];
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
