// The service behind shell.*, as types.

import type { Grant } from "../../abi/grants.ts";
import type { CallContext } from "../define.ts";

/** gsv: scripts over gsv's own files. host: real bash on this computer. */
export const SHELL_TARGETS = ["gsv", "host"] as const;
export type ShellTarget = (typeof SHELL_TARGETS)[number];

export const SHELL_SIGNALS = ["HUP", "INT", "QUIT", "KILL", "USR1", "USR2", "TERM", "CONT", "STOP"] as const;
export type ShellSignal = (typeof SHELL_SIGNALS)[number];

export interface ShellRequest {
  /** Chosen by the caller; names the script later. */
  readonly id: string;
  readonly script: string;
  readonly target?: ShellTarget;
  readonly name?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** In base64. */
  readonly stdin?: string;
  /** Lines of one session share its state. */
  readonly session?: string;
  readonly timeoutMs?: number;
  /** Returns after this time even if the script still runs. */
  readonly waitMs?: number;
  /** Host only: takes input while it runs. */
  readonly fed?: boolean;
  /** Host only: network access in the sandbox. People always have it. */
  readonly network?: boolean;
  /** Host only: no sandbox. For people only. */
  readonly bare?: boolean;
  /** Host only: `NAME=value`, filtered by a list. People only; other callers get the kernel's environment. */
  readonly env?: readonly string[];
}

export interface ShellPiece {
  readonly stream: "stdout" | "stderr";
  /** In base64. */
  readonly bytes: string;
}

export interface ShellOutput {
  readonly pieces: readonly ShellPiece[];
  /** Offset in the output where the next page begins. */
  readonly next: number;
  readonly ended: boolean;
  /** null while it runs. */
  readonly exit: number | null;
}

export interface ShellAnswer {
  readonly id: string;
  /** null while it runs. */
  readonly exit: number | null;
  /** The session has ended: `exit` was called. */
  readonly over: boolean;
  /** State of the session: directory, functions, aliases, jobs. Null without a session. */
  readonly session: {
    readonly cwd: string;
    readonly defined: readonly string[];
    /** Jobs that still run, or whose end was not reported yet. */
    readonly jobs: number;
  } | null;
  /** The first page; shell.output returns the rest. */
  readonly output: ShellOutput;
  /** Host only: the sandbox it ran in; null if there is none. */
  readonly sandbox?: string | null;
}

export interface ShellRow {
  readonly id: string;
  readonly target: ShellTarget;
  readonly pid: string | null;
  readonly script: string;
  readonly cwd: string;
  readonly startedAt: number;
  /** null while it runs. */
  readonly exit: number | null;
  readonly bytes: number;
  readonly sandbox: string | null;
}

/** Input of the tool: a new command, or the id of a running one. */
export interface ExecRequest {
  readonly command?: string;
  readonly id?: string;
  readonly target: ShellTarget;
  readonly cwd?: string;
  /** Only with an id. */
  readonly input?: string;
  readonly signal?: ShellSignal;
  readonly timeoutMs?: number;
  readonly waitMs?: number;
  readonly network?: boolean;
  readonly fed?: boolean;
  /** Ask the person even if no approval is needed. */
  readonly ask?: boolean;
}

export interface Execed {
  /** A kernel died while it ran: nobody knows what it did. */
  readonly lost?: true;
  readonly id: string;
  /** null while it runs. */
  readonly exit: number | null;
  /** Both streams: beginning and end of the new output. */
  readonly output: string;
  /** File with the full output, if it was cut. */
  readonly file: string | null;
  /** What to do instead, if known. */
  readonly hint?: string;
  /** Host only: what the sandbox seems to have withheld from a command that failed. */
  readonly withheld?: readonly Grant[];
}

export interface Shells {
  run(context: CallContext, request: ShellRequest): Promise<ShellAnswer>;
  /** Waits up to `waitMs` for output after `from`. */
  output(
    context: CallContext,
    request: { readonly id: string; readonly from: number; readonly waitMs: number },
  ): Promise<ShellOutput>;
  /** In base64. */
  input(
    context: CallContext,
    request: { readonly id: string; readonly data: string; readonly end: boolean },
  ): Promise<{ readonly bytes: number }>;
  signal(
    context: CallContext,
    request: { readonly id: string; readonly signal: ShellSignal },
  ): Promise<{ readonly sent: boolean }>;
  stop(context: CallContext, id: string): Promise<{ readonly stopped: boolean }>;
  /** The caller's own and those of its agents, oldest first. */
  list(context: CallContext): Promise<{ readonly shells: readonly ShellRow[] }>;
  exec(context: CallContext, request: ExecRequest): Promise<Execed>;
}
