// `echo text > file`: the command only prints, so that its file can be opened and written at once when it ends.

import { AT_ONCE } from "../programs/internal-words.ts";
import { holds, isNode, literal, literalName, type Node } from "./nodes.ts";

const RUNS = new Set(["CommandSubstitution", "ProcessSubstitution"]);

/** Neither command reads its stdin. */
const ANNOUNCED = { type: "Redirection", fd: null, operator: "<", target: literal(AT_ONCE) };

/** The same command, that announces it to the files; null if its output may be empty, or if it may do more than print. */
export function printsToFile(command: Node, functions: ReadonlyMap<string, Node>): Node | null {
  const name = literalName(command);
  const [redirection, more] = (command.redirections ?? []) as readonly Node[];
  if (redirection === undefined || more !== undefined || (name !== "echo" && name !== "printf")) return null;
  const { operator, fd, fdVariable, target } = redirection;
  if ((operator !== ">" && operator !== ">>") || !(fd === null || fd === undefined || fd === 1) || fdVariable)
    return null;
  const args = command.args as readonly Node[];
  if (functions.has(name) || !isNode(target) || !isFile(startOf(target))) return null;
  if (!(name === "echo" ? endsLine(args) : formats(args))) return null;
  if (holds([args, target], ({ type }) => RUNS.has(type))) return null;
  return { ...command, redirections: [ANNOUNCED, redirection] };
}

/** Devices have a meaning of their own. */
function isFile(start: string | null): boolean {
  return start !== null && /^(?:[\w.]|\/(?:tmp|home|root|workspaces)\/)/.test(start);
}

/** Without an option such as -n. */
function endsLine([first]: readonly Node[]): boolean {
  return first === undefined || /^[^-]/.test(startOf(first) ?? "-");
}

function formats([first]: readonly Node[]): boolean {
  const [part, more] = (first?.parts ?? []) as readonly Node[];
  const format = more === undefined && part !== undefined ? textOf(part) : null;
  return format !== null && /^(?!-)(?:[^%\\]|%[sd]|\\[nt])+$/.test(format) && format.replaceAll(/%./g, "") !== "";
}

/** The literal text at the start of a word. */
function startOf(word: Node): string | null {
  const [part] = (word.parts ?? []) as readonly Node[];
  const [inner] = part?.type === "DoubleQuoted" ? (part.parts as readonly Node[]) : [part];
  return inner === undefined ? null : textOf(inner);
}

function textOf(part: Node): string | null {
  if (part.type === "DoubleQuoted") {
    const [inner, more] = part.parts as readonly Node[];
    return inner !== undefined && more === undefined ? textOf(inner) : null;
  }
  const isText = (part.type === "Literal" || part.type === "SingleQuoted") && typeof part.value === "string";
  return isText ? (part.value as string) : null;
}
