// Rewrites what the interpreter lacks or gets wrong: `exit` with traps, jobs with a status, functions visible
// in every subshell. Each rule returns a replacement for a node, or null if it does not apply. Pure.

import { OWN, SHELL_FLAG, WHOLE } from "../programs/internal-words.ts";
import { splitAssignments, succeeding } from "./assignments.ts";
import { withCommandWords } from "./command-words.ts";
import type { Events } from "./event-traps.ts";
import {
  choice,
  group,
  holds,
  literal,
  literalName,
  literalText,
  type Node,
  onlyCommand,
  quotedParameter,
  simple,
  statementOf,
  verbatim,
} from "./nodes.ts";
import { printsToFile } from "./printed-files.ts";

export interface Rules {
  /** Number of this script among nested ones. */
  readonly shell: number;
  /** A trap may be set at exit. */
  readonly traps: boolean;
  /** A trap may be set for a signal. */
  readonly signals: boolean;
  /** Event traps that may be set; null if none. */
  readonly events: Events | null;
  /** The script uses `set -e`. */
  readonly errexit: boolean;
  /** Parses text; throws on a syntax error. */
  readonly parse: (text: string) => readonly Node[];
  /** Prints nodes as text. */
  readonly write: (command: Node) => string;
  readonly functions: ReadonlyMap<string, Node>;
  /** gsv's own commands. */
  readonly commands: ReadonlySet<string>;
  /** A number that no name of the rewritten script contains yet. */
  readonly nextNumber: () => string;
  /** Name references (`local -n`). */
  readonly references: ReadonlySet<string>;
  /** The script uses PIPESTATUS. */
  readonly statuses: boolean;
}

export function simpleCommand(command: Node, rules: Rules): Node | null {
  const name = literalName(command);
  const args = command.args as readonly Node[];
  const [first] = args;
  if (name === null)
    return (
      throughReference(command, rules) ??
      splitAssignments(command) ??
      withCommandWords(command, rules.parse) ??
      succeeding(command)
    );
  if (name === "echo" || name === "printf") return printsToFile(command, rules.functions);
  if (name === "exec" && first !== undefined && !(literalText(first) ?? "").startsWith("-"))
    return replacing(command, rules);
  if (name === "exit" && rules.traps) return leaving(args, rules);
  if (name === "kill" && args.some(isSelf)) return signalling(args, rules);
  if (name === "trap") return { ...command, args: [shellName(rules), ...args] };
  if (name === "wait") return { ...command, name: literal(OWN.wait), args: [shellName(rules), ...args] };
  if ((name === "." || name === "source") && first !== undefined) return sourcing(command, first);
  if (first === undefined) return null;
  if (name === "cd" && args.length === 1 && literalText(first) === "-") return goingBack(command, rules);
  if (name === "export" && literalText(first) === "-f") return simple(":");
  if ((name === "declare" || name === "typeset") && literalText(first) === "-f" && args.length > 1)
    return { ...command, name: literal(OWN.functions), args: args.slice(1) };
  return null;
}

/** Identifies the shell of a script. */
function shellName({ shell }: Rules): Node {
  return quotedParameter("BASHPID", `${SHELL_FLAG}${shell}:`);
}

function leaving(args: readonly Node[], rules: Rules): Node {
  const handler = statementOf(simple("eval", quotedParameter(OWN.handler)));
  const leave = statementOf(simple(OWN.leave, shellName(rules), quotedParameter("?"), ...args));
  // As a condition, it may fail under set -e.
  return group([
    statementOf(choice([leave], [handler], [handler])),
    statementOf(simple("exit", quotedParameter(OWN.status))),
  ]);
}

