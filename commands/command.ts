// What a command is and what it is handed: streams, environment, time, randomness and the kernel, all as parameters.
// A command reads nothing of the machine by itself and never exits: it returns its exit status.

import type { SysError } from "../src/abi/errno.ts";
import type { RandomBytes } from "../src/abi/ids.ts";
import type { Sys } from "../src/abi/sys.ts";
import type { Clock } from "../src/lib/clock.ts";
import type { KernelStatus } from "../src/syscalls/services.ts";

export interface Output {
  /** Resolves once the text was taken by the system. Never rejects: when it takes no more, `closed` turns true and text is dropped. */
  write(text: string): Promise<void>;
  readonly closed: boolean;
  /** Why it is closed, where that is more than a reader who has gone. */
  readonly failure: SysError | null;
  readonly isTTY: boolean;
  readonly columns: number;
}

export interface Input {
  readonly isTTY: boolean;
  /** `none` is a closed stdin or a device without data, as /dev/null. */
  readonly kind: "tty" | "pipe" | "file" | "socket" | "none";
  bytes(): AsyncIterable<Uint8Array>;
}

/** The signals of the operating system that a command may take over. */
export type Interruption = "INT" | "TERM" | "HUP";

/** Who this invocation acts as, and how a person proves it. */
export interface SignIn {
  /** From the first use of `sys` on; `anew` takes no login that was kept. */
  as(name: string, how?: "anew"): void;
  /** A line typed without showing it; null where there is nobody at a terminal. */
  secret(prompt: string): Promise<string | null>;
  /** For later invocations with this name, until it expires. */
  keep(name: string, login: KeptLogin): void;
  kept(name: string): KeptLogin | null;
  forget(name: string): void;
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
  /** Takes signals over from their default action until the returned function is called. */
  onSignal(listener: (name: Interruption) => void): () => void;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The same one at every call; nothing is connected or started before its first use. */
  sys(): Sys;
  readonly kernel: {
    /** Makes sure that a kernel runs. */
    start(): Promise<KernelStatus>;
  };
}

export interface Command {
  /** As it is typed after `gsv`. */
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly examples: readonly string[];
  /** Returns the exit status, or throws SysError. */
  run(args: readonly string[], io: Io): Promise<number>;
}
