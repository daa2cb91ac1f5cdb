// Results and errors of the interpreter as bytes and exit statuses.

import { printed } from "../interpreter/files.ts";
import type { Result } from "./interpreter.ts";

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
