// Rewrites a script before it runs: a failed redirection ends its command and not the script, output is sent after each statement, `$0` is
// the given name, and functions can be printed. Pure.

import { inQuotes } from "../../lib/text/quote.ts";
import { byPath } from "../interpreter/script-file.ts";
import { LIVE, OWN, SENDING, SINKS } from "../programs/internal-words.ts";
import { arithmeticCommand, arithmeticPart, compared, now } from "./arithmetic.ts";
import { bracedVariable, expandedCommand, expandedFirst, expandedLoop, expandedPart } from "./arithmetic-text.ts";
import { elementClosed, isCoproc, simpleCoproc } from "./coprocs.ts";
import { fromDevice } from "./device-input.ts";
import { watched } from "./event-traps.ts";
import { inLines } from "./lines.ts";
import { menuLoop } from "./menus.ts";
import { group, holds, isNode, literal, literalName, type Node, onlyCommand, statementOf, textsIn } from "./nodes.ts";
import { ansiQuotes, quotedPatterns } from "./quotes.ts";
import {
  associative,
  declared,
  defaultAlone,
  draining,
  drainingPipeline,
  ending,
  job,
  list,
  namedHome,
  type Rules,
  simpleCommand,
  withDirectories,
  withSignalTraps,
  withTraps,
  wordOf,
} from "./rewrite.ts";

/** Commands that run other text, which is parsed later and not rewritten here. */
const RUN_TEXT = new Set(["eval", "source", ".", "bash", "sh", "xargs", "find", "env", "timeout", "command"]);

export interface About extends Rules {
  /** The value of `$0`; null for the interpreter's own. */
  readonly name: string | null;
  /** Functions by name; filled here. */
  readonly functions: Map<string, Node>;
  /** Statements print to the script's own streams. */
  readonly sendsOutput: boolean;
  /** A complete typed script. */
  readonly isMain: boolean;
  /** The source file, "" for none; null if it is `$0`. */
  readonly file: string | null;
  /** False if the caller continues afterwards, as after a sourced file. */
  readonly ends?: boolean;
}

export function prepared(ast: Node, given: About): Node {
  collect(ast, given.functions);
  const about = { ...given, at: `${OWN.at}${given.nextNumber()}`, redirected: holds(ast, redirectsErrors) };
  const lined = { ...ast, statements: inLines(ast.statements as readonly Node[]) };
  const watching = about.events === null ? lined : watched(lined, { ...about, ...about.events });
  const safe = changed(watching, about, 0) as Node;
  const after = about.ends === false ? [] : ending(about);
  const statements = [...itself(ast, about), ...(safe.statements as readonly Node[]), ...after];
  return { ...safe, statements: about.sendsOutput ? sending(statements) : statements };
}

/** `exec 2> file` */
function redirectsErrors({ type, name, args, redirections }: Node): boolean {
  if (type !== "SimpleCommand" || !textsIn([name, args]).includes("exec")) return false;
  return (redirections as readonly Node[]).some(({ fd }) => fd === 2);
}

/** Variables that the interpreter does not set. */
function itself(ast: Node, { name, file, at, parse }: Standing): readonly Node[] {
  const known: Node[] = [];
  const place = file === null ? '"$0"' : inQuotes(file);
  if (textsIn(ast).some((text) => text.startsWith("BASH_SOURCE"))) known.push(...parse(`${at}=${place}`));
  if (name !== null && holds(ast, ({ parameter, operation }) => parameter === "0" && isNode(operation)))
    known.push(...parse(`${OWN.zero}=${inQuotes(name)}`));
  return known;
}

// A list of the functions is made before they are defined.
function collect(value: unknown, functions: Map<string, Node>): void {
  if (typeof value !== "object" || value === null) return;
  if (isNode(value) && value.type === "FunctionDef" && typeof value.name === "string" && !isCoproc(value))
    functions.set(value.name, value);
  for (const each of Object.values(value)) collect(each, functions);
}

/** Functions called directly or indirectly. */
export function functionsIn(ast: Node, functions: ReadonlyMap<string, Node>): readonly Node[] {
  const found = new Set<Node>();
  const look = (value: Node) => {
    for (const [name, node] of functions) {
      if (found.has(node) || !holds(value, (each) => literalName(each) === name)) continue;
      found.add(node);
      look(node);
    }
  };
  look(ast);
  return [...found];
}

/** Added at the end of a complete typed script. */
export const UNSET = "\u0001";

/** Compound commands whose parts are sent one by one; their words and headers print nothing. */
const PARTS: { readonly [type: string]: readonly string[] } = {
  If: ["clauses", "elseBody"],
  For: ["body"],
  CStyleFor: ["body"],
  While: ["condition", "body"],
  Until: ["condition", "body"],
  Case: ["items"],
  Group: ["body"],
};

