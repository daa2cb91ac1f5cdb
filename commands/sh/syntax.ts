// Scripts as the interpreter parses them, changed in three places before they run: a redirection that fails ends its command and not the
// script, `$0` is the name the script was given, and functions can be written down again. Pure.

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Commands that run text of their own, which is parsed later and not changed here. */
const RUN_TEXT = new Set(["eval", "source", ".", "bash", "sh", "xargs", "find", "env", "timeout", "command"]);

export interface Script {
  readonly ast: Node;
  /** Functions it defines, in order; the interpreter's own form. */
  readonly functions: ReadonlyMap<string, Node>;
}

export function prepared(ast: Node, name: string): Script {
  const functions = new Map<string, Node>();
  return { ast: changed(ast, { name, functions }) as Node, functions };
}

interface About {
  readonly name: string;
  readonly functions: Map<string, Node>;
}

function changed(value: unknown, about: About): unknown {
  if (Array.isArray(value)) return value.map((each) => changed(each, about));
  if (typeof value !== "object" || value === null) return value;
  if (isNode(value) && value.type === "ParameterExpansion" && value.parameter === "0" && value.operation === null)
    return { type: "Literal", value: about.name };
  const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, changed(each, about)]));
  if (!isNode(copy)) return copy;
  if (copy.type === "FunctionDef" && typeof copy.name === "string") about.functions.set(copy.name, copy);
  return copy.type === "Pipeline" ? { ...copy, commands: (copy.commands as Node[]).map(guarded) } : copy;
}

// What goes wrong inside braces is a message and a status there; outside it would be the end of everything.
function guarded(command: Node): Node {
  return mayThrow(command) ? groupOf(command) : command;
}

function mayThrow(command: Node): boolean {
  const { redirections } = command;
  // `exec > file` and a function's own redirections mean more than their command, and are left as they are.
  if (command.type === "FunctionDef" || literalName(command) === "exec") return false;
  if (Array.isArray(redirections) && redirections.some(({ operator }) => /[>]/.test(operator))) return true;
  return RUN_TEXT.has(literalName(command) ?? "");
}

function literalName({ type, name }: Node): string | null {
  if (type !== "SimpleCommand" || !isNode(name)) return null;
  const [part, more] = name.parts as Node[];
  return part?.type === "Literal" && more === undefined && typeof part.value === "string" ? part.value : null;
}

function groupOf(command: Node): Node {
  return { type: "Group", redirections: [], body: [statementOf(command)] };
}

export function statementOf(command: Node): Node {
  const pipeline = { type: "Pipeline", commands: [command], negated: false, timed: false, timePosix: false };
  return { type: "Statement", pipelines: [pipeline], operators: [], background: false };
}

export function scriptOf(commands: readonly Node[]): Node {
  return { type: "Script", statements: commands.map(statementOf) };
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
