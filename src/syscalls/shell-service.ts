// The service behind shell.*, as types.

import type { Caller } from "../abi/identity.ts";
import type { CallContext } from "./define.ts";

export interface ShellRequest {
  /** Chosen by whoever asks; names the script for stopping it and for the rest of its output. */
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

export interface ShellAnswer {
  readonly id: string;
  readonly exit: number;
  /** The beginning of each stream, in base64; the rest comes with shell.output. */
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

export interface Shells {
  run(context: CallContext, request: ShellRequest): Promise<ShellAnswer>;
  output(
    caller: Caller,
    request: { readonly id: string; readonly stream: "stdout" | "stderr"; readonly offset: number },
  ): Promise<{ readonly bytes: string; readonly eof: boolean }>;
  stop(caller: Caller, id: string): Promise<{ readonly stopped: boolean }>;
}
