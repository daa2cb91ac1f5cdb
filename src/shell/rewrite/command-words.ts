// Commands whose name comes from an expansion, such as `"$@"`, `$cmd` and `$(name)`: the interpreter takes the whole expansion for a name. The
// words are put into an array first; without any, the next word is the command.

import { OWN } from "../programs/internal-words.ts";
import { choice, group, holds, isNode, type Node, simple, statementOf } from "./nodes.ts";

type Parse = (text: string) => readonly Node[];

/** null if the name is one word. */
export function withCommandWords(command: Node, parse: Parse): Node | null {
  const { name } = command;
  if (!isNode(name) || !isSplit(name)) return null;
  const array = { type: "Assignment", name: OWN.words, value: null, append: false, array: [name] };
  const bare = { ...command, name: null, args: [], assignments: [], redirections: [] };
  const args = command.args as readonly Node[];
  const [first, ...rest] = wordsOf(parse, `"\${${OWN.words}[0]}" "\${${OWN.words}[@]:1}"`);
  const split = { ...command, name: first, args: [...rest, ...args] };
  const [next, ...others] = args;
  const without = next === undefined ? null : { ...command, name: next, args: others };
  return group([
    statementOf({ ...bare, assignments: [array] }),
    ...parse(`${OWN.split}=$?`),
    statementOf(
      choice(
        [statementOf(simple(OWN.some, ...wordsOf(parse, `"\${#${OWN.words}[@]}"`)))],
        [statementOf(split)],
        without === null ? parse(`(exit $${OWN.split})`) : [statementOf(withCommandWords(without, parse) ?? without)],
      ),
    ),
  ]);
}

/** Whether a word may become several, or none. */
function isSplit({ parts }: Node): boolean {
  return ((parts ?? []) as readonly Node[]).some(
    (part) =>
      part.type === "ParameterExpansion" ||
      part.type === "CommandSubstitution" ||
      (part.type === "DoubleQuoted" &&
        holds(part.parts, ({ type, parameter }) => {
          return type === "ParameterExpansion" && /(?:^|\[)@\]?$/.test(String(parameter));
        })),
  );
}

function wordsOf(parse: Parse, text: string): readonly Node[] {
  const [pipeline] = (parse(`: ${text}`)[0]?.pipelines ?? []) as readonly Node[];
  const [command] = (pipeline?.commands ?? []) as readonly Node[];
  return (command?.args ?? []) as readonly Node[];
}
