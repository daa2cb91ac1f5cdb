// The one door to the kernel. The in-process kernel, the socket client and the read-only view all implement it
// and pass one contract suite, so callers never know which one they hold.

import { SysError } from "./errno.ts";
import type { Signal, SignalFilter } from "./signal.ts";

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Makes a keyed call safe to repeat: the same id with the same arguments is carried out once. Made by the client when absent. */
  readonly requestId?: string;
}

export interface Sys {
  /** Answers once, or throws SysError. */
  call<Result = unknown>(name: string, args: object, options?: CallOptions): Promise<Result>;
  /** Listens from the moment it returns; a call made later is never overtaken by its own signals. Returns the way to stop. */
  on(filter: SignalFilter, listener: (signal: Signal) => void): () => void;
  close(): Promise<void>;
}

/** What a client says of itself when it connects; the names and meanings never change. */
export interface ClientInfo {
  readonly clientId: string;
  readonly version: string;
  readonly cwd: string;
  /** Allow-listed variables only: this connection's configuration layer, kept in memory. */
  readonly env: { readonly [name: string]: string };
  /** Settings of its command line, by canonical key: the strongest layer of this connection, kept in memory. */
  readonly flags?: { readonly [key: string]: string };
}

/** read: changes nothing, needs no kernel. wait: answers later. keyed: changes something, once per request id. */
export type CallClass = "read" | "wait" | "keyed";

/** A read that cannot be answered at rest; the client asks a kernel instead. */
export class KernelNeeded extends SysError {
  constructor() {
    super("EAGAIN", "this needs a kernel");
  }
}

/** Why a kernel leaves; clients that are told `stop` start no other. */
export const LEAVE_REASONS = ["stop", "restart", "upgrade", "idle"] as const;
export type LeaveReason = (typeof LEAVE_REASONS)[number];

/** The reason with which a kernel that leaves cuts off what is in flight: what can outlive it is to go on. */
export const KERNEL_LEAVES = Symbol("the kernel leaves");
