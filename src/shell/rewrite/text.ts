// Converts between script text and the interpreter's syntax tree.

import { Bash } from "just-bash/browser";
import { type Node, scriptOf } from "./nodes.ts";
import { asWritten, parsable } from "./unparsed.ts";

let parser: Bash | null = null;

/** Throws on a syntax error. */
export function parse(text: string): readonly Node[] {
  parser ??= new Bash({ defenseInDepth: false, commands: [] });
  const ast: unknown = parser.transform(text).ast;
  return (ast as Node).statements as readonly Node[];
}

export function textOf(command: Node): string {
  return asWritten(changedText(":", () => scriptOf([command])));
}

export function statementText(statement: Node): string {
  return asWritten(changedText(":", () => ({ type: "Script", statements: [statement] })));
}

/** The text of a changed tree, for the interpreter. */
export function changedText(script: string, change: (ast: Node) => Node): string {
  const writer = new Bash({ defenseInDepth: false, commands: [] });
  writer.registerTransformPlugin({ name: "gsv", transform: ({ ast }) => ({ ast: change(ast as never) as never }) });
  return closed(writer.transform(parsable(script, parse)).script);
}

/** Puts the end of a here-document on its own line; the interpreter's printer may append a brace. */
function closed(text: string): string {
  const ends = new Set([...text.matchAll(/<<-?\s*['"]?(\w+)/g)].map(([, end = ""]) => end));
  let whole = text;
  for (const end of ends)
    whole = whole.replaceAll(
      new RegExp(`^(\\t*${end})(; \\}| ?\\)|;)`, "gm"),
      (_, word, rest) => `${word}\n${rest.replace(/^; /, "")}`,
    );
  return whole;
}

const STEP = "    ";

/** A function as bash's `declare -f` prints it, in a form that can be read back. */
export function definitionText(definition: Node): string {
  const { name, body } = definition as Node & { readonly name: string; readonly body: Node };
  const lines = ((body.body ?? []) as readonly Node[]).flatMap((statement, at, all) =>
    ended(linesOf(statement), at < all.length - 1),
  );
  const shown = body.type === "Group" ? lines : [textOf(body)];
  return `${name} () \n{ \n${shown.map((line) => `${STEP}${line}\n`).join("")}}\n`;
}

function linesOf(statement: Node): readonly string[] {
  const [pipeline, another] = statement.pipelines as readonly Node[];
  const [command, more] = (pipeline?.commands ?? []) as readonly Node[];
  const isOne = another === undefined && more === undefined && pipeline?.negated !== true;
  if (isOne && command?.type === "If" && (command.redirections as unknown[]).length === 0) return choiceLines(command);
  const group = { type: "Group", body: [statement], redirections: [] };
  return textOf(group)
    .replace(/^\{ /, "")
    .replace(/;? \}\s*$/, "")
    .split("\n");
}

function choiceLines(command: Node): readonly string[] {
  const block = (statements: unknown) =>
    (statements as readonly Node[]).flatMap((each) => ended(linesOf(each), true)).map((line) => STEP + line);
  const clauses = command.clauses as readonly { readonly condition: readonly Node[]; readonly body: readonly Node[] }[];
  const lines = clauses.flatMap(({ condition, body }, at) => {
    const asked = condition.flatMap((each) => linesOf(each)).join("; ");
    return [`${at === 0 ? "if" : "elif"} ${asked}; then`, ...block(body)];
  });
  return [...lines, ...(command.elseBody === null ? [] : ["else", ...block(command.elseBody)]), "fi"];
}

/** As in bash, every statement of a body but the last ends with a semicolon. */
function ended(lines: readonly string[], more: boolean): readonly string[] {
  return more ? lines.map((line, at) => (at === lines.length - 1 ? `${line};` : line)) : lines;
}
