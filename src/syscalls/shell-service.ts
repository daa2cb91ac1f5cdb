// The service behind shell.*, as types.

import type { CallContext } from "./define.ts";

export interface ShellRequest {
  /** Chosen by whoever asks; names the script for stopping it and for its output. */
  readonly id: string;
  readonly script: string;
  readonly name?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Base64. */
  readonly stdin?: string;
  /** Lines of the same session go on from each other. */
  readonly session?: string;
  readonly timeoutMs?: number;
}

export interface ShellPiece {
  readonly stream: "stdout" | "stderr";
  /** Base64. */
  readonly bytes: string;
}

export interface ShellOutput {
  readonly pieces: readonly ShellPiece[];
  /** Where the next page begins: a byte of all that was printed. */
  readonly next: number;
  readonly ended: boolean;
}

export interface ShellAnswer {
  readonly id: string;
  readonly exit: number;
  /** Whether the shell of the session is over: `exit` was called. */
  readonly over: boolean;
  /** What lives on in the session: where it stands, and its functions and aliases. Null without one. */
  readonly session: { readonly cwd: string; readonly defined: readonly string[] } | null;
  /** The beginning; the rest comes with shell.output. */
  readonly output: ShellOutput;
}

export interface Shells {
  run(context: CallContext, request: ShellRequest): Promise<ShellAnswer>;
  /** Waits up to `waitMs` for more than was read. */
  output(
    context: CallContext,
    request: { readonly id: string; readonly from: number; readonly waitMs: number },
  ): Promise<ShellOutput>;
  stop(context: CallContext, id: string): Promise<{ readonly stopped: boolean }>;
}
