// A command and its parameters: streams, environment, time, randomness and the kernel. A command reads nothing of the computer directly and
// never exits: it returns its exit status.

import type { HomeKeeping } from "../src/abi/backup.ts";
import type { SysError } from "../src/abi/errno.ts";
import type { RandomBytes } from "../src/abi/ids.ts";
import type { LineState, RemoteEntry, RemoteServer, SavedRemotes } from "../src/abi/remote.ts";
import type { Sys } from "../src/abi/sys.ts";
import type { WakeTimer } from "../src/abi/wake.ts";
import type { Doctor } from "../src/doctor/examine.ts";
import type { Clock } from "../src/lib/clock.ts";
import type { ManualSection } from "../src/prompts/manual.ts";
import type { KernelStatus } from "../src/syscalls/services.ts";
import type { Spec } from "./args.ts";
import type { Side } from "./files/copy/side.ts";

export type Jq = (lines: string) => Promise<string>;

export interface Output {
  /** Resolves once the system has taken the text. Never rejects: after a failure `closed` is true and text is dropped. */
  write(text: string | Uint8Array): Promise<void>;
  readonly closed: boolean;
  /** Why stdout is closed; null if the reader has just left. */
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
  readonly text: string;
  readonly name: string;
  /** The key of the draft (default: the name). */
  readonly draftName?: string;
  /** Called if the edit continues a draft. */
  onDraft(path: string): Promise<void>;
}

export interface Edited {
  readonly text: string;
  /** The text was saved: deletes the file and the draft. */
  done(): void;
  /** The text could not be used: saves it as a draft and returns the path. */
  keep(): string;
}

/** The signals of the operating system that a command may take over. */
export type Interruption = "INT" | "TERM" | "HUP";
/** The end of a command that follows something: a signal, or a closed stdout. */
export type Ending = Interruption | "PIPE";

/** The account that this invocation acts as, and its login. */
export interface SignIn {
  /** From the first use of `sys` on; `fresh` ignores a saved login. */
  as(name: string, how?: "fresh"): void;
  /** Fails instead of asking for a password. */
  unasked(): void;
  /** For later invocations with this name, until it expires. */
  keep(name: string, login: KeptLogin): Promise<void>;
  kept(name: string): Promise<KeptLogin | null>;
  forget(name: string): Promise<void>;
}

/** Kernels on other computers. */
export interface Remotes {
  /** From the first use of `sys` on. */
  choose(name: string): void;
  /** The kernel of this invocation; null: that of the home of this computer. */
  current(): Promise<Pick<RemoteServer, "name" | "url"> | null>;
  /** Its name once it is known; null for the home of this computer. */
  readonly name: string | null;
  /** Receives cuts of the connection instead of stderr, until the returned function is called. */
  onLine(listener: (state: LineState) => void): () => void;
  /** Receives the reason when the kernel ends the login of this client, until the returned function is called. Calls fail with it too. */
  onSignedOut(listener: (why: SysError) => void): () => void;
  /** Throws with a remote kernel: `what` works with the home of this computer only. */
  onlyHere(what: string): Promise<void>;
  saved(): Promise<SavedRemotes>;
  entry(): Promise<RemoteEntry>;
}

export interface KeptLogin {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: number;
}

export interface ManagerLines {
  /** Each line is a call. */
  readonly input: AsyncIterable<string>;
  /** Prints a result or an event. */
  readonly print: (value: object) => Promise<void>;
}

