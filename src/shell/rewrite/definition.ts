// Prints a function as bash's `declare -f`, in a form that can be read back. Pure.

import type { Node } from "./nodes.ts";

const STEP = "    ";

export function definitionText(definition: Node, textOf: (command: Node) => string): string {
  const { name, body } = definition as Node & { readonly name: string; readonly body: Node };
  const lines = ((body.body ?? []) as readonly Node[]).flatMap((statement, at, all) =>
    ended(linesOf(statement, textOf), at < all.length - 1),
  );
  const shown = body.type === "Group" ? lines : [textOf(body)];
  return `${name} () \n{ \n${shown.map((line) => `${STEP}${line}\n`).join("")}}\n`;
}

function linesOf(statement: Node, textOf: (command: Node) => string): readonly string[] {
  const [pipeline, another] = statement.pipelines as readonly Node[];
  const [command, more] = (pipeline?.commands ?? []) as readonly Node[];
  const isOne = another === undefined && more === undefined && pipeline?.negated !== true;
  if (isOne && command?.type === "If" && (command.redirections as unknown[]).length === 0)
    return choiceLines(command, textOf);
  const group = { type: "Group", body: [statement], redirections: [] };
  return textOf(group)
    .replace(/^\{ /, "")
    .replace(/;? \}\s*$/, "")
    .split("\n");
}

function choiceLines(command: Node, textOf: (command: Node) => string): readonly string[] {
  const block = (statements: unknown) =>
    (statements as readonly Node[]).flatMap((each) => ended(linesOf(each, textOf), true)).map((line) => STEP + line);
  const clauses = command.clauses as readonly { readonly condition: readonly Node[]; readonly body: readonly Node[] }[];
  const lines = clauses.flatMap(({ condition, body }, at) => {
    const asked = condition.flatMap((each) => linesOf(each, textOf)).join("; ");
    return [`${at === 0 ? "if" : "elif"} ${asked}; then`, ...block(body)];
  });
  return [...lines, ...(command.elseBody === null ? [] : ["else", ...block(command.elseBody)]), "fi"];
}

/** As in bash, every statement of a body but the last ends with a semicolon. */
function ended(lines: readonly string[], more: boolean): readonly string[] {
  return more ? lines.map((line, at) => (at === lines.length - 1 ? `${line};` : line)) : lines;
}
