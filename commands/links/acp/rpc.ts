// JSON-RPC 2.0 in lines, in both directions. Requests run side by side: one that lasts holds up no other.

import { messageOf, SysError } from "../../../src/abi/errno.ts";

export type Json = { readonly [name: string]: unknown };

export interface RpcPorts {
  readonly print: (message: Json) => void;
  /** For people: the output is for the protocol. */
  readonly note: (text: string) => void;
  /** True for requests that may take as long as a run. */
  readonly lasts: (method: string) => boolean;
  /** `answered` resolves when the answer is printed. */
  readonly serve: (method: string, params: Json, answered: Promise<void>) => Promise<Json>;
  /** The other side does not want the answer of this request any more. */
  readonly unwanted: (method: string, params: Json) => void;
}

export interface Asked {
  readonly id: number;
  /** Null if the other side refuses, or the request was withdrawn. */
  readonly answer: Promise<Json | null>;
}

export const ERRORS = {
  ...{ parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603 },
  ...{ credential: -32000, absent: -32002 },
} as const;

/** Both sides may send it. */
const CANCEL = "$/cancel_request";

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
  private readonly served = new Map<unknown, { readonly method: string; readonly params: Json }>();
  private readonly open = new Set<Promise<unknown>>();
  private nextId = 0;

  constructor(private readonly ports: RpcPorts) {}

  take(line: string): void {
    if (line.trim() === "") return;
    const message = objectIn(line);
    if (message === null) this.fail(null, new RpcError(ERRORS.parse, "not a JSON object"));
    else if (typeof message.method !== "string") this.answered(message);
    else if (message.method === CANCEL) this.cancelled(objectOf(message.params));
    else this.serve(message.method, message);
  }

  /** Resolves when all requests are answered, except those that last. */
  async settled(): Promise<void> {
    while (this.open.size > 0) await Promise.all(this.open);
  }

  notify(method: string, params: Json): void {
    this.ports.print({ jsonrpc: "2.0", method, params });
  }

  request(method: string, params: Json): Asked {
    const id = this.nextId++;
    const { promise, resolve } = Promise.withResolvers<Json | null>();
    this.asked.set(id, resolve);
    this.ports.print({ jsonrpc: "2.0", id, method, params });
    return { id, answer: promise };
  }

  withdraw(id: number): void {
    if (!this.asked.has(id)) return;
    this.notify(CANCEL, { requestId: id });
    this.answered({ id });
  }

  private serve(method: string, { id, params }: Json): void {
    const given = objectOf(params);
    const isRequest = typeof id === "number" || typeof id === "string";
    const answered = Promise.withResolvers<void>();
    if (isRequest) this.served.set(id, { method, params: given });
    const work = this.ports
      .serve(method, given, answered.promise)
      .then(
        (result) => isRequest && this.ports.print({ jsonrpc: "2.0", id, result }),
        (error: unknown) => (isRequest ? this.fail(id, error) : this.ports.note(messageOf(error))),
      )
      .finally(() => {
        this.served.delete(id);
        answered.resolve();
      });
    if (this.ports.lasts(method)) return;
    this.open.add(work);
    void work.finally(() => this.open.delete(work));
  }

  private cancelled({ requestId }: Json): void {
    const served = this.served.get(requestId);
    if (served !== undefined) this.ports.unwanted(served.method, served.params);
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

function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function objectIn(line: string): Json | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}
