// The lines of stdin and stdout as a transport of the SDK. Its own transport owns the streams of the process and drops requests in flight
// when the input ends; a script waits for its answers.

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { SysError } from "../../../src/abi/errno.ts";
import { linesOf } from "../../../src/lib/text/lines.ts";
import { waitAtMost } from "../../../src/lib/wait.ts";
import type { Io } from "../../command.ts";
import { jsonLine } from "../../io/status.ts";

const LINE_CHARS_MAX = 4 * 1024 * 1024;
/** How long answers to the last requests are waited for. */
const LAST_ANSWERS_MS = 2000;

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  /** Resolves when the input has ended and its requests are answered. */
  readonly ended: Promise<void>;

  private readonly open = new Set<unknown>();
  private readonly over = Promise.withResolvers<void>();
  private answered = Promise.withResolvers<void>();

  constructor(private readonly io: Pick<Io, "stdin" | "stdout" | "clock">) {
    this.ended = this.over.promise;
  }

  async start(): Promise<void> {
    void this.read().then(this.over.resolve, this.over.reject);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { id, method } = message as Message;
    await this.io.stdout.write(jsonLine(message));
    if (method !== undefined) return;
    this.open.delete(id);
    if (this.open.size === 0) this.answered.resolve();
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  private async read(): Promise<void> {
    const tooLong = () => new SysError("EFBIG", `a line of the input is longer than ${LINE_CHARS_MAX} characters`);
    for await (const line of linesOf(this.io.stdin.bytes(), { charsMax: LINE_CHARS_MAX, tooLong })) {
      if (line.trim() !== "") this.take(line);
    }
    if (this.open.size === 0) return;
    this.answered = Promise.withResolvers<void>();
    await waitAtMost(this.io.clock, LAST_ANSWERS_MS, this.answered.promise);
  }

  private take(line: string): void {
    const message = messageIn(line);
    if (message === null) {
      this.onerror?.(new Error("a line of the input is no message of the protocol"));
      return;
    }
    const { id, method, params } = message;
    if (id !== undefined && method !== undefined && method !== "subscriptions/listen") this.open.add(id);
    if (method === "notifications/cancelled") this.open.delete(params?.requestId);
    this.onmessage?.(message as JSONRPCMessage);
  }
}

function messageIn(line: string): Message | null {
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
    return isMessage ? (value as Message) : null;
  } catch {
    return null;
  }
}