/** `cd -`: the interpreter keeps its own OLDPWD. The target is printed before the change, so that redirections use the old directory. */
function goingBack({ redirections }: Node, { parse }: Rules): Node {
  const unknown = 'echo "bash: cd: OLDPWD not set" >&2; false';
  const printed = group(parse('echo "$OLDPWD"'), redirections as readonly Node[]);
  const goes = choice(parse('[ -d "$OLDPWD" ]'), [statementOf(printed)], null);
  return choice(parse('[ -n "$OLDPWD" ]'), [statementOf(goes), ...parse('cd "$OLDPWD"')], parse(unknown));
}

/** `exec COMMAND` ends the shell. */
function replacing(command: Node, rules: Rules): Node {
  const [name, ...args] = command.args as readonly Node[];
  const traps = rules.traps ? [statementOf(simple("trap", shellName(rules), literal("-"), literal("EXIT")))] : [];
  const replaced = statementOf({ ...command, name, args });
  return group([...traps, replaced, statementOf(simple("exit", quotedParameter("?")))]);
}

function isSelf(word: Node): boolean {
  return holds(
    word,
    ({ type, parameter }) => type === "ParameterExpansion" && (parameter === "$" || parameter === "BASHPID"),
  );
}

function signalling(args: readonly Node[], rules: Rules): Node {
  const isWhole = holds(args, ({ parameter }) => parameter === "$");
  const others = args.filter((word) => !isSelf(word));
  const signal = simple(OWN.signal, shellName(rules), ...(isWhole ? [literal(WHOLE)] : []), ...others);
  return group([statementOf(signal, ["&&", simple("eval", quotedParameter(OWN.handler))])]);
}

/** A subshell has its own traps. */
export function withTraps(node: Node, rules: Rules): Node {
  if (!holds(node.body, (each) => literalName(each) === "trap")) return node;
  return { ...node, body: [...(node.body as readonly Node[]), statementOf(leaving([], rules))] };
}

/** A pattern that ends in a star and a slash: the interpreter also matches files, so directories are selected first. */
export function withDirectories(node: Node, key: "words" | "args"): Node | null {
  const words = node[key] as readonly Node[] | null;
  const before: Node[] = [];
  const changed = words?.map((word) => {
    const parts = word.parts as readonly Node[];
    const [glob, slash] = parts.slice(-2);
    if (glob?.type !== "Glob" || slash?.type !== "Literal" || slash.value !== "/") return word;
    const name = `${OWN.directories}${before.length}`;
    before.push(statementOf(simple(OWN.directories, literal(name), { ...word, parts: parts.slice(0, -1) })));
    return quotedParameter(`${name}[@]`);
  });
  return before.length === 0 ? null : group([...before, statementOf({ ...node, [key]: changed })]);
}

/** Added at the end of a script. */
export function ending(rules: Rules): readonly Node[] {
  const heeded = rules.signals ? signalTraps(rules) : [];
  return rules.traps ? [...heeded, statementOf(leaving([], rules))] : heeded;
}

// Sourced files must be rewritten too, so they are read through a rewriting path. The interpreter's `.` reads the stdin of its group only.
function sourcing(command: Node, file: Node): Node {
  const all = command.redirections as readonly Node[];
  const isInput = ({ operator }: Node) => String(operator).startsWith("<");
  const args = [quotedParameter(OWN.file), ...(command.args as Node[]).slice(1)];
  const redirections = all.filter((each) => !isInput(each));
  return group(
    [statementOf(simple(OWN.source, file)), statementOf({ ...command, args, redirections })],
    all.filter(isInput),
  );
}

/** `list+=(…)` through a name reference: the interpreter would turn the reference itself into an array. */
function throughReference(command: Node, { references, parse }: Rules): Node | null {
  const [assignment, more] = command.assignments as readonly Node[];
  const name = String(assignment?.name);
  if (more !== undefined || !Array.isArray(assignment?.array) || !references.has(name)) return null;
  const values = { ...assignment, name: OWN.words, append: false };
  const sign = assignment.append === true ? "+=" : "=";
  const appended = parse(`eval "\${!${name}}${sign}(\\"\\\${${OWN.words}[@]}\\")"`);
  return group([statementOf({ ...command, assignments: [values] }), ...appended]);
}

