// What a command is and what it is handed: streams, environment, time, randomness and the kernel, all as parameters.
// A command reads nothing of the machine by itself and never exits: it returns its exit status.

import type { HomeKeeping } from "../src/abi/backup.ts";
import type { SysError } from "../src/abi/errno.ts";
import type { RandomBytes } from "../src/abi/ids.ts";
import type { Sys } from "../src/abi/sys.ts";
import type { Doctor } from "../src/doctor/examine.ts";
import type { Clock } from "../src/lib/clock.ts";
import type { ManualSection } from "../src/prompts/manual.ts";
import type { KernelStatus } from "../src/syscalls/services.ts";
import type { Spec } from "./args.ts";
import type { Side } from "./files/copy/side.ts";

/** A jq program, ready to run: takes JSON values, one a line, and returns what it prints. */
export type Jq = (lines: string) => Promise<string>;

export interface Output {
  /** Resolves once the text was taken by the system. Never rejects: when it takes no more, `closed` turns true and text is dropped. */
  write(text: string | Uint8Array): Promise<void>;
  readonly closed: boolean;
  /** Why it is closed, where that is more than a reader who has gone. */
  readonly failure: SysError | null;
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows: number;
}

export interface Input {
  readonly isTTY: boolean;
  /** `none` is a closed stdin or a device without data, as /dev/null. */
  readonly kind: "tty" | "pipe" | "file" | "socket" | "none";
  bytes(): AsyncIterable<Uint8Array>;
}

export interface EditRequest {
  /** What it begins with, unless a draft was kept. */
  readonly text: string;
  /** What the file is called. */
  readonly name: string;
  /** What tells its draft from others; the name when left out. */
  readonly draftName?: string;
  /** The edit goes on with the draft there. */
  onDraft(path: string): Promise<void>;
}

export interface Edited {
  readonly text: string;
  /** What was written has been taken over: the file goes, and a draft with it. */
  done(): void;
  /** What was written could not be used: it is kept as the draft of this name. Returns its path. */
  keep(): string;
}

/** The signals of the operating system that a command may take over. */
export type Interruption = "INT" | "TERM" | "HUP";
/** What ends a command that would go on for ever: one of them, or that nobody reads it any more. */
export type Ending = Interruption | "PIPE";

/** Who this invocation acts as, and how a person proves it. */
export interface SignIn {
  /** From the first use of `sys` on; `anew` takes no login that was kept. */
  as(name: string, how?: "anew"): void;
  /** No password is asked for: where one is needed, it fails. */
  unasked(): void;
  /** For later invocations with this name, until it expires. */
  keep(name: string, login: KeptLogin): Promise<void>;
  kept(name: string): Promise<KeptLogin | null>;
  forget(name: string): Promise<void>;
}

export interface KeptLogin {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: number;
}

export interface Io {
  readonly signIn: SignIn;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  /** Among commands of a script, which waits for the end of each. */
  readonly isScript?: true;
  /** Nobody is to be asked, also where somebody could be. */
  readonly asksNobody?: true;
  /** Nothing goes through a pager. */
  readonly noPager?: true;
  /** What happens besides the command, such as a home that was made, is told to this one until the returned function is called. */
  onWord(hear: (line: string) => void): () => void;
  /** A jq program, ready to run; refuses one that cannot be read. */
  jq(expression: string): Promise<Jq>;
  /** Takes signals over from their default action until the returned function is called. */
  onSignal(listener: (name: Interruption) => void): () => void;
  /** As `onSignal`, for who follows without end: told as well when the reader of stdout has gone, though nothing was written since. */
  onEnding(listener: (name: Ending) => void): () => void;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly person: {
    /** What a process asks can be asked here: on a terminal that is ours, and where nothing else shows it. */
    answersHere(): boolean;
    /** Asks a person at the terminal; the line as they typed it. */
    ask(question: string): Promise<string>;
    /** A line typed at the terminal without showing it, whatever stdin is; null where nobody is at one. */
    askHidden(question: string): Promise<string | null>;
    /** Lets a person change a text in their editor; a private file holds it meanwhile. */
    edit(request: EditRequest): Promise<Edited>;
  };
  /** Settings of the command line as `KEY=VALUE`: the strongest layer of this invocation. Refuses what is not right. */
  override(said: readonly string[]): Promise<void>;
  /** The text of an error without the secrets of this home. */
  conceal(text: string): Promise<string>;
  /** The files of this machine, as whoever runs gsv; paths from where it was started. */
  host(): Promise<Side>;
  /** The same one at every call; nothing is connected or started before its first use. */
  sys(): Sys;
  readonly kernel: {
    /** Makes sure that a kernel runs. */
    start(): Promise<KernelStatus>;
  };
  /** For a home in any state; neither makes nor starts anything. */
  readonly machine: {
    doctor(): Promise<Doctor>;
    /** Those this gsv can talk to. */
    providers(): Promise<readonly string[]>;
    /** Throws when the environment names no home. */
    places(): Promise<readonly Place[]>;
  };
  /** The home as a whole: backed up, put back, measured. */
  readonly keep: HomeKeeping;
  /** For looking only: starts nothing, makes nothing, says nothing. Null where a look needs a kernel. */
  peek(): Promise<Sys | null>;
  /** The pages that ship with gsv. */
  manual(): Promise<readonly ManualSection[]>;
  /** Real bash of this machine on a terminal of its own, shown on this one, until it ends; its exit status. Null where there is no terminal. */
  hostTerminal(request: { readonly bare: boolean }): Promise<number | null>;
  /** Runs a line of bash on this computer as the person, with the terminal; null where there is no terminal. */
  hostLine(line: string, directory?: string): Promise<{ readonly status: number; readonly output: string } | null>;
  /** Whether the person's PATH has a program of that name. */
  isOnPath(name: string): boolean;
  /** Lets another program have the terminal; its exit status, as `sh` says it. */
  spawn(program: Program): Promise<number>;
}

/** Where something of a home lies; null where it cannot be. */
export interface Place {
  readonly name: string;
  readonly path: string | null;
}

export interface Program {
  readonly argv: readonly string[];
  /** All of its environment. */
  readonly env: { readonly [name: string]: string };
  /** What it reads on stdin. */
  readonly stdin: string;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Takes what it printed, at its end; the terminal does when left out. */
  readonly onOutput?: (text: string) => void;
}

export interface Command {
  /** As it is typed after `gsv`. */
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  /** What can be typed after it: help, manual and completion are made of it. */
  readonly spec: Spec;
  /** The syscall it is the command line of. */
  readonly call?: string;
  /** What can follow a noun. */
  readonly verbs?: ReadonlyMap<string, Verb>;
  /** Returns the exit status, or throws SysError. */
  run(args: readonly string[], io: Io): Promise<number>;
}

/** What can follow a noun. */
export interface Verb {
  readonly summary: string;
  readonly load: () => Command | Promise<Command>;
  readonly input: Spec["input"];
}

/** The first words of a command line, except nouns that the syscalls declare; a command is loaded when it is named. */
export type Commands = ReadonlyMap<string, CommandEntry>;

export interface CommandEntry {
  /** For programs, not for people: listed nowhere. */
  readonly hidden?: true;
  readonly load: () => Promise<Command>;
}