export interface Io {
  readonly signIn: SignIn;
  readonly remotes: Remotes;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  /** In a script, which waits for the end of each command. */
  readonly isScript?: true;
  /** --no-input: never asks. */
  readonly asksNobody?: true;
  readonly noPager?: true;
  /** --quiet: status output appears only if the command fails. */
  readonly isQuiet?: true;
  /** Receives status lines, such as the one about a new home, until the returned function is called. */
  onWord(hear: (line: string) => void): () => void;
  /** Compiles a jq program: it takes lines of JSON and returns its output. Throws if the program is invalid. */
  jq(expression: string): Promise<Jq>;
  /** Replaces the default action of signals until the returned function is called. */
  onSignal(listener: (name: Interruption) => void): () => void;
  /** As `onSignal`, for endless commands: also called when stdout closes, even if nothing was written since. */
  onEnding(listener: (name: Ending) => void): () => void;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly person: {
    /** Whether requests of a process can be asked on this terminal. */
    answersHere(): boolean;
    /** Asks at the terminal; returns the line as typed. Fails with ECANCELED at the end of input, and when `leave` aborts. */
    ask(question: string, leave?: AbortSignal): Promise<string>;
    /** Reads a hidden line from the terminal, whatever stdin is; null without a terminal. */
    askHidden(question: string): Promise<string | null>;
    /** Opens a text in the editor, in a private file. */
    edit(request: EditRequest): Promise<Edited>;
  };
  /** Settings as `KEY=VALUE` for this invocation only. Throws for an invalid one. */
  override(assignments: readonly string[]): Promise<void>;
  /** The text of an error without the secrets of this home. */
  conceal(text: string): Promise<string>;
  /**
   * The files of this computer, with your permissions; paths are relative to the current directory. With a remote kernel only for `copy`, a
   * command that names both sides.
   */
  host(use?: "copy"): Promise<Side>;
  /** The same one at every call; nothing is connected or started before its first use. */
  sys(): Sys;
  /** A connection of its own, with this token. */
  sysWith(token: string): Sys;
  readonly kernel: {
    /** Makes sure that a kernel runs. */
    start(): Promise<KernelStatus>;
    /** Serves the process manager until its input ends. */
    manage(lines: ManagerLines): Promise<void>;
  };
  readonly machine: {
    doctor(): Promise<Doctor>;
    /** Providers that this version supports. */
    providers(): Promise<readonly string[]>;
    /** Throws if the environment names no home. */
    places(): Promise<readonly Place[]>;
    /** The timer that starts a kernel when something is due. */
    wakeTimer(): Promise<WakeTimer>;
    /** The service that runs the kernel for the network. */
    serveService(): Promise<WakeTimer>;
    browser(): Promise<Browser>;
  };
  readonly keep: HomeKeeping;
  /** For read-only calls: starts and creates nothing. Null if a kernel is needed. */
  peek(): Promise<Sys | null>;
  manual(): Promise<readonly ManualSection[]>;
  /** Runs bash of this computer on a terminal of its own, shown here. Returns its exit status; null without a terminal. */
  hostTerminal(request: { readonly bare: boolean }): Promise<number | null>;
  /** Runs a line of bash on this computer as the person, with the terminal; null without a terminal, and with a remote kernel. */
  hostLine(line: string, directory?: string): Promise<HostLine | null>;
  /** Whether the person's PATH has a program of that name. */
  isOnPath(name: string): boolean;
  /** Runs another program on the terminal; returns its exit status as in `sh`. */
  spawn(program: Program): Promise<number>;
}

export interface Browser {
  /** False if this computer shows no browser. */
  open(url: string): Promise<boolean>;
  /** Waits on this computer for the redirect at the end of a sign-in; null: on any port. */
  listen(port: number | null): Promise<BrowserAnswer>;
}

export interface BrowserAnswer {
  readonly redirectUri: string;
  /** The address of the first redirect with this state. Others are not found. */
  answer(state: string): Promise<string>;
  close(): void;
}

export interface HostLine {
  readonly status: number;
  readonly output: string;
  /** If ctrl-z stopped it: `resume` gives it the terminal again, `end` hangs up. */
  readonly stopped: { resume(): Promise<HostLine>; end(): void } | null;
}

/** null if there is no such path. */
export interface Place {
  readonly name: string;
  readonly path: string | null;
}

export interface Program {
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly stdin: string;
  readonly signal: AbortSignal;
  /** Receives the output at the end (default: the terminal gets it). */
  readonly onOutput?: (text: string) => void;
  /** Default: the terminal gets it. */
  readonly stderr?: "ignore";
}

export interface Command {
  /** Help, manual and completion are made of it. */
  readonly spec: Spec;
  /** The syscall that the command was derived from. */
  readonly call?: string;
  /** What can follow a noun. */
  readonly verbs?: ReadonlyMap<string, Verb>;
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
  readonly hidden?: true;
  readonly load: () => Promise<Command>;
}
