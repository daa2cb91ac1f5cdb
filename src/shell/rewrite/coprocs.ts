// The tree of `coproc`: a marked function that the engine starts, and `exec {NAME[1]}>&-`, which the interpreter takes for a command. Pure.

import { OWN } from "../programs/internal-words.ts";
import { group, literalName, type Node, statementOf } from "./nodes.ts";

const VARIABLE = /^\{(\w+\[\d+\])\}$/;

/** `coproc COMMAND WORD…`; null for any other command. */
export function simpleCoproc(command: Node): Node | null {
  if (literalName(command) !== OWN.coproc) return null;
  const [name, ...args] = command.args as readonly Node[];
  const body = group([statementOf({ ...command, name, args })]);
  return { type: "FunctionDef", name: `${OWN.coproc}COPROC`, body, redirections: [] };
}

export function isCoproc({ type, name }: Node): boolean {
  return type === "FunctionDef" && String(name).startsWith(OWN.coproc);
}

/** `exec {NAME[1]}>&-`; null for any other command. */
export function elementClosed(command: Node): Node | null {
  if (literalName(command) !== "exec") return null;
  const args = command.args as readonly Node[];
  const redirections = command.redirections as readonly Node[];
  const variables = args.flatMap((word) => VARIABLE.exec(sourceOf(word))?.[1] ?? []);
  const isBare = ({ fd, fdVariable }: Node) => fd === null && fdVariable === undefined;
  if (args.length === 0 || variables.length !== args.length) return null;
  if (redirections.filter(isBare).length !== variables.length) return null;
  const named = redirections.map((each) => (isBare(each) ? { ...each, fdVariable: variables.shift() } : each));
  return { ...command, args: [], redirections: named };
}

function sourceOf({ parts }: Node): string {
  return (parts as readonly Node[]).map(({ value, pattern }) => String(value ?? pattern ?? "")).join("");
}
