// `a+=(…)` in time proportional to the new elements: the interpreter would copy and sort the whole array.

import { isInternal, OWN } from "../programs/internal-words.ts";
import { isNode, literalText, type Node } from "../rewrite/nodes.ts";
import type { Interpreter, Methods, Result, ShellArray } from "./interpreter.ts";

/** Elements that know the index after the last one. */
class Elements extends Map<string, string> {
  next = 0;

  override set(index: string, value: string): this {
    this.next = Math.max(this.next, Number(index) + 1);
    return super.set(index, value);
  }

  override delete(index: string): boolean {
    const isDeleted = super.delete(index);
    if (Number(index) + 1 === this.next)
      this.next = [...this.keys()].reduce((most, key) => Math.max(most, Number(key) + 1), 0);
    return isDeleted;
  }

  override clear(): void {
    this.next = 0;
    super.clear();
  }
}

export function withAppends({ executeSimpleCommand }: Methods): Partial<Methods> {
  return {
    async executeSimpleCommand(command, stdin) {
      const run = (each: Node) => executeSimpleCommand.call(this, each, stdin);
      return (await appended(this, command, run)) ?? (await run(command));
    },
  };
}

type Run = (command: Node) => Promise<Result>;

/** null if the command does anything else, or if there is no such array yet. */
async function appended(interpreter: Interpreter, command: Node, run: Run): Promise<Result | null> {
  const [assignment, more] = command.assignments as readonly Node[];
  if (assignment?.append !== true || more !== undefined || command.name !== null) return null;
  const { state, limits } = interpreter.ctx;
  const name = String(assignment.name);
  const array = state.arrays?.get(name);
  if (array?.kind !== "indexed" || state.readonlyVars?.has(name) || state.namerefs?.has(name)) return null;
  if (!isPlain(assignment) || !(command.redirections as readonly Node[]).every(isMark)) return null;
  const result = await run({ ...command, assignments: [{ ...assignment, name: OWN.words, append: false }] });
  const values = [...(state.arrays?.get(OWN.words)?.elements.values() ?? [])];
  state.arrays?.delete(OWN.words);
  // The words may have changed the array.
  const elements = elementsOf(state.arrays?.get(name) ?? array);
  if (elements.size + values.length > limits.maxArrayElements) return await run(command);
  for (const value of values) elements.set(String(elements.next), value);
  return result;
}

function elementsOf(array: ShellArray): Elements {
  if (array.elements instanceof Elements) return array.elements;
  const elements = new Elements();
  for (const [index, value] of array.elements) elements.set(index, value);
  array.elements = elements;
  return elements;
}

/** A list without `[key]=value`. */
function isPlain({ array }: Node): boolean {
  return Array.isArray(array) && !(array as readonly Node[]).some(isKeyed);
}

function isKeyed({ parts }: Node): boolean {
  const [first] = parts as readonly Node[];
  return first?.type === "Glob" && String(first.pattern).startsWith("[");
}

/** A redirection that rewriting has added. */
function isMark({ target }: Node): boolean {
  return isNode(target) && target.type === "Word" && isInternal(literalText(target) ?? "");
}
