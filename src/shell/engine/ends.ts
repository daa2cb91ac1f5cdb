// Results and errors of the interpreter as bytes and exit statuses; `break` ends a loop with 0.

import { printed } from "../interpreter/files.ts";
import type { Interpreter, Methods, Result } from "./interpreter.ts";

export function bytesOf({ stdout, stdoutKind, stdoutEncoding }: Result): Uint8Array {
  const isBytes = stdoutKind === "bytes" || (stdoutKind === undefined && stdoutEncoding === "binary");
  return isBytes ? Buffer.from(stdout, "latin1") : printed(stdout);
}

/** The exit status of a subshell that an error ends; null if the error ends the script. */
export function statusOf(error: unknown): number | null {
  const { name, exitCode } = error as { readonly name?: string; readonly exitCode?: unknown };
  if (name === "ExitError" || name === "ErrexitError" || name === "ReturnError") return Number(exitCode);
  return name === "BreakError" || name === "ContinueError" || name === "SubshellExitError" ? 0 : null;
}

const LOOPS = new Set(["While", "Until", "For", "CStyleFor"]);
/** Shells in which a `break` ends a loop, by pid. */
const broken = new WeakMap<Interpreter, number>();

export function withBreaks({ executeCommand, runCommand }: Methods): Partial<Methods> {
  return {
    async executeCommand(...args) {
      const result = await executeCommand.apply(this, args);
      if (!LOOPS.has(args[0].type) || broken.get(this) !== this.ctx.state.bashPid) return result;
      broken.delete(this);
      return { ...result, exitCode: 0 };
    },
    async runCommand(...args) {
      try {
        return await runCommand.apply(this, args);
      } catch (error) {
        if (args[0] === "break" && (error as Error).name === "BreakError") broken.set(this, this.ctx.state.bashPid);
        throw error;
      }
    },
  };
}
