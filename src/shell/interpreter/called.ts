// How the interpreter calls a program of the shell, and which subshell of the script called it.

import type { Command } from "just-bash/browser";
import { SHELL_FLAG } from "../programs/internal-words.ts";

export type Context = Parameters<Command["execute"]>[1];
export type Answer = Awaited<ReturnType<Command["execute"]>>;

/** The script itself, not a subshell. */
export const OUTERMOST = "1:1";

export function answer(stdout = "", stderr = "", exitCode = 0): Answer {
  return { stdout, stderr, exitCode };
}

/** Rewritten scripts name their subshell in the first argument. */
export function placed(args: readonly string[]): { readonly shell: string; readonly args: readonly string[] } {
  const own = args.findIndex((arg) => !arg.startsWith(SHELL_FLAG));
  const [first] = args;
  const shell = first?.startsWith(SHELL_FLAG) === true ? first.slice(SHELL_FLAG.length) : OUTERMOST;
  return { shell, args: own === -1 ? [] : args.slice(own) };
}
