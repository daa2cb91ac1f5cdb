// Implements the traps ERR (after an unchecked failure), DEBUG (before each command) and RETURN (at the end of a function). The interpreter
// lacks them, so a script that sets one is rewritten to check at these places. As in bash, functions, subshells and substitutions inherit
// them only under `set -E` and `set -T`. Pure.

import { isInternal, OWN, SHELL_FLAG } from "../programs/internal-words.ts";
import {
  choice,
  group,
  holds,
  isNode,
  literal,
  literalName,
  type Node,
  quotedParameter,
  simple,
  statementOf,
  textsIn,
  verbatim,
} from "./nodes.ts";

export interface Events {
  readonly err: boolean;
  readonly debug: boolean;
  readonly returns: boolean;
  /** Functions and subshells inherit the trap. */
  readonly inherited: boolean;
}

/** The traps that a script with these texts may set; null if none. */
export function eventsIn(texts: readonly string[]): Events | null {
  if (!texts.includes("trap")) return null;
  const some = (pattern: RegExp) => texts.some((text) => pattern.test(text));
  const [err, debug, returns] = [some(/^(?:SIG)?ERR$/i), some(/^(?:SIG)?DEBUG$/i), some(/^(?:SIG)?RETURN$/i)];
  if (!err && !debug && !returns) return null;
  return { err, debug, returns, inherited: some(/^-\w*[ET]\w*$|errtrace|functrace/) };
}

interface Watch extends Events {
  readonly errexit: boolean;
  readonly functions: ReadonlyMap<string, Node>;
  readonly shell: number;
  /** The script uses PIPESTATUS. */
  readonly statuses: boolean;
  readonly parse: (text: string) => readonly Node[];
}

/** Reports a failure of a simple command; the parts of a compound report their own. */
const TELLING = new Set(["SimpleCommand", "Subshell", "ArithmeticCommand", "ConditionalCommand"]);
const CLOSED = new Set(["FunctionDef", "Subshell", "CommandSubstitution", "ProcessSubstitution"]);

export function watched(value: unknown, watch: Watch, asked = false): unknown {
  if (Array.isArray(value)) return value.map((each) => watched(each, watch, asked));
  if (typeof value !== "object" || value === null) return value;
  if (!isNode(value)) return clause(value as { readonly [key: string]: unknown }, watch, asked);
  const isOwn = () => value.type !== "FunctionDef" && holds(value, (node) => literalName(node) === "trap");
  if (value.type === "For" && watch.debug) return { ...rounds(value, watch, asked) };
  if (value.type === "FunctionDef" && watch.returns && (watch.inherited || isSetIn(value)))
    return returning(bodyOf(value, watch), watch);
  if (CLOSED.has(value.type) && !watch.inherited && !isOwn()) return value;
  // The stages of a pipe are subshells.
  if (value.type === "Pipeline" && (value.commands as readonly Node[]).length > 1 && !watch.inherited) return value;
  // Skip the restored state in front.
  if (value.type === "Group" && textsIn(value.redirections).some(isInternal)) return value;
  const isClosed = CLOSED.has(value.type);
  const inside = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      watched(each, watch, isClosed ? false : asked || key === "condition"),
    ]),
  );
  return value.type === "Statement" ? statement(inside as unknown as Node, watch, asked) : inside;
}

/** DEBUG also runs before each iteration of `for`. */
function rounds(loop: Node, watch: Watch, asked: boolean): Node {
  const body = watched(loop.body, watch, asked) as readonly Node[];
  const words = (loop.words ?? []) as readonly Node[];
  const round = {
    type: "SimpleCommand",
    name: literal("for"),
    args: [literal(String(loop.variable)), literal("in"), ...words],
  };
  return { ...loop, body: [...happened(OWN.comes, { type: "Pipeline", commands: [round] }, watch, true), ...body] };
}

function isSetIn(definition: Node): boolean {
  return holds(
    definition,
    (node) => literalName(node) === "trap" && textsIn(node.args).some((text) => text.includes("RETURN")),
  );
}

function bodyOf(definition: Node, watch: Watch): Node {
  const { err, debug } = watch;
  return err || debug
    ? { ...definition, body: watched(definition.body, { ...watch, returns: false }, false) }
    : definition;
}

/** A function that runs RETURN at its end or on `return`. */
function returning(definition: Node, watch: Watch): Node {
  const left = (status: Node, line: unknown): Node => {
    const pipeline = {
      type: "Pipeline",
      commands: [{ type: "SimpleCommand", name: literal("return"), args: [status], line }],
    };
    return group([
      ...happened(OWN.returns, pipeline, watch, false, status),
      statementOf(simple("return", quotedParameter(OWN.before))),
    ]);
  };
  const leaving = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(leaving);
    if (typeof value !== "object" || value === null) return value;
    if (isNode(value) && CLOSED.has(value.type)) return value;
    const [status = quotedParameter("?")] =
      isNode(value) && literalName(value) === "return" ? (value.args as readonly Node[]) : [];
    if (isNode(value) && literalName(value) === "return") return left(status, value.line);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, leaving(each)]));
  };
  const body = leaving(definition.body) as Node;
  const end = statementOf(left(quotedParameter("?"), definition.line));
  const isPlain = body.type === "Group" && (body.redirections as readonly unknown[]).length === 0;
  return {
    ...definition,
    body: isPlain ? { ...body, body: [...(body.body as readonly Node[]), end] } : group([statementOf(body), end]),
  };
}