function sending(statements: readonly Node[]): readonly Node[] {
  return statements.map((statement) => {
    const only = onlyCommand(statement);
    if (only === null) return sunk(statement);
    const name = literalName(only);
    if (name === OWN.job)
      return sunk(replaced(statement, { ...only, args: [literal(LIVE), ...(only.args as Node[])] }));
    if (only.type === "FunctionDef" || name === "exec") return statement;
    if (name === OWN.source)
      return replaced(statement, { ...only, args: [literal(SENDING), ...(only.args as Node[])] });
    // Its statements print by themselves.
    if (name === "." && (only.redirections as readonly unknown[]).length === 0) return statement;
    const parts = PARTS[only.type];
    if (parts === undefined || (only.redirections as readonly unknown[]).length > 0) return sunk(statement);
    const inside = Object.fromEntries(parts.map((part) => [part, toldPart(only[part])]));
    return replaced(statement, { ...only, ...inside });
  });
}

/** A list of statements, or of clauses and items that contain some. */
function toldPart(part: unknown): unknown {
  if (!Array.isArray(part)) return part;
  if (part.every((each) => isNode(each) && each.type === "Statement")) return sending(part);
  return part.map((each: { readonly [key: string]: unknown }) => ({
    ...each,
    ...(each.condition === undefined ? {} : { condition: toldPart(each.condition) }),
    body: toldPart(each.body),
  }));
}

function replaced(statement: Node, command: Node): Node {
  const [pipeline] = statement.pipelines as readonly Node[];
  return { ...statement, pipelines: [{ ...pipeline, commands: [command] }] };
}

function sunk(statement: Node): Node {
  if (statement.deferredError !== undefined) return statement;
  return statementOf(group([statement], [into(1, SINKS.stdout), into(2, SINKS.stderr)]));
}

function into(fd: number, path: string): Node {
  return {
    type: "Redirection",
    fd,
    operator: ">>",
    target: { type: "Word", parts: [{ type: "Literal", value: path }] },
  };
}

interface Standing extends About {
  /** The variable with its file. */
  readonly at: string;
  /** `exec` has redirected stderr. */
  readonly redirected: boolean;
}

function changed(value: unknown, about: Standing, depth: number): unknown {
  if (Array.isArray(value)) {
    const all = value.map((each) => changed(each, about, depth));
    return about.signals && isList(all) ? withSignalTraps(all, about) : all;
  }
  if (typeof value !== "object" || value === null) return value;
  if (isNode(value)) {
    const other = partOf(value, about, depth);
    if (other !== null) return other === value ? value : changed(other, about, depth);
  }
  const inner = isNode(value) && value.type === "Subshell" ? depth + 1 : depth;
  const copy = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, changed(each, about, inner)]));
  return isNode(copy) ? whole(copy, about) : copy;
}

function isList(values: readonly unknown[]): values is readonly Node[] {
  return values.length > 0 && values.every((each) => isNode(each) && each.type === "Statement");
}

