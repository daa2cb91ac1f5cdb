// Rewrites arithmetic that the interpreter gets wrong. Each rule returns a replacement for a node, or null if it does not apply. Pure.

import { OWN } from "../programs/internal-words.ts";
import { group, holds, isNode, type Node, onlyCommand, simple, statementOf } from "./nodes.ts";
import type { Rules } from "./rewrite.ts";

/** The interpreter's parser splits `(($1<=2))` into pieces. */
export function compared(node: Node, { parse }: Rules): Node | null {
  const { originalText, expression } = node.expression as Node;
  if ((expression as Node).type !== "ArithSyntaxError") return null;
  const text = String(originalText).replaceAll(/([<>=!]) =/g, "$1= ");
  const again = onlyCommand(parse(`((${text}))`)[0] ?? node);
  if (again === null || ((again.expression as Node).expression as Node).type === "ArithSyntaxError") return null;
  return { ...again, redirections: node.redirections };
}

const NOW = "date +%s";

/** `$EPOCHSECONDS` */
export function now({ parse }: Rules): Node {
  return { type: "CommandSubstitution", body: { type: "Script", statements: parse(NOW) }, legacy: false };
}

function isNow({ type, name }: Node): boolean {
  return type === "ArithVariable" && name === "EPOCHSECONDS";
}

/** `$((1 + $(f)))`: the interpreter would run `f` in an empty shell. */
export function arithmeticPart(part: Node, { parse }: Rules): Node | null {
  const { expression, values } = withoutCommands(part.expression as Node, parse);
  if (values.length === 0) return null;
  const sum = { type: "Word", parts: [{ ...part, expression }] };
  const body = { type: "Script", statements: [...values, statementOf(simple("echo", sum))] };
  return { type: "CommandSubstitution", body, legacy: false };
}

export function arithmeticCommand(command: Node, { parse }: Rules): Node | null {
  const { expression, values } = withoutCommands(command.expression as Node, parse);
  return values.length === 0 ? null : group([...values, statementOf({ ...command, expression })]);
}

/** The source of each `$(…)`, because the interpreter's tree has lost its quotes. Empty if one is in backquotes. */
function commandsIn(text: string): string[] {
  const found: string[] = [];
  if (text.includes("`")) return found;
  for (let from = text.indexOf("$("); from !== -1; from = text.indexOf("$(", from)) {
    let [at, open, quote] = [from + 2, 1, ""];
    for (; at < text.length && open > 0; at++) {
      const letter = text.charAt(at);
      if (letter === "\\" && quote !== "'") at++;
      else if (quote !== "") quote = letter === quote ? "" : quote;
      else if (letter === '"' || letter === "'") quote = letter;
      else if (letter === "(") open++;
      else if (letter === ")") open--;
    }
    if (text.startsWith("$((", from)) return [];
    found.push(text.slice(from + 2, at - 1));
    from = at;
  }
  return found;
}

/** The expression with variables in place of commands, and their assignments. */
function withoutCommands(expression: Node, parse: Rules["parse"]): { expression: Node; values: readonly Node[] } {
  const values: Node[] = [];
  const typed = commandsIn(String(expression.originalText ?? ""));
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== "object" || value === null) return value;
    if (isNode(value) && (value.type === "ArithCommandSubst" || isNow(value))) {
      const name = `${OWN.value}${values.length}`;
      const command = isNow(value) ? NOW : (typed.shift() ?? value.command);
      values.push(...parse(`${name}=$(${command}\n)`));
      return { type: "ArithVariable", name, hasDollarPrefix: true };
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replaced(each)]));
  };
  if (!holds(expression, (node) => node.type === "ArithCommandSubst" || isNow(node))) return { expression, values };
  return { expression: replaced(expression) as Node, values };
}
