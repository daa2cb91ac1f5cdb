// Messages to and from an MCP server that runs as a child, for the SDK's client. In place of the SDK's own transport, whose reader ends the
// connection at a long message, accepts answers under guessed ids, and waits forever when a grandchild holds the output open.

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { RandomBytes } from "../../abi/ids.ts";
import type { Clock } from "../../lib/clock.ts";
import { waitAtMost } from "../../lib/wait.ts";
import type { PipedChild } from "../../targets/spawn.ts";
import { type LineCounts, type MessageLimits, MessageLines } from "./message-lines.ts";
import { NO_ANSWER } from "./results.ts";
import { NOTICES_PER_SECOND, sentTo, Traffic } from "./traffic.ts";

export interface StdioPorts {
  readonly spawn: () => PipedChild;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** One line of the server's log. */
  readonly log: (line: string) => void;
}

type Message = { readonly [name: string]: unknown };

const LIMITS: MessageLimits = { lineBytesMax: 8 * 1024 * 1024, noticesPerSecondMax: NOTICES_PER_SECOND };
const BREATH_BYTES = 1024 * 1024;
/** Bytes that are on their way when the server has ended. */
const LAST_OUTPUT_MS = 100;
const END_MS = 500;
const ENDED_KEPT = 1000;
const ID_BYTES = 9;
const LOG_LINE_CHARS = 2000;
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const NOTHING: LineCounts = { garbage: 0, firstGarbage: null, tooLong: 0, noticesDropped: 0 };
const GONE = "it has ended";

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;

  private child: PipedChild | null = null;
  private lines: MessageLines | null = null;
  /** Ids on the wire cannot be guessed; the SDK counts from 0. */
  private readonly open = new Map<string, unknown>();
  /** Ids whose answer has come or is not wanted any more: a late one is ignored. */
  private readonly ended = new Set<string>();
  private closed: Promise<void> | null = null;
  private isOver = false;
  private readonly traffic: Traffic;

  constructor(private readonly ports: StdioPorts) {
    this.traffic = new Traffic(ports.clock);
  }

  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  async start(): Promise<void> {
    const child = this.ports.spawn();
    this.child = child;
    this.lines = new MessageLines(LIMITS, this.ports.clock, {
      message: (value) => this.received(value),
      tooLong: (ends) => this.lost(ends),
      endless: () => this.endWith("the server printed a line without end"),
    });
    const read = this.readAll(child);
    void this.logAll(child);
    void child.ended.then(async () => {
      await waitAtMost(this.ports.clock, LAST_OUTPUT_MS, read);
      this.over();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(this.asSent(sentTo(message) as Message))}\n`);
    if (this.child === null || this.isOver) throw new Error(GONE);
    await this.child.stdin.write(bytes).catch(() => {
      throw new Error(GONE);
    });
  }

  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    const { child, ports } = this;
    if (child !== null) {
      child.stdin.end();
      if ((await waitAtMost(ports.clock, END_MS, child.ended)) === null) {
        child.terminate();
        await waitAtMost(ports.clock, END_MS, child.ended);
      }
    }
    this.over();
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.logCounts();
    // Also children that it left behind.
    this.child?.kill();
    this.onclose?.();
  }

  private logCounts(): void {
    const { garbage, firstGarbage, noticesDropped } = this.lines?.counts ?? NOTHING;
    if (garbage > 0) this.ports.log(`printed lines that are no messages: ${garbage}, the first: ${firstGarbage}`);
    if (noticesDropped > 0) this.ports.log(`${noticesDropped} notifications were dropped: too many in a second`);
  }

  private asSent(message: Message): Message {
    const { id, method, params } = message;
    if (typeof method !== "string") return message;
    if (id !== undefined) {
      const own = Buffer.from(this.ports.random(ID_BYTES)).toString("base64url");
      this.open.set(own, id);
      return { ...message, id: own };
    }
    if (method !== "notifications/cancelled") return message;
    const { requestId } = params as Message;
    const [own] = [...this.open].find(([, known]) => known === requestId) ?? [];
    if (own === undefined) return message;
    this.finish(own);
    return { ...message, params: { ...(params as Message), requestId: own } };
  }

  private received(message: Message): void {
    const { id, method } = message;
    const own = String(id);
    if (!this.traffic.passes(message)) return;
    if (method !== undefined || id === undefined) this.deliver(this.withKnownSubscription(message));
    else if (this.open.has(own)) {
      const known = this.open.get(own);
      this.finish(own);
      this.deliver({ ...message, id: known });
    } else if (!this.ended.has(own)) {
      this.endWith("the server answered a request that was never made");
    }
  }

  private endWith(why: string): void {
    this.onerror?.(new Error(why));
    this.over();
  }

  /** A notice of a subscription names the request that opened it. */
  private withKnownSubscription(message: Message): Message {
    const params = message.params as { readonly _meta?: Message } | undefined;
    const own = params?._meta?.[SUBSCRIPTION];
    if (typeof own !== "string" || !this.open.has(own)) return message;
    return { ...message, params: { ...params, _meta: { ...params?._meta, [SUBSCRIPTION]: this.open.get(own) } } };
  }

  /** A message that is too long ends its call; the connection continues. */
  private lost(ends: string): void {
    const own = [...this.open.keys()].find((id) => ends.includes(`"${id}"`));
    if (own === undefined) return;
    const error = { code: NO_ANSWER, message: `the answer is larger than ${LIMITS.lineBytesMax / 1024 / 1024} MiB` };
    const id = this.open.get(own);
    this.finish(own);
    this.deliver({ jsonrpc: "2.0", id, error });
  }

  private finish(own: string): void {
    this.open.delete(own);
    this.ended.add(own);
    if (this.ended.size <= ENDED_KEPT) return;
    const [oldest = ""] = this.ended;
    this.ended.delete(oldest);
  }

  private deliver(message: Message): void {
    this.onmessage?.(message as unknown as JSONRPCMessage);
  }

  private async readAll({ stdout }: PipedChild): Promise<void> {
    try {
      let bytes = 0;
      for await (const chunk of stdout) {
        if (this.isOver) return;
        this.lines?.push(chunk);
        bytes += chunk.length;
        if (bytes < BREATH_BYTES) continue;
        bytes = 0;
        // A server that prints without pause must not keep the kernel from all other work.
        await new Promise((resolve) => setImmediate(resolve));
      }
    } catch {
      // Closed under the reader: the end of the child is handled elsewhere.
    }
  }

  private async logAll({ stderr }: PipedChild): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of stderr) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = (lines.pop() ?? "").slice(0, LOG_LINE_CHARS);
        for (const line of lines) this.ports.log(line.slice(0, LOG_LINE_CHARS));
      }
    } catch {
      // As above.
    }
    if (rest !== "") this.ports.log(rest);
  }
}
