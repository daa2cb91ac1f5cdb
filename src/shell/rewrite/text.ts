// Converts between script text and the interpreter's syntax tree.

import { Bash } from "just-bash/browser";
import { type Node, scriptOf } from "./nodes.ts";

let parser: Bash | null = null;

/** Throws on a syntax error. */
export function parse(text: string): readonly Node[] {
  parser ??= new Bash({ defenseInDepth: false, commands: [] });
  const ast: unknown = parser.transform(text).ast;
  return (ast as Node).statements as readonly Node[];
}

export function textOf(command: Node): string {
  return changedText(":", () => scriptOf([command]));
}

export function statementText(statement: Node): string {
  return changedText(":", () => ({ type: "Script", statements: [statement] }));
}

/** The text of a changed tree. */
export function changedText(script: string, change: (ast: Node) => Node): string {
  const writer = new Bash({ defenseInDepth: false, commands: [] });
  writer.registerTransformPlugin({ name: "gsv", transform: ({ ast }) => ({ ast: change(ast as never) as never }) });
  return closed(writer.transform(script).script);
}

/** Puts the end of a here-document on its own line; the interpreter's printer may append a brace. */
function closed(text: string): string {
  const ends = new Set([...text.matchAll(/<<-?\s*['"]?(\w+)/g)].map(([, end = ""]) => end));
  let whole = text;
  for (const end of ends)
    whole = whole.replaceAll(
      new RegExp(`^(\\t*${end})(; \\}| ?\\)|;)`, "gm"),
      (_, word, rest) => `${word}\n${rest.replace(/^; /, "")}`,
    );
  return whole;
}
