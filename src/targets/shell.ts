// The shell port: what a kernel asks of whoever runs shell scripts, and what such a runner asks of the kernel meanwhile. Types only.
// A runner lives in a Worker of its own, sees no file and no process by itself, and can be ended at any moment.

import type { Code } from "../abi/errno.ts";
import type { Signal, SignalFilter } from "../abi/signal.ts";

/** What lives on from one line of a shell to the next, as a script that brings it back. */
export interface ShellState {
  readonly cwd: string;
  /** Variables with their attributes, aliases, options and functions. */
  readonly prelude: string;
  /** Functions and aliases: words that are commands here. */
  readonly defined: readonly string[];
  /** `$?` of the last command. */
  readonly status: number;
  /** Null where nobody set one, and the directory decides. */
  readonly umask: number | null;
}

export interface ShellJob {
  readonly script: string;
  /** `$0`, and what error messages begin with. */
  readonly name: string;
  /** `$1` and on. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly stdin: Uint8Array;
  /** From the line before of the same shell; null for a shell of its own. */
  readonly state: ShellState | null;
  /** It runs in the background of another, whose `$$` it has. */
  readonly isJob?: true;
  /** Whether the state afterwards is wanted. */
  readonly keepsState: boolean;
  /** Of each stream; what is more ends the script. */
  readonly outputBytesMax: number;
  readonly wallMs: number;
}

export interface ShellEnd {
  readonly exit: number;
  /** Null when `exit` was called, or nothing was to be kept. */
  readonly state: ShellState | null;
  /** It did not come to an end of its own: the state before it is the state after it. */
  readonly cut: boolean;
}

/** What went wrong on the other side, in a form that survives the way. */
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
  /** The path without links: two names of one file have the same. */
  readonly place: string;
  readonly target?: string;
}

/** Files as a shell asks for them. Paths are absolute; links are followed where nothing else is said. */
export interface ShellFiles {
  stat(path: string, links: "follow" | "keep"): Promise<ShellStat>;
  /** What is known of each is that of the name itself: links are kept. Where hundreds are alike they share one stat, which then goes from
   * thread to thread once; where each stands follows from its name. */
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

/** A script that a shell runs beside itself. */
export interface JobRow {
  /** As in %1. */
  readonly number: number;
  /** As in $!: no pid of gsv. */
  readonly pid: number;
  readonly text: string;
  /** Which shell or subshell of the script began it. */
  readonly shell: string;
  /** Null while it runs. */
  readonly exit: number | null;
  /** The signal that ended it. */
  readonly signal: number | null;
  /** Its end was told to whoever typed it. */
  readonly told: boolean;
  /** What it prints is printed as it comes; else it is kept for whoever waits for it. */
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

/** The jobs of one shell. */
export interface ShellJobs {
  /** Null where no more may run. */
  start(job: JobStart): Promise<JobRow | null>;
  list(): Promise<readonly JobRow[]>;
  /** The first of them to end; null where none is known. */
  wait(pids: readonly number[]): Promise<JobEnd | null>;
  /** False when it has ended. */
  signal(pid: number, signal: SentSignal): Promise<boolean>;
  /** To the script that somebody started. */
  signalShell(signal: SentSignal): Promise<void>;
  /** Their end was told: they are in no list any more. */
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
  /** A signal came: its trap runs and the script goes on, or it ends as soon as it has cleaned up. */
  | { readonly kind: "heard"; readonly goesOn: boolean }
  | { readonly kind: "print"; readonly stream: "stdout" | "stderr"; readonly bytes: Uint8Array }
  | { readonly kind: "end"; readonly end: ShellEnd };

/** A thread that runs one script at a time. */
export interface Runner {
  post(message: ToRunner): void;
  /** `fault` is told when it dies by itself. */
  listen(hear: (message: FromRunner) => void, fault: (why: string) => void): void;
  end(): void;
}