/** The replacement for a part of a word or command, which is then rewritten in turn; usually null. */
function partOf(node: Node, about: Standing, depth: number): Node | null {
  switch (node.type) {
    case "ParameterExpansion":
      return node.operation === null ? special(node, about, depth) : operated(node, about);
    case "ArithmeticExpansion":
      return expandedPart(node, about) ?? arithmeticPart(node, about);
    case "ArithmeticCommand":
      return compared(node, about) ?? expandedCommand(node, about) ?? arithmeticCommand(node, about);
    case "ArithBracedExpansion":
      return bracedVariable(node);
    case "SimpleCommand":
      return simpleCoproc(node) ?? elementClosed(node) ?? ansiQuotes(node) ?? expandedFirst(node, about);
    case "Statement":
      return node.background === true ? job(node, about) : associative(node, about);
    case "For":
      return ansiQuotes(node) ?? menuLoop(node, about);
    case "CStyleFor":
      return expandedLoop(node, about);
    case "Word":
      return wordOf(node);
    case "Case":
      return quotedPatterns(node);
    case "TildeExpansion":
      return namedHome(node);
    case "DoubleQuoted":
      return defaultAlone(node);
    // The interpreter knows only one of the two operators.
    case "Glob":
      return /(?<!\\)\[!/.test(String(node.pattern))
        ? { ...node, pattern: String(node.pattern).replaceAll(/(?<!\\)\[!/g, "[^") }
        : null;
    default:
      return null;
  }
}

function special(node: Node, about: Standing, depth: number): Node | null {
  const { name } = about;
  if (isFile(node)) return { ...node, parameter: about.at };
  if (node.parameter === "EPOCHSECONDS") return now(about);
  if (node.parameter === "0" && name !== null) return { type: "Literal", value: name };
  if (node.parameter === "!") return { ...node, parameter: OWN.lastJob };
  return node.parameter === "BASH_SUBSHELL" ? { type: "Literal", value: String(depth) } : null;
}

function isFile({ parameter }: Node): boolean {
  return parameter === "BASH_SOURCE" || parameter === "BASH_SOURCE[0]";
}

function operated(node: Node, { name, at, isMain, parse }: Standing): Node | null {
  const { type, word, checkEmpty } = node.operation as Node & { readonly word?: Node | null };
  if (isFile(node)) return { ...node, parameter: at };
  if (type === "Transform") return declared(node, parse);
  if (node.parameter === "0" && name !== null) return { ...node, parameter: OWN.zero };
  // As in bash, the message starts with the parameter.
  if (type === "ErrorIfUnset" && word?.named !== true) {
    const why = { type: "Literal", value: `parameter ${checkEmpty === true ? "null or " : ""}not set` };
    const typed = (word?.parts ?? []) as readonly Node[];
    const message = typed.some(({ type, value }) => type !== "Literal" || value !== "") ? typed : [why];
    const front = { type: "Literal", value: `${isMain ? UNSET : ""}${node.parameter}: ` };
    const whole = { type: "Word", parts: [front, ...message], named: true };
    return { ...node, operation: { ...(node.operation as Node), word: whole } };
  }
  // `${#@}` is `$#`.
  const isLength = (node.operation as Node).type === "Length" && /^[@*]$/.test(String(node.parameter));
  return isLength ? { ...node, parameter: "#", operation: null } : null;
}

function whole(node: Node, about: Standing): Node {
  return jobless(shaped(node, about));
}

/** Rewrites jobs last. */
function jobless(node: Node): Node {
  if (node.type === "Pipeline") return drainingPipeline(node) ?? node;
  return draining(node) ?? node;
}

function shaped(node: Node, about: Standing): Node {
  const ordered = inOrder(node);
  if (ordered !== null) return ordered;
  if (node.type === "Subshell") return withTraps(node, about);
  if (node.type === "For") return withDirectories(node, "words") ?? node;
  if (node.type === "SimpleCommand")
    return withDirectories(node, "args") ?? simpleCommand(node, about) ?? byPath(node) ?? node;
  if (node.type === "Pipeline") {
    const whole = fromDevice(node, about);
    return { ...whole, commands: (whole.commands as readonly Node[]).map((each) => guarded(each, about)) };
  }
  if (node.type !== "Statement") return node;
  return list(node, about);
}

// Inside braces, an error is a message and a status; outside, it would end the script.
function guarded(command: Node, { redirected }: Standing): Node {
  if (!mayThrow(command)) return command;
  // The interpreter prints errors to the script's first stderr, not to the one set by `exec`.
  return group([statementOf(command)], redirected ? [STDERR] : []);
}

const STDERR = { type: "Redirection", fd: 2, operator: ">&", target: literal("2") };

function mayThrow(command: Node): boolean {
  const { redirections } = command;
  // `exec > file` and a function's own redirections outlive the command, so they are not changed.
  if (command.type === "FunctionDef" || literalName(command) === "exec") return false;
  if (Array.isArray(redirections) && redirections.some(({ operator }) => /[>]/.test(operator))) return true;
  return RUN_TEXT.has(literalName(command) ?? "");
}

/** Statement lists of a compound, without its conditions. */
const LISTS: { readonly [type: string]: string } = {
  ...{ Group: "body", Subshell: "body", For: "body", CStyleFor: "body", While: "body", Until: "body" },
};

/**
 * Keeps stdout and stderr in order if both streams of a compound command go to one file, as in `{ …; } > log 2>&1`: the interpreter would
 * put all of stderr after all of stdout. null if it does not apply.
 */
function inOrder(node: Node): Node | null {
  const key = LISTS[node.type];
  const all = (node.redirections ?? []) as readonly Node[];
  // A later redirection of stdout does not affect stderr.
  const rest = all.slice(all.findIndex(isJoined) + 1);
  if (key === undefined || node.ordered === true || !all.some(isJoined) || rest.length > 0) return null;
  return { ...node, [key]: (node[key] as readonly Node[]).map(withStderrJoined), ordered: true };
}

function isJoined({ fd, operator, target }: Node): boolean {
  const [part] = ((target as Node | undefined)?.parts ?? []) as readonly Node[];
  return fd === 2 && operator === ">&" && part?.type === "Literal" && part.value === "1";
}

function withStderrJoined(statement: Node): Node {
  const only = onlyCommand(statement);
  const name = only === null ? null : literalName(only);
  if (statement.deferredError !== undefined || statement.background === true) return statement;
  if (only?.type === "FunctionDef" || ["exec", "break", "continue", "return", "exit"].includes(name ?? ""))
    return statement;
  const key = only === null ? undefined : LISTS[only.type];
  if (only !== null && key !== undefined && (only.redirections as readonly unknown[]).length === 0)
    return statementOf({ ...only, [key]: (only[key] as readonly Node[]).map(withStderrJoined) });
  return statementOf(group([statement], [{ type: "Redirection", fd: 2, operator: ">&", target: literal("1") }]));
}
