// The interface to the kernel. The in-process kernel, the socket client and the read-only view implement it
// and pass one contract suite, so callers never know which one they hold.

import { SysError } from "./errno.ts";
import type { Signal, SignalFilter } from "./signal.ts";

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Makes a keyed call safe to repeat: one id with the same arguments runs once. Default: created by the client. */
  readonly requestId?: string;
  /**
   * In the kernel only: called if this request id came before. `running`: the first call has not ended, and this one joins it unless the
   * listener throws. `answered`: the answer is an earlier one.
   */
  readonly onRepeat?: (how: "running" | "answered") => void;
}

export interface Sys {
  /** Answers once, or throws SysError. */
  call<Result = unknown>(name: string, args: object, options?: CallOptions): Promise<Result>;
  /** Listens from the moment it returns, so a later call misses none of its signals. Returns a function to stop. */
  on(filter: SignalFilter, listener: (signal: Signal) => void): () => void;
  close(): Promise<void>;
}

/** A Sys that can connect, or start a kernel, before its first call. */
export interface ConnectingSys extends Sys {
  /** The first call reports errors. */
  connect(): void;
}

/** The versions of the line protocol that one side speaks. */
export interface ProtocolRange {
  readonly oldest: number;
  readonly newest: number;
}

/** What a client sends when it connects. Names and meanings never change. */
export interface ClientInfo {
  readonly clientId: string;
  readonly version: string;
  /** Default: PROTOCOL. */
  readonly protocol?: ProtocolRange;
  /** On the kernel's computer, or NO_DIRECTORY. */
  readonly cwd: string;
  /** Allow-listed variables only: the configuration layer of this connection, in memory. */
  readonly env: { readonly [name: string]: string };
  /** Settings of the command line by canonical key: the strongest layer of this connection, in memory. */
  readonly flags?: { readonly [key: string]: string };
  /** The token or login that it entered with. Set by the kernel, never by the client. */
  readonly loginId?: string;
}

/** The directory of a client on another computer: a relative path of its own names nothing here. */
export const NO_DIRECTORY = "";

/** read: changes nothing, needs no kernel. wait: answers later. keyed: changes something, once per request id. */
export type CallClass = "read" | "wait" | "keyed";

/** The read-only view cannot answer; the client asks a kernel. */
export class KernelNeeded extends SysError {
  constructor() {
    super("EAGAIN", "this needs a kernel");
  }
}

/** Why a kernel exits. After `stop`, clients start no other. */
export const LEAVE_REASONS = ["stop", "restart", "upgrade", "idle"] as const;
export type LeaveReason = (typeof LEAVE_REASONS)[number];

/** Abort reason when a kernel exits: work that can outlive the kernel must continue. */
export const KERNEL_LEAVES = Symbol("the kernel leaves");
