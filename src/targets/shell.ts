// The shell port: messages between the kernel and the Workers that run scripts. Types only. A Worker has no access to files or processes
// of its own and may be terminated at any moment.

import type { Code } from "../abi/errno.ts";
import type { Signal, SignalFilter } from "../abi/signal.ts";

/** Shell state between lines, as a script that restores it. */
export interface ShellState {
  readonly cwd: string;
  /** Variables with attributes, aliases, options, functions. */
  readonly prelude: string;
  /** Names of functions and aliases. */
  readonly defined: readonly string[];
  readonly status: number;
  /** Null: unset, the directory decides. */
  readonly umask: number | null;
}

export interface ShellJob {
  readonly script: string;
  /** `$0`, the prefix of error messages. */
  readonly name: string;
  /** `$1` and following. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly stdin: Uint8Array;
  /** State after the previous line; null for a new shell. */
  readonly state: ShellState | null;
  /** Background job of another script, with its `$$`. */
  readonly isJob?: true;
  readonly keepsState: boolean;
  /** Limit per stream; more ends the script. */
  readonly outputBytesMax: number;
  readonly wallMs: number;
}

export interface ShellEnd {
  readonly exit: number;
  /** Null after `exit`, or if no state was requested. */
  readonly state: ShellState | null;
  /** Ended from outside: the state does not change. */
  readonly cut: boolean;
}

/** An error, in transferable form. */
export interface Refusal {
  readonly code: Code;
  readonly message: string;
  readonly hints: readonly string[];
}

export interface ShellStat {
  readonly kind: "file" | "directory" | "symlink";
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtimeMs: number;
  /** Path without symlinks: equal for two names of one file. */
  readonly place: string;
  readonly target?: string;
}

/** File operations of a shell. Paths are absolute; symlinks are followed unless noted. */
export interface ShellFiles {
  stat(path: string, links: "follow" | "keep"): Promise<ShellStat>;
  /** For redirections: what stands there, and whether a write is known to be allowed. */
  standing(path: string): Promise<{ readonly stat: ShellStat | null; readonly writable: boolean }>;
  /** Stats do not follow symlinks. Equal stats are shared objects, which are transferred once; `place` follows from the name. */
  list(path: string): Promise<readonly { readonly name: string; readonly stat: Omit<ShellStat, "place"> }[]>;
  read(path: string, offset: number, bytesMax: number): Promise<{ readonly bytes: Uint8Array; readonly eof: boolean }>;
  write(path: string, bytes: Uint8Array, at: "start" | "end"): Promise<void>;
  remove(path: string, recursive: boolean): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  mkdir(path: string, parents: boolean): Promise<void>;
  link(path: string, target: string): Promise<void>;
  setattr(path: string, attributes: { mode?: number; uid?: number; gid?: number; mtimeMs?: number }): Promise<void>;
  resolve(path: string): Promise<string>;
}

export type FileVerb = keyof ShellFiles;

export interface JobRow {
  /** As in %1. */
  readonly number: number;
  /** `$!`; not a pid of gsv. */
  readonly pid: number;
  readonly text: string;
  /** The shell or subshell that started it. */
  readonly shell: string;
  /** null while it runs. */
  readonly exit: number | null;
  /** The signal that ended it. */
  readonly signal: number | null;
  /** Its end was reported. */
  readonly reported: boolean;
  /** Output is printed as it comes; else kept for `wait`. */
  readonly live: boolean;
}

export interface JobStart extends Pick<JobRow, "text" | "shell" | "live"> {
  readonly script: string;
  readonly args: readonly string[];
  readonly state: ShellState;
}

export interface JobEnd extends JobRow {
  readonly pieces: readonly { readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }[];
}

export interface SentSignal {
  /** Without SIG. */
  readonly name: string;
  readonly number: number;
}

export interface ShellJobs {
  /** Null at the limit. */
  start(job: JobStart): Promise<JobRow | null>;
  list(): Promise<readonly JobRow[]>;
  /** The first to end; null if none is known. */
  wait(pids: readonly number[]): Promise<JobEnd | null>;
  /** False if it has ended. */
  signal(pid: number, signal: SentSignal): Promise<boolean>;
  /** To the outermost script. */
  signalShell(signal: SentSignal): Promise<void>;
  /** Drops reported jobs from the list. */
  forget(pids: readonly number[]): Promise<void>;
}

export type JobVerb = keyof ShellJobs;

/** From the kernel to the runner. */
export type ToRunner =
  | { readonly kind: "run"; readonly job: ShellJob }
  | { readonly kind: "abort" }
  | { readonly kind: "sent"; readonly signal: SentSignal }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "refused"; readonly id: number; readonly refusal: Refusal }
  | { readonly kind: "signal"; readonly id: number; readonly signal: Signal };

/** From the runner to the kernel. */
export type FromRunner =
  | { readonly kind: "ready" }
  | { readonly kind: "file"; readonly id: number; readonly verb: FileVerb; readonly args: readonly unknown[] }
  | {
      readonly kind: "call";
      readonly id: number;
      readonly name: string;
      readonly args: object;
      readonly requestId?: string;
    }
  | { readonly kind: "listen"; readonly id: number; readonly filter: SignalFilter }
  | { readonly kind: "unlisten"; readonly id: number }
  | { readonly kind: "job"; readonly id: number; readonly verb: JobVerb; readonly args: readonly unknown[] }
  /** Confirms a signal: the script continues after its trap, or ends. */
  | { readonly kind: "heard"; readonly goesOn: boolean }
  | { readonly kind: "print"; readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }
  | { readonly kind: "end"; readonly end: ShellEnd };

/** A thread that runs one script at a time. */
export interface Runner {
  post(message: ToRunner): void;
  /** `fault` is called when it dies by itself. */
  listen(hear: (message: FromRunner) => void, fault: (why: string) => void): void;
  end(): void;
}
