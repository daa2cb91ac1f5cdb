// The service behind shell.*, as types.

import type { CallContext } from "../define.ts";

/** gsv: scripts over gsv's own files. host: real bash on this machine. */
export const SHELL_TARGETS = ["gsv", "host"] as const;
export type ShellTarget = (typeof SHELL_TARGETS)[number];

export const SHELL_SIGNALS = ["HUP", "INT", "QUIT", "KILL", "USR1", "USR2", "TERM", "CONT", "STOP"] as const;
export type ShellSignal = (typeof SHELL_SIGNALS)[number];

export interface ShellRequest {
  /** Chosen by whoever asks; names the script for stopping it and for its output. */
  readonly id: string;
  readonly script: string;
  readonly target?: ShellTarget;
  readonly name?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Base64. */
  readonly stdin?: string;
  /** Lines of the same session go on from each other. */
  readonly session?: string;
  readonly timeoutMs?: number;
  /** Answered after so long, although it runs on. Without it, when it has ended. */
  readonly waitMs?: number;
  /** For the host: it is fed while it runs. */
  readonly fed?: boolean;
  /** For the host: its sandbox lets it reach the network. A person's always does. */
  readonly network?: boolean;
  /** For the host, and a person: without the sandbox. */
  readonly bare?: boolean;
  /** For the host: `NAME=value`, of which it gets what is on its list. A person's own; others have the kernel's. */
  readonly env?: readonly string[];
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
  /** Null while it runs. */
  readonly exit: number | null;
}

export interface ShellAnswer {
  readonly id: string;
  /** Null: it runs on. */
  readonly exit: number | null;
  /** Whether the shell of the session is over: `exit` was called. */
  readonly over: boolean;
  /** What lives on in the session: where it stands, its functions and aliases, its jobs. Null without one. */
  readonly session: {
    readonly cwd: string;
    readonly defined: readonly string[];
    /** Of its jobs, those that run or whose end nobody was told. */
    readonly jobs: number;
  } | null;
  /** The beginning; the rest comes with shell.output. */
  readonly output: ShellOutput;
  /** What it ran in, on the host; null where the machine has no sandbox. */
  readonly sandbox?: string | null;
}

export interface ShellRow {
  readonly id: string;
  readonly target: ShellTarget;
  /** The process it belongs to. */
  readonly pid: string | null;
  readonly script: string;
  readonly cwd: string;
  readonly startedAt: number;
  /** Null while it runs. */
  readonly exit: number | null;
  readonly bytes: number;
  readonly sandbox: string | null;
}

/** The tool: a command by its text, or one that runs on by its id. */
export interface ExecRequest {
  readonly command?: string;
  readonly id?: string;
  readonly target: ShellTarget;
  readonly cwd?: string;
  /** For one that runs on. */
  readonly input?: string;
  readonly signal?: ShellSignal;
  readonly timeoutMs?: number;
  readonly waitMs?: number;
  readonly network?: boolean;
  readonly fed?: boolean;
  /** A person is to be asked in any case. */
  readonly ask?: boolean;
}

export interface Execed {
  readonly id: string;
  /** Null: it runs on. */
  readonly exit: number | null;
  /** Both streams: beginning and end of what is new. */
  readonly output: string;
  /** A file with all of it, where that is more. */
  readonly file: string | null;
  /** What to do instead, where that is known. */
  readonly hint?: string;
}

export interface Shells {
  run(context: CallContext, request: ShellRequest): Promise<ShellAnswer>;
  /** Waits up to `waitMs` for more than was read. */
  output(
    context: CallContext,
    request: { readonly id: string; readonly from: number; readonly waitMs: number },
  ): Promise<ShellOutput>;
  /** Base64. */
  input(
    context: CallContext,
    request: { readonly id: string; readonly data: string; readonly end: boolean },
  ): Promise<{ readonly bytes: number }>;
  signal(
    context: CallContext,
    request: { readonly id: string; readonly signal: ShellSignal },
  ): Promise<{ readonly sent: boolean }>;
  stop(context: CallContext, id: string): Promise<{ readonly stopped: boolean }>;
  /** The caller's own, and those of a person's agents; the oldest first. */
  list(context: CallContext): Promise<{ readonly shells: readonly ShellRow[] }>;
  exec(context: CallContext, request: ExecRequest): Promise<Execed>;
}
