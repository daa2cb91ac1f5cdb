// Redirections to the descriptors of coprocesses: `<&${NAME[0]}`, `>&${NAME[1]}`, and what `exec` copies and closes.

import { literalName, literalText, type Node } from "../rewrite/nodes.ts";
import type { Coprocs } from "./coprocs.ts";
import type { Interpreter, Result, State } from "./interpreter.ts";
import { type Streams, streamsOf, within } from "./streams.ts";

interface Given {
  readonly stdin: string;
  readonly isStdinOwned: boolean | undefined;
  readonly coprocs: Pick<Coprocs, "endAt" | "close" | "copy">;
}

/** null if no redirection of the command is about a coprocess. */
export function redirected(shell: Interpreter, command: Node, given: Given): Promise<Result> | null {
  const { state } = shell.ctx;
  const { coprocs } = given;
  const all = (command.type === "FunctionDef" ? [] : (command.redirections ?? [])) as readonly Node[];
  const isOwn = (each: Node) => {
    const fd = targetOf(each, state);
    return fd !== null && coprocs.endAt(fd === "-" ? sourceFd(each, state) : fd) !== undefined;
  };
  const own = all.filter(isOwn);
  if (own.length === 0) return null;
  const rest = { ...command, redirections: all.filter((each) => !own.includes(each)) };
  if (literalName(command) === "exec" && (command.args as readonly Node[]).length === 0) {
    const problem = own.map((each) => byExec(state, each, coprocs)).find((each) => each !== null);
    if (problem !== undefined) return Promise.resolve(failed(problem));
    return shell.executeCommand(rest, given.stdin, given.isStdinOwned);
  }
  const before = streamsOf(shell);
  let inside: Streams = before;
  for (const each of own) {
    const target = targetOf(each, state);
    const fd = sourceFd(each, state);
    const end = typeof target === "number" ? coprocs.endAt(target) : undefined;
    // Closing a descriptor for one command changes nothing: the command cannot use it anyway.
    if (end === undefined) continue;
    if (fd > 2) return Promise.resolve(failed(`${fd}: only exec can copy a descriptor of a coproc to it`));
    if ((fd === 0 ? end.input : end.outlet) === null) return Promise.resolve(failed(`${target}: Bad file descriptor`));
    if (fd === 0) inside = { ...inside, input: end.input };
    if (fd === 1) inside = { ...inside, out: end.outlet };
    if (fd === 2) inside = { ...inside, err: end.outlet };
  }
  if (inside.input === before.input)
    return within(shell, inside, () => shell.executeCommand(rest, given.stdin, given.isStdinOwned));
  return withoutInput(state, () => within(shell, inside, () => shell.executeCommand(rest, "")));
}

/** The input of the enclosing command waits meanwhile. */
export async function withoutInput(state: State, work: () => Promise<Result>): Promise<Result> {
  const { groupStdin } = state;
  state.groupStdin = "";
  try {
    return await work();
  } finally {
    state.groupStdin = groupStdin;
  }
}

/** Returns what is wrong, or null. */
function byExec(state: State, redirection: Node, coprocs: Given["coprocs"]): string | null {
  const target = targetOf(redirection, state);
  if (target === "-") {
    coprocs.close(state, sourceFd(redirection, state));
    return null;
  }
  const end = coprocs.endAt(target ?? -1);
  if (end === undefined) return null;
  if (redirection.fdVariable) {
    state.env.set(String(redirection.fdVariable), String(coprocs.copy(end, null)));
    return null;
  }
  const fd = sourceFd(redirection, state);
  if (fd <= 2) return `exec: a coproc cannot take the place of descriptor ${fd}; redirect a group`;
  coprocs.close(state, fd);
  coprocs.copy(end, fd);
  return null;
}

function failed(problem: string): Result {
  return { stdout: "", stderr: `bash: ${problem}\n`, exitCode: 1 };
}

/** The descriptor that a redirection sets. */
function sourceFd({ fd, fdVariable, operator }: Node, state: State): number {
  if (fdVariable) return Number(variable(String(fdVariable), state) || -1);
  return Number(fd ?? (operator === "<&" ? 0 : 1));
}

/** The descriptor, or `-`; null for all that is not known before the command runs. */
function targetOf({ operator, target }: Node, state: State): number | "-" | null {
  if (operator !== "<&" && operator !== ">&") return null;
  const word = target as Node;
  const text = literalText(word) ?? parameterOf(word, state);
  if (text === "-") return "-";
  return /^\d+$/.test(text) ? Number(text) : null;
}

function parameterOf({ parts }: Node, state: State): string {
  const [part, more] = parts as readonly Node[];
  if (part === undefined || more !== undefined) return "";
  if (part.type === "DoubleQuoted") return parameterOf(part, state);
  return part.type === "ParameterExpansion" && part.operation === null ? variable(String(part.parameter), state) : "";
}

/** The value of `NAME` or `NAME[0]`. */
function variable(parameter: string, { env, arrays }: State): string {
  const [, name = "", at = "0"] = /^(\w+)(?:\[(\d+)\])?$/.exec(parameter) ?? [];
  return arrays?.get(name)?.elements.get(at) ?? (parameter === name ? env.get(name) : undefined) ?? "";
}
