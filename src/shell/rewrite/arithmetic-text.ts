// Expansions within arithmetic: the interpreter knows few and takes the others for 0. As in bash, the text is expanded first and the result is
// then an expression. Pure.

import { OWN } from "../programs/internal-words.ts";
import { choice, group, holds, isNode, literalName, type Node, simple, statementOf } from "./nodes.ts";
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

/** `for ((i=0; i<${most:-3}; i++))`: a `while` loop whose condition updates first, except at the first time. */
export function expandedLoop(loop: Node, { parse, nextNumber }: Pick<Rules, "parse" | "nextNumber">): Node | null {
  const [init, condition, update] = [loop.init, loop.condition, loop.update] as readonly (Node | null)[];
  if (![init, condition, update].some((each) => isNode(each) && isUnknown(each))) return null;
  const again = `${OWN.value}again${nextNumber()}`;
  const sum = (expression: Node) => ({ type: "ArithmeticCommand", expression, redirections: [] });
  // A sum of 0 is no failure here.
  const run = (expression: Node | null | undefined) =>
    expression ? [statementOf(sum(expression), ["||", simple(":")])] : [];
  const updated = choice(parse(`[ -n "$${again}" ]`), [...run(update), ...parse(":")], parse(`${again}=1`));
  const asked = statementOf(condition ? sum(condition) : simple(":"));
  const rounds = { type: "While", condition: [statementOf(updated), asked], body: loop.body, redirections: [] };
  return group([...run(init), ...parse(`${again}=`), statementOf(rounds)], loop.redirections as readonly Node[]);
}

/** The texts of offset and length in `${x:${from:-0}:2}`, which the interpreter splits at the first colon; null if it knows them. */
function sliceOf({ type, offset, length }: Node): readonly string[] | null {
  if (type !== "Substring" || !isNode(offset)) return null;
  const [from, rest] = [offset, length].map((each) => (isNode(each) ? String(each.originalText) : null));
  const isCut = rest != null && rest.split("}").length > rest.split("{").length;
  if (!isCut && ![offset, length].some((each) => isNode(each) && isUnknown(each))) return null;
  const text = `${isCut ? String(from).replace(/\}$/, "") : from}${rest == null ? "" : `:${rest}`}`;
  let open = 0;
  for (const [at, letter] of [...text].entries()) {
    if (letter === "{" || letter === "(") open++;
    else if (letter === "}" || letter === ")") open--;
    else if (letter === ":" && open === 0) return [text.slice(0, at), text.slice(at + 1)];
  }
  return [text];
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
    const slice = isNode(value.operation) ? sliceOf(value.operation) : null;
    if (slice !== null) {
      const [offset, length = null] = slice.map((originalText) => {
        const place = `${OWN.value}${before.length}_`;
        before.push(...assigned(place, { type: "", originalText }, parse));
        return variable(place);
      });
      return { ...value, operation: { ...(value.operation as Node), offset, length } };
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
