// Commands that only assign variables. Each rule returns a replacement for a node, or null if it does not apply. Pure.

import { SOURCES } from "../programs/internal-words.ts";
import { group, holds, literal, type Node, statementOf } from "./nodes.ts";

const NOTHING = { type: "Redirection", fd: null, operator: "<", target: literal(`${SOURCES}nothing`) };

/** `false || status=$?` succeeds: the interpreter keeps the status, unless an assignment has a redirection. */
export function succeeding(command: Node): Node | null {
  const { assignments, redirections } = command as Node & { readonly [key: string]: readonly Node[] };
  if (assignments?.length === 0 || (redirections ?? []).length > 0) return null;
  if (holds(assignments, ({ type }) => type === "CommandSubstitution" || type === "ProcessSubstitution")) return null;
  return { ...command, redirections: [NOTHING] };
}

// In order, because one may depend on the one before: IFS=, parts=($list).
export function splitAssignments(command: Node): Node | null {
  const assignments = command.assignments as readonly Node[];
  if (command.name !== null || assignments.length < 2 || !assignments.some(({ name }) => name === "IFS")) return null;
  return group(assignments.map((each) => statementOf({ ...command, assignments: [each] })));
}