/** A job is passed as a script, with the state of its shell. */
export function job(statement: Node, rules: Rules): Node {
  const shown = String(statement.sourceText ?? "").replace(/\s*&$/, "");
  const text = verbatim(shown.replace(/^\((?=\S)/, "( ").replace(/(?<=\S)\)$/, " )"));
  const script = verbatim(
    bodyOf({ ...statement, background: false })
      .map(rules.write)
      .join("\n"),
  );
  const state = [simple("declare", literal("-p")), simple("alias"), settings(), simple("declare", literal("-F"))];
  return statementOf(
    simple(
      OWN.job,
      shellName(rules),
      text,
      script,
      quotedParameter("?"),
      ...state.map(substituted),
      quotedParameter("@"),
    ),
  );
}

// A job is already its own shell with its own traps.
function bodyOf(statement: Node): readonly Node[] {
  const only = onlyCommand(statement);
  const isBare = only?.type === "Subshell" && (only.redirections as readonly unknown[]).length === 0;
  return isBare ? (only.body as readonly Node[]) : [statement];
}

function settings(): Node {
  return group([statementOf(simple("shopt", literal("-p"))), statementOf(simple("set", literal("+o")))]);
}

function substituted(command: Node): Node {
  const body = { type: "Script", statements: [statementOf(command)] };
  const parts = [{ type: "CommandSubstitution", body, legacy: false }];
  return { type: "Word", parts: [{ type: "DoubleQuoted", parts }] };
}

function startsJobs(value: unknown): boolean {
  return holds(value, (node) => literalName(node) === OWN.job);
}

function drain(): Node {
  return statementOf(simple(OWN.drain, quotedParameter("?")));
}

/** A command substitution also catches the output of its jobs. */
export function draining(node: Node): Node | null {
  if (node.type === "CommandSubstitution") {
    const body = node.body as Node;
    if (!startsJobs(body)) return null;
    return { ...node, body: { ...body, statements: [...(body.statements as readonly Node[]), drain()] } };
  }
  const redirections = (node.redirections ?? []) as readonly Node[];
  if (["SimpleCommand", "FunctionDef"].includes(node.type)) return null;
  const isCaught = redirections.some(({ operator }) => String(operator).includes(">"));
  return isCaught && startsJobs(node)
    ? group([statementOf({ ...node, redirections: [] }), drain()], redirections)
    : null;
}

export function drainingPipeline(node: Node): Node | null {
  const commands = node.commands as readonly Node[];
  if (commands.length < 2 || !startsJobs(commands)) return null;
  return {
    ...node,
    commands: commands.map((each) => (startsJobs(each) ? group([statementOf(each), drain()]) : each)),
  };
}

/** Signal traps run between statements. */
export function withSignalTraps(statements: readonly Node[], rules: Rules): readonly Node[] {
  return statements.flatMap((statement) =>
    holds(statement, ({ parameter }) => /^PIPESTATUS\b/.test(String(parameter)))
      ? [statement]
      : [...signalTraps(rules), statement],
  );
}

function signalTraps(rules: Rules): readonly Node[] {
  const handler = statementOf(simple("eval", quotedParameter(OWN.handler)));
  const asked = statementOf(simple(OWN.pending, shellName(rules), quotedParameter("?")));
  // The status at the start of an else branch must not end the script under set -e.
  const again = statementOf(simple(OWN.status, quotedParameter(OWN.last)), ["&&", simple(OWN.status)]);
  return [statementOf(choice([asked], [handler], null)), again];
}

