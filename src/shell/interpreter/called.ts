// How the interpreter calls a program of the shell, and which subshell of the script called it.

import type { Command } from "just-bash/browser";

export type Context = Parameters<Command["execute"]>[1];
export type Answer = Awaited<ReturnType<Command["execute"]>>;

/** The script itself, not a subshell. */
export const OUTERMOST = "1:1";

/** First argument of a job that prints to the script's own output. */
export const LIVE = "--live";

/** Marks a signal to `$$`: it goes to the script, not to the subshell that sends it. */
export const WHOLE = "--whole";

export function answer(stdout = "", stderr = "", exitCode = 0): Answer {
  return { stdout, stderr, exitCode };
}

/** Rewritten scripts name their subshell in the first argument. */
export function placed(args: readonly string[]): { readonly shell: string; readonly args: readonly string[] } {
  const prefix = "--shell=";
  const own = args.findIndex((arg) => !arg.startsWith(prefix));
  const [first] = args;
  const shell = first?.startsWith(prefix) === true ? first.slice(prefix.length) : OUTERMOST;
  return { shell, args: own === -1 ? [] : args.slice(own) };
}