/** A failing condition of `if` is not an error. */
function clause(value: { readonly [key: string]: unknown }, watch: Watch, asked: boolean): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, watched(each, watch, asked || key === "condition")]),
  );
}

function statement(node: Node, watch: Watch, asked: boolean): Node {
  if (node.background === true) return node;
  const pipelines = node.pipelines as readonly Node[];
  const changed = pipelines.map((pipeline, at) => {
    const isLast = at === pipelines.length - 1;
    const sourced = watch.returns && readsFile(pipeline) ? returned(pipeline, watch) : pipeline;
    const before = watch.debug && tells(pipeline) ? debugged(sourced, watch) : sourced;
    return watch.err && isLast && !asked && tells(pipeline) && mayFail(pipeline) && pipeline.negated !== true
      ? { ...pipeline, commands: [failing(pipeline, before, watch)], timed: false }
      : before;
  });
  return { ...node, pipelines: changed };
}

function readsFile({ commands }: Node): boolean {
  const [command, more] = commands as readonly Node[];
  return more === undefined && command !== undefined && [".", "source"].includes(literalName(command) ?? "");
}

/** A sourced file returns like a function. */
function returned(pipeline: Node, watch: Watch): Node {
  const read = alone({ ...pipeline, negated: false });
  return { ...pipeline, commands: [group([read, ...happened(OWN.returns, pipeline, watch)])], timed: false };
}

function tells({ commands }: Node): boolean {
  const [command, more] = commands as readonly Node[];
  if (more !== undefined) return true;
  return command !== undefined && TELLING.has(command.type) && !isInternal(literalName(command) ?? "");
}

/** After a failure, `status=$?` alone would report it again: the interpreter keeps the status. */
function mayFail({ commands }: Node): boolean {
  const [command] = commands as readonly Node[];
  if (command?.type !== "SimpleCommand" || command.name !== null) return true;
  return holds(command, ({ type }) => type === "CommandSubstitution");
}

function alone(pipeline: Node): Node {
  return { type: "Statement", pipelines: [pipeline], operators: [], background: false };
}

function failing(original: Node, pipeline: Node, watch: Watch): Node {
  const [command] = original.commands as readonly Node[];
  const name = command === undefined ? null : literalName(command);
  const then = happened(OWN.failed, original, watch);
  // Under set -e, a failure in a condition does not end the script, nor does one in a function called there.
  const isFunction = name !== null && watch.functions.has(name);
  if ((!watch.errexit || isFunction) && watch.statuses) return group(withStatuses(original, pipeline, watch));
  if (!watch.errexit || isFunction) return group([alone(pipeline), ...then]);
  return choice([alone(pipeline)], [statementOf(simple(":"))], then);
}

/** Keeps PIPESTATUS over the trap. */
function withStatuses(original: Node, pipeline: Node, watch: Watch): readonly Node[] {
  const kept = OWN.piped;
  const then = happened(OWN.failed, original, watch, false, quotedParameter(`${kept}[0]`));
  const restored = watch.parse(`__just_bash_tee_restore "\${${kept}[@]:1}"`);
  return [alone(pipeline), ...watch.parse(`${kept}=("$?" "\${PIPESTATUS[@]}")`), ...then, ...restored];
}

function debugged(pipeline: Node, watch: Watch): Node {
  const before = happened(OWN.comes, pipeline, watch);
  return { ...pipeline, commands: [group([...before, alone({ ...pipeline, negated: false })])], timed: false };
}

/** Runs the trap, if any, and restores the status. */
function happened(
  event: string,
  pipeline: Node,
  { shell }: Watch,
  goesOn = event === OWN.comes,
  status = quotedParameter("?"),
): readonly Node[] {
  const [command] = pipeline.commands as readonly Node[];
  const place = quotedParameter("BASHPID", `${SHELL_FLAG}${shell}:`);
  const text = verbatim(String((command as { readonly sourceText?: unknown })?.sourceText ?? wordsOf(command)));
  const trap = simple(event, place, status, literal(String(command?.line ?? 0)), text);
  const handler = statementOf(simple("eval", quotedParameter(OWN.event)));
  const ran = statementOf(choice([handler], [statementOf(simple(":"))], [statementOf(simple(":"))]));
  // After a failure, set -e ends the script; before a command, the status is that at the start of an else branch.
  const further = goesOn ? ([["&&", simple(OWN.status)]] as const) : [];
  return [
    statementOf(choice([statementOf(trap)], [ran], null)),
    statementOf(simple(OWN.status, quotedParameter(OWN.before)), ...further),
  ];
}

/** Literal words only. */
function wordsOf(command: Node | undefined): string {
  if (command?.type !== "SimpleCommand") return "";
  const words = [command.name, ...(command.args as readonly Node[])].filter(isNode);
  const text = (word: Node) => (word.parts as readonly Node[]).map(({ value }) => String(value ?? "…")).join("");
  return words.map(text).join(" ");
}
