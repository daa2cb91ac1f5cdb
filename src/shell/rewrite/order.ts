// If both streams of a compound command go to one file, as in `{ …; } > log 2>&1`, keeps stdout and stderr in
// order. The interpreter would put all of stderr after all of stdout. Pure.

import { group, literal, literalName, type Node, onlyCommand, statementOf } from "./nodes.ts";

/** Statement lists of a compound, without its conditions. */
const LISTS: { readonly [type: string]: string } = {
  ...{ Group: "body", Subshell: "body", For: "body", CStyleFor: "body", While: "body", Until: "body" },
};

/** null if it does not apply. */
export function inOrder(node: Node): Node | null {
  const key = LISTS[node.type];
  const all = (node.redirections ?? []) as readonly Node[];
  // A later redirection of stdout does not affect stderr.
  const rest = all.slice(all.findIndex(isJoined) + 1);
  if (key === undefined || node.ordered === true || !all.some(isJoined) || rest.length > 0) return null;
  return { ...node, [key]: (node[key] as readonly Node[]).map(joined), ordered: true };
}

function isJoined({ fd, operator, target }: Node): boolean {
  const [part] = ((target as Node | undefined)?.parts ?? []) as readonly Node[];
  return fd === 2 && operator === ">&" && part?.type === "Literal" && part.value === "1";
}

function joined(statement: Node): Node {
  const only = onlyCommand(statement);
  const name = only === null ? null : literalName(only);
  if (statement.deferredError !== undefined || statement.background === true) return statement;
  if (only?.type === "FunctionDef" || ["exec", "break", "continue", "return", "exit"].includes(name ?? ""))
    return statement;
  const key = only === null ? undefined : LISTS[only.type];
  if (only !== null && key !== undefined && (only.redirections as readonly unknown[]).length === 0)
    return statementOf({ ...only, [key]: (only[key] as readonly Node[]).map(joined) });
  return statementOf(group([statement], [{ type: "Redirection", fd: 2, operator: ">&", target: literal("1") }]));
}
