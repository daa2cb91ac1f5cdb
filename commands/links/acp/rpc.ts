// JSON-RPC 2.0 in lines, in both directions. Requests run side by side: one that lasts holds up no other.

import { messageOf, SysError } from "../../../src/abi/errno.ts";
import type { Json } from "./translate.ts";

export interface RpcPorts {
  readonly print: (message: Json) => void;
  /** For people: the output is for the protocol. */
  readonly note: (text: string) => void;
  /** True for requests that may take as long as a run. */
  readonly lasts: (method: string) => boolean;
  readonly serve: (method: string, params: Json) => Promise<Json>;
}

export const ERRORS = {
  ...{ parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603 },
  absent: -32002,
} as const;

export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export class Rpc {
  private readonly asked = new Map<number, (result: Json | null) => void>();
  private readonly open = new Set<Promise<unknown>>();
  private nextId = 0;

  constructor(private readonly ports: RpcPorts) {}

  take(line: string): void {
    if (line.trim() === "") return;
    const message = objectIn(line);
    if (message === null) this.fail(null, new RpcError(ERRORS.parse, "not a JSON object"));
    else if (typeof message.method !== "string") this.answered(message);
    else this.serve(message.method, message);
  }

  /** Resolves when all requests are answered, except those that last. */
  async settled(): Promise<void> {
    while (this.open.size > 0) await Promise.all(this.open);
  }

  notify(method: string, params: Json): void {
    this.ports.print({ jsonrpc: "2.0", method, params });
  }

  /** Null if the other side refuses. */
  request(method: string, params: Json): Promise<Json | null> {
    const id = this.nextId++;
    const { promise, resolve } = Promise.withResolvers<Json | null>();
    this.asked.set(id, resolve);
    this.ports.print({ jsonrpc: "2.0", id, method, params });
    return promise;
  }

  private serve(method: string, { id, params }: Json): void {
    const given = (typeof params === "object" && params !== null ? params : {}) as Json;
    const isRequest = typeof id === "number" || typeof id === "string";
    const work = this.ports.serve(method, given).then(
      (result) => isRequest && this.ports.print({ jsonrpc: "2.0", id, result }),
      (error: unknown) => (isRequest ? this.fail(id, error) : this.ports.note(messageOf(error))),
    );
    if (this.ports.lasts(method)) return;
    this.open.add(work);
    void work.finally(() => this.open.delete(work));
  }

  private answered({ id, result }: Json): void {
    const resolve = this.asked.get(Number(id));
    this.asked.delete(Number(id));
    resolve?.(typeof result === "object" && result !== null ? (result as Json) : null);
  }

  private fail(id: unknown, error: unknown): void {
    this.ports.print({ jsonrpc: "2.0", id, error: { code: codeOf(error), message: messageOf(error) } });
  }
}

function codeOf(error: unknown): number {
  if (error instanceof RpcError) return error.code;
  if (!(error instanceof SysError)) return ERRORS.internal;
  return error.code === "EINVAL" || error.code === "EUSAGE" ? ERRORS.params : ERRORS.internal;
}

function objectIn(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}