// Under set -e, anything before && and || may fail.
export function list(statement: Node, { errexit, functions }: Rules): Node {
  const pipelines = statement.pipelines as readonly Node[];
  if (!errexit || pipelines.length < 2) return statement;
  const changed = pipelines.map((pipeline, at) => {
    const [command, more] = pipeline.commands as readonly Node[];
    if (at === pipelines.length - 1 || command === undefined || more !== undefined) return pipeline;
    const name = literalName(command);
    if (command.type === "SimpleCommand" && (name === null || !functions.has(name))) return pipeline;
    const failed = statementOf(simple(OWN.status, quotedParameter("?")), ["&&", simple(":")]);
    const asked = choice([{ ...statementOf(command), pipelines: [pipeline] }], [statementOf(simple(":"))], [failed]);
    return { ...pipeline, commands: [asked], negated: false };
  });
  return { ...statement, pipelines: changed };
}

/** The interpreter splits the words of `declare -A m=([k]="a b")`, but not of m=([k]="a b"). */
export function associative(statement: Node, { parse }: Rules): Node | null {
  const command = onlyCommand(statement);
  if (command === null || !["declare", "typeset", "local"].includes(literalName(command) ?? "")) return null;
  const [, declare, name, values] =
    /^(\w+\s+-[A-Za-z]*A[A-Za-z]*)\s+(\w+)=(\(.*\))$/s.exec(String(statement.sourceText ?? "").trim()) ?? [];
  if (values === undefined) return null;
  return statementOf(group(parse(`${declare} ${name}\n${name}=${values}`)));
}

/** `${array[@]@A}`: the interpreter knows it for single variables only. */
export function declared({ parameter, operation }: Node, parse: Rules["parse"]): Node | null {
  const [, array] = /^(\w+)\[[@*]\]$/.exec(String(parameter)) ?? [];
  if (array === undefined || (operation as Node).operator !== "A") return null;
  const body = { type: "Script", statements: parse(`declare -p ${array} 2>/dev/null`) };
  return { type: "CommandSubstitution", body, legacy: false };
}

/** Under set -u, the interpreter treats `"${x:-}"` alone in quotes as `"$x"`. */
export function defaultAlone(node: Node): Node | null {
  const [part, more] = node.parts as readonly Node[];
  if (more !== undefined || part?.type !== "ParameterExpansion" || /^[@*]$/.test(String(part.parameter))) return null;
  const operation = part.operation as Node | null;
  if (!["DefaultValue", "UseAlternative"].includes(operation?.type ?? "")) return null;
  return { ...node, parts: [part, { type: "Literal", value: "" }] };
}

/** The interpreter drops words beyond this number. */
const WORDS_MAX = 10_000;

export function wordOf(word: Node): Node | null {
  const { parts } = word as Node & { readonly parts?: readonly Node[] };
  if (parts === undefined) return null;
  const range = parts
    .flatMap(({ type, items }) => (type === "BraceExpansion" ? (items as readonly Node[]) : []))
    .find(isLong);
  if (range === undefined) return null;
  const {
    start,
    end,
    step = 1,
  } = range as Node & { readonly start: number; readonly end: number; readonly step?: number };
  if (parts.length > 1) throw new Error(`{${start}..${end}}: more than ${WORDS_MAX} words at once`);
  const words = simple(OWN.range, ...[start, end, step].map((each) => literal(String(each))));
  const body = { type: "Script", statements: [statementOf(words)] };
  return { ...word, parts: [{ type: "CommandSubstitution", body, legacy: false }] };
}

function isLong({ type, start, end, step }: Node): boolean {
  if (type !== "Range" || typeof start !== "number" || typeof end !== "number") return false;
  return Math.abs(end - start) / Math.abs(Number(step ?? 1) || 1) >= WORDS_MAX;
}

/** `~name`: the interpreter does not know the homes of accounts. */
export function namedHome({ user }: Node): Node | null {
  if (typeof user !== "string") return null;
  const body = { type: "Script", statements: [statementOf(simple(OWN.home, verbatim(user)))] };
  return { type: "DoubleQuoted", parts: [{ type: "CommandSubstitution", body, legacy: false }] };
}
