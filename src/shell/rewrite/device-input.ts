// `program < /dev/urandom` at the start of a pipe as `cat /dev/urandom | program`: the device is endless, and a redirection reads all of
// it. Pure.

import { PROGRAMS } from "../programs/table.ts";
import { literal, literalName, literalText, type Node, simple } from "./nodes.ts";
import type { Rules } from "./rewrite.ts";

type PipeRules = Pick<Rules, "functions" | "commands">;

const DEVICE = /^\/dev\/(?:zero|u?random)$/;

export function fromDevice(pipeline: Node, about: PipeRules): Node {
  const [first, ...others] = pipeline.commands as readonly Node[];
  if (first === undefined || others.length === 0 || !isProgram(first, about)) return pipeline;
  const [one, more] = first.redirections as readonly Node[];
  const path = one?.operator === "<" && more === undefined ? literalText(one.target as Node) : null;
  if (path === null || !DEVICE.test(path)) return pipeline;
  const commands = [simple("cat", literal(path)), { ...first, redirections: [] }, ...others];
  const pipeStderr = [false, ...((pipeline.pipeStderr ?? []) as readonly boolean[])];
  return { ...pipeline, commands, pipeStderr, hidden: 1 };
}

function isProgram(command: Node, { functions, commands }: PipeRules): boolean {
  const name = literalName(command);
  return name !== null && (PROGRAMS.has(name) || commands.has(name)) && !functions.has(name);
}
