// The parts of the interpreter's syntax tree that gsv reads and writes. Pure.

export interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

export function literal(value: string): Node {
  return { type: "Word", parts: [{ type: "Literal", value }] };
}

export function verbatim(value: string): Node {
  return { type: "Word", parts: [{ type: "SingleQuoted", value }] };
}

/** `"text$parameter"`. */
export function quotedParameter(parameter: string, text = ""): Node {
  const before = text === "" ? [] : [{ type: "Literal", value: text }];
  const parts = [...before, { type: "ParameterExpansion", parameter, operation: null }];
  return { type: "Word", parts: [{ type: "DoubleQuoted", parts }] };
}

export function simple(name: string, ...args: readonly Node[]): Node {
  return { type: "SimpleCommand", name: literal(name), args, assignments: [], redirections: [] };
}

function pipelineOf(command: Node): Node {
  return { type: "Pipeline", commands: [command], negated: false, timed: false, timePosix: false };
}

/** Commands joined by `&&` or `||`. */
export function statementOf(command: Node, ...more: readonly (readonly ["&&" | "||", Node])[]): Node {
  const pipelines = [command, ...more.map(([, next]) => next)].map(pipelineOf);
  return { type: "Statement", pipelines, operators: more.map(([operator]) => operator), background: false };
}

export function group(body: readonly Node[], redirections: readonly Node[] = []): Node {
  return { type: "Group", body, redirections };
}

export function choice(condition: readonly Node[], body: readonly Node[], elseBody: readonly Node[] | null): Node {
  return { type: "If", clauses: [{ condition, body }], elseBody, redirections: [] };
}

export function scriptOf(commands: readonly Node[]): Node {
  return { type: "Script", statements: commands.map((command) => statementOf(command)) };
}

/** The name of a command, if it is literal. */
export function literalName({ type, name }: Node): string | null {
  return type === "SimpleCommand" && isNode(name) ? literalText(name) : null;
}

export function literalText(word: Node): string | null {
  const [part, more] = word.parts as readonly Node[];
  return part?.type === "Literal" && more === undefined && typeof part.value === "string" ? part.value : null;
}

/** The command of a statement with a single one. */
export function onlyCommand({ pipelines, background }: Node): Node | null {
  const [pipeline, another] = pipelines as readonly Node[];
  const [command, more] = (pipeline?.commands ?? []) as readonly Node[];
  if (another !== undefined || more !== undefined || command === undefined || background === true) return null;
  return pipeline?.negated === true || pipeline?.timed === true ? null : command;
}

/** Whether any node below matches. */
export function holds(value: unknown, wanted: (node: Node) => boolean): boolean {
  if (Array.isArray(value)) return value.some((each) => holds(each, wanted));
  if (typeof value !== "object" || value === null) return false;
  return (isNode(value) && wanted(value)) || Object.values(value).some((each) => holds(each, wanted));
}

/** Every text below: values, names and sources, without the types of nodes. */
export function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const gather = (each: unknown): void => {
    if (typeof each === "string") texts.push(each);
    else if (Array.isArray(each)) each.forEach(gather);
    else if (typeof each === "object" && each !== null)
      for (const [key, inner] of Object.entries(each)) if (key !== "type") gather(inner);
  };
  gather(value);
  return texts;
}

/** Names in `local -n NAME` and the like. */
export function referencesIn(ast: Node): readonly string[] {
  const names: string[] = [];
  holds(ast, ({ type, args }) => {
    const words = type === "SimpleCommand" ? (args as readonly Node[]) : [];
    for (const [at, word] of words.entries()) {
      const [first] = (words[at + 1]?.parts ?? []) as readonly Node[];
      const name = /^[A-Za-z_]\w*/.exec(String(first?.value ?? ""))?.[0];
      if (literalText(word) === "-n" && name !== undefined) names.push(name);
    }
    return false;
  });
  return names;
}
