// Makes the statements on one line of a script one statement, so that an error can end the whole line. Pure.

import { group, holds, type Node, statementOf } from "./nodes.ts";

/** May fail with an error that ends the line. */
const FAILING = new Set(["ArithmeticExpansion", "ParameterExpansion"]);

export function inLines(statements: readonly Node[]): readonly Node[] {
  if (!holds(statements, ({ type, operation }) => FAILING.has(type) && operation !== null)) return statements;
  const lines: Node[][] = [];
  let end: number | null = null;
  for (const statement of statements) {
    const start = lineOf(statement);
    if (start !== null && start === end) lines.at(-1)?.push(statement);
    else lines.push([statement]);
    end = start === null ? null : start + newlinesIn(sourceOf(statement));
  }
  return lines.map((line) => (line.length === 1 ? line[0] : statementOf(group(line))) as Node);
}

/** The first line of a statement; null if it is unknown. */
function lineOf(statement: Node): number | null {
  const [pipeline] = (statement.pipelines ?? []) as readonly Node[];
  const [command] = (pipeline?.commands ?? []) as readonly Node[];
  if (typeof command?.line === "number") return command.line;
  let first: Node | null = null;
  holds(command, (node) => {
    if (node.type === "Statement") first ??= node;
    return first !== null;
  });
  const line = first === null ? null : lineOf(first);
  if (first === null || line === null) return null;
  const at = sourceOf(statement).indexOf(sourceOf(first));
  return at === -1 ? null : line - newlinesIn(sourceOf(statement).slice(0, at));
}

function sourceOf({ sourceText }: Node): string {
  return typeof sourceText === "string" ? sourceText : "";
}

function newlinesIn(text: string): number {
  return text.split("\n").length - 1;
}
