// Scripts as the interpreter parses them, changed before they run: a redirection that fails ends its command and not the script, what a
// statement prints is told when the statement ends and not when the script does, `$0` is the name the script was given, and functions can
// be written down again. Pure.

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
  const safe = changed(ast, { name, functions }) as Node;
  return { ast: { ...safe, statements: told(safe.statements as readonly Node[]) }, functions };
}

/** Where statements print to: names that stand for the script's own streams, in no directory. */
export const SINKS = { stdout: "/dev/.gsv/stdout", stderr: "/dev/.gsv/stderr", nowhere: "/dev/.gsv/nowhere" } as const;

/** Compound commands whose parts are told one by one; their words and headers print nothing. */
const PARTS: { readonly [type: string]: readonly string[] } = {
  If: ["clauses", "elseBody"],
  For: ["body"],
  CStyleFor: ["body"],
  While: ["condition", "body"],
  Until: ["condition", "body"],
  Case: ["items"],
  Group: ["body"],
};

function told(statements: readonly Node[]): readonly Node[] {
  return statements.map((statement) => {
    const only = onlyCommand(statement);
    if (only === null) return sunk(statement);
    if (only.type === "FunctionDef" || literalName(only) === "exec") return statement;
    const parts = PARTS[only.type];
    if (parts === undefined || (only.redirections as readonly unknown[]).length > 0) return sunk(statement);
    const inside = Object.fromEntries(parts.map((part) => [part, toldPart(only[part])]));
    return replaced(statement, { ...only, ...inside });
  });
}

/** A list of statements, or of clauses and items that hold lists of them. */
function toldPart(part: unknown): unknown {
  if (!Array.isArray(part)) return part;
  if (part.every((each) => isNode(each) && each.type === "Statement")) return told(part);
  return part.map((each: { readonly [key: string]: unknown }) => ({
    ...each,
    ...(each.condition === undefined ? {} : { condition: toldPart(each.condition) }),
    body: toldPart(each.body),
  }));
}

/** The command of a statement that is nothing but one. */
function onlyCommand({ pipelines, background }: Node): Node | null {
  const [pipeline, another] = pipelines as readonly Node[];
  const [command, more] = (pipeline?.commands ?? []) as readonly Node[];
  if (another !== undefined || more !== undefined || command === undefined || background === true) return null;
  return pipeline?.negated === true || pipeline?.timed === true ? null : command;
}

function replaced(statement: Node, command: Node): Node {
  const [pipeline] = statement.pipelines as readonly Node[];
  return { ...statement, pipelines: [{ ...pipeline, commands: [command] }] };
}

function sunk(statement: Node): Node {
  if (statement.deferredError !== undefined) return statement;
  // A job in the background goes there with its streams.
  if (statement.background === true) return { ...sunk({ ...statement, background: false }), background: true };
  const group = { type: "Group", body: [statement], redirections: [into(1, SINKS.stdout), into(2, SINKS.stderr)] };
  return statementOf(group);
}

function into(fd: number, path: string): Node {
  return {
    type: "Redirection",
    fd,
    operator: ">>",
    target: { type: "Word", parts: [{ type: "Literal", value: path }] },
  };
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
  if (copy.type === "SimpleCommand") return meansProcesses(copy) ? { ...copy, ...asGsv(copy) } : copy;
  return copy.type === "Pipeline" ? { ...copy, commands: (copy.commands as Node[]).map(guarded) } : copy;
}

// `wait` is part of the interpreter, and waits for its own background jobs; with anything but their numbers it is gsv's.
function meansProcesses(command: Node): boolean {
  const args = command.args as readonly Node[];
  return literalName(command) === "wait" && args.length > 0 && !args.every(isJob);
}

function isJob({ parts }: Node): boolean {
  const [part] = parts as readonly Node[];
  if (part?.type === "Literal") return /^[%0-9]/.test(String(part.value));
  return part?.type === "ParameterExpansion" && part.parameter === "!";
}

function asGsv({ name, args }: Node): { readonly name: Node; readonly args: readonly Node[] } {
  const gsv = { type: "Word", parts: [{ type: "Literal", value: "gsv" }] };
  return { name: gsv, args: [name as Node, ...(args as readonly Node[])] };
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

function statementOf(command: Node): Node {
  const pipeline = { type: "Pipeline", commands: [command], negated: false, timed: false, timePosix: false };
  return { type: "Statement", pipelines: [pipeline], operators: [], background: false };
}

export function scriptOf(commands: readonly Node[]): Node {
  return { type: "Script", statements: commands.map(statementOf) };
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}
