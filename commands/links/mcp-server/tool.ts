// What a tool of gsv's MCP server is, and what it gets. Tools call the kernel as a program, never as a person.

import type { Sys } from "../../../src/abi/sys.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import type { Args, Fields } from "../../../src/syscalls/define.ts";

export interface ServerPorts {
  /** Of a program, limited to what this server may do. */
  readonly sys: Sys;
  /** Of the person, for an answer to an approval only; null if no person may answer through this client. */
  readonly person: (() => Promise<Sys>) | null;
  readonly clock: Clock;
  readonly version: string;
  /** The account, and what it may call here. */
  readonly account: { readonly uid: number; readonly capabilities: readonly string[] };
  /** Signs what a client keeps between a question and its answer. */
  readonly key: Uint8Array;
  /** A workspace for the directory that the server was started in; null without one. */
  readonly here: (() => Promise<string>) | null;
}

/** One call of a tool. */
export interface ToolCall {
  readonly signal: AbortSignal;
  /** Shows that a call that waits is alive. */
  readonly progress: (text: string) => void;
  /** Null if the client cannot ask its person. */
  readonly asking: Asking | null;
}

/** Questions to the person at the client. A client that answers starts the same call again. */
export interface Asking {
  /** The answer that came with this call; null without one. */
  readonly answered: { readonly id: string; readonly hash: string; readonly content: Content | null } | null;
}

export type Content = { readonly [name: string]: unknown };

/** A question, by the id and the hash of the request that it is about. */
export interface Question {
  readonly id: string;
  readonly hash: string;
  readonly message: string;
  readonly properties: { readonly [name: string]: object };
}

export type Outcome = string | { readonly ask: Question };

export interface Tool<F extends Fields = Fields> {
  readonly name: string;
  readonly description: string;
  /** Capabilities without which it is not offered. */
  readonly needs: readonly string[];
  readonly readOnly: boolean;
  readonly input: F;
  readonly run: (ports: ServerPorts, args: Args<F>, call: ToolCall) => Promise<Outcome>;
}

export function tool<F extends Fields>(declared: Tool<F>): Tool {
  return declared as unknown as Tool;
}
