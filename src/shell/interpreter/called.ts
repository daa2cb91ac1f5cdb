// How the interpreter calls a program of the shell's own, what such a program answers, and which shell of a script it was that called.

import type { Command } from "just-bash/browser";

export type Context = Parameters<Command["execute"]>[1];
export type Answer = Awaited<ReturnType<Command["execute"]>>;

/** The script that somebody started, and no subshell of it. */
export const OUTERMOST = "1:1";

/** Said first of a job whose output is the script's own. */
export const LIVE = "--live";

/** Said of a signal to `$$`, which is the script and not the part of it that sends. */
export const WHOLE = "--whole";

export function answer(stdout = "", stderr = "", exitCode = 0): Answer {
  return { stdout, stderr, exitCode };
}

/** Rewritten scripts say first which shell they are. */
export function placed(args: readonly string[]): { readonly shell: string; readonly args: readonly string[] } {
  const prefix = "--shell=";
  const own = args.findIndex((arg) => !arg.startsWith(prefix));
  const [first] = args;
  const shell = first?.startsWith(prefix) === true ? first.slice(prefix.length) : OUTERMOST;
  return { shell, args: own === -1 ? [] : args.slice(own) };
}
