// Errors in the expansion of a command. As in bash, an arithmetic error ends its line, and an unset variable under set -u ends the shell. The
// interpreter would end only the command, or the group around it.

import { holds, type Node } from "../rewrite/nodes.ts";
import { stagePids } from "./fork.ts";
import type { Interpreter, Methods, Result } from "./interpreter.ts";

const EXIT_UNSET = 127;
const LINE_ERRORS = new Set(["ArithmeticError", "BadSubstitutionError"]);

/** Has the output so far. */
interface Failure extends Error {
  stdout: string;
  stderr: string;
}

/** Errors that end only their line. */
const lineEnds = new WeakSet<object>();
/** Lines of scripts and of sourced files. */
const lines = new WeakSet<Node>();
/** The nesting of sourced files in the script that an interpreter runs. */
const depths = new WeakMap<Interpreter, number>();

async function endLineOnError(interpreter: Interpreter, command: Node, run: Promise<Result>): Promise<Result> {
  try {
    return await run;
  } catch (error) {
    const { name } = error as Error;
    if (LINE_ERRORS.has(name)) {
      const end = await exit(interpreter, 1, withExpression(error as Failure, command));
      lineEnds.add(end);
      throw end;
    }
    if (name === "NounsetError") throw await exit(interpreter, unsetStatus(interpreter), error as Failure);
    throw error;
  }
}

/** With the expression and the failing part, as in bash, if there is only one expression. */
function withExpression(failure: Failure, command: Node): Failure {
  const texts: string[] = [];
  holds(command, ({ type, expression }) => {
    if (type === "ArithmeticExpansion") texts.push(String((expression as Node).originalText ?? ""));
    return false;
  });
  const [text = "", more] = texts;
  const { message } = failure;
  if (failure.name !== "ArithmeticError" || text === "" || more !== undefined) return failure;
  const token = tokenIn(text, message);
  const detail = token === undefined ? "" : ` (error token is "${token}")`;
  return Object.assign(failure, { stderr: `bash: ${text}: ${message}${detail}\n` });
}

function tokenIn(text: string, message: string): string | undefined {
  if (message === "division by 0") return /^[^/%]*[/%]\s*([^/%]*)$/.exec(text)?.[1];
  if (message === "value too great for base") return /^\D*(0\d*[89]\d*)\D*$/.exec(text)?.[1];
  return undefined;
}

/** bash ends a script from a file, and a subshell in parentheses, with 1. */
function unsetStatus(interpreter: Interpreter): number {
  const { bashPid, virtualPid, sourceDepth } = interpreter.ctx.state;
  return bashPid === (stagePids.get(interpreter) ?? virtualPid) && sourceDepth === 0 ? EXIT_UNSET : 1;
}

/** The error of the interpreter's own `exit`. */
async function exit(interpreter: Interpreter, status: number, { stdout, stderr }: Failure): Promise<Failure> {
  try {
    await interpreter.runCommand("exit", [String(status)], [], "");
  } catch (error) {
    return Object.assign(error as Failure, { stdout, stderr });
  }
  throw new Error("exit did not end the shell");
}

/** A line of a script or of a sourced file ends alone; the text of `eval` and of `$(…)` ends as a whole. */
async function runScript(interpreter: Interpreter, script: Node, run: () => Promise<Result>): Promise<Result> {
  const { state } = interpreter.ctx;
  const outer = depths.get(interpreter);
  if (outer === undefined || state.sourceDepth > outer) for (const line of script.statements as Node[]) lines.add(line);
  depths.set(interpreter, state.sourceDepth);
  try {
    return await catchLineEnd(run);
  } finally {
    if (outer !== undefined) depths.set(interpreter, outer);
  }
}

function runLine(statement: Node, run: () => Promise<Result>): Promise<Result> {
  return lines.has(statement) ? catchLineEnd(run) : run();
}

async function catchLineEnd(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!lineEnds.has(error as object)) throw error;
    const { stdout, stderr } = error as Failure;
    return { stdout, stderr, exitCode: 1 };
  }
}

export function withFailures({ executeScript, executeStatement, executeCommand }: Methods): Partial<Methods> {
  return {
    executeScript(script) {
      return runScript(this, script, () => executeScript.call(this, script));
    },
    executeStatement(statement) {
      return runLine(statement, () => executeStatement.call(this, statement));
    },
    executeCommand(...args) {
      return endLineOnError(this, args[0], executeCommand.apply(this, args));
    },
  };
}
