// Expansions within arithmetic: the interpreter knows few and takes the others for 0. As in bash, the text is expanded first and the result is
// then an expression. Pure.

import { OWN } from "../programs/internal-words.ts";
import { group, holds, isNode, literalName, type Node, simple, statementOf } from "./nodes.ts";
import type { Rules } from "./rewrite.ts";

/** What the interpreter gets right in braces. */
const KNOWN = /^(?:\d+|#|[#!]?[A-Za-z_]\w*|#\w+\[[@*]\]|[A-Za-z_]\w*\[(?:\w+|\$[A-Za-z_]\w*)\]|[A-Za-z_]\w*:?[-+]\d+)$/;
/** `last[${#last[@]}-1]`, `next[$((at+1))]` */
const COUNTED = /^(\w+)\[(.*\$(?:\{#|\(\().*)\]$/s;
/** Commands whose other words change no variable that an expression could read. */
const PLAIN = new Set([
  "echo",
  "printf",
  "local",
  "declare",
  "typeset",
  "export",
  "return",
  "exit",
  "shift",
  "test",
  "[",
]);

type Parsing = Pick<Rules, "parse">;

function isUnknown(expression: Node): boolean {
  const text = String(expression.originalText ?? "");
  if (!text.includes("${") || /[`\\]|\$\((?!\()/.test(text)) return false;
  return holds(expression, ({ type, content }) => {
    if (type === "ArithBracedExpansion") return !KNOWN.test(String(content));
    return type === "ArithSyntaxError";
  });
}

/** `${x}` is `$x`, which may be hexadecimal or an expression. */
export function bracedVariable({ content }: Node): Node | null {
  return /^[A-Za-z_]\w*$/.test(String(content))
    ? { type: "ArithVariable", name: content, hasDollarPrefix: true }
    : null;
}

/** `$((${count[$name]:-0} + 1))`, in a shell of its own. */
export function expandedPart(part: Node, { parse }: Parsing): Node | null {
  const expression = part.expression as Node;
  if (!isUnknown(expression)) return null;
  const sum = { type: "Word", parts: [{ ...part, expression: variable(OWN.value) }] };
  const body = {
    type: "Script",
    statements: [...assigned(OWN.value, expression, parse), statementOf(simple("echo", sum))],
  };
  return { type: "CommandSubstitution", body, legacy: false };
}

/** `((${count[$name]:-0} > 1))` */
export function expandedCommand(command: Node, { parse }: Parsing): Node | null {
  const expression = command.expression as Node;
  if (!isUnknown(expression)) return null;
  const changed = { ...command, expression: variable(OWN.value), redirections: [] };
  return group(
    [...assigned(OWN.value, expression, parse), statementOf(changed)],
    (command.redirections ?? []) as readonly Node[],
  );
}

/** The same in the words of a command, in the shell itself: the expression may assign variables. */
export function expandedFirst(command: Node, { parse }: Parsing): Node | null {
  const { name, assignments, args } = command as Node & { readonly [key: string]: readonly Node[] | null };
  const isPlain = name === null ? (assignments ?? []).length === 1 : PLAIN.has(literalName(command) ?? "");
  const isSafe = isPlain && !holds([assignments, args], ({ type }) => type === "CommandSubstitution");
  if ((assignments ?? []).length > 1) return null;
  const before: Node[] = [];
  const changed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(changed);
    if (!isNode(value)) return value;
    const [, array, subscript] = COUNTED.exec(String(value.parameter ?? "")) ?? [];
    if (array !== undefined) {
      const place = `${OWN.value}${before.length}_`;
      before.push(...assigned(place, { type: "", originalText: subscript }, parse));
      return { ...value, parameter: `${array}[${place}]` };
    }
    if (isSafe && value.type === "ArithmeticExpansion" && isUnknown(value.expression as Node)) {
      const place = `${OWN.value}${before.length}_`;
      before.push(...assigned(place, value.expression as Node, parse));
      return { ...value, expression: variable(place) };
    }
    if (!["Word", "DoubleQuoted", "Assignment"].includes(value.type)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, changed(each)]));
  };
  const inside = { ...command, assignments: changed(assignments), args: changed(args) };
  return before.length === 0 ? null : group([...before, statementOf(inside)]);
}

function assigned(name: string, { originalText }: Node, parse: Rules["parse"]): readonly Node[] {
  return parse(`${name}="${String(originalText).replaceAll('"', "")}"`);
}

function variable(name: string): Node {
  return { type: "ArithmeticExpression", expression: { type: "ArithVariable", name }, originalText: name };
}
