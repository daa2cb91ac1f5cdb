// One connection to a kernel: hello, calls with ids, subscriptions, cancel, bye. It neither starts kernels nor retries: when the connection
// ends, every call in flight fails with ConnectionLost, and connect.ts decides what to do.

import { SysError } from "../abi/errno.ts";
import type { Credentials } from "../abi/identity.ts";
import type { Signal, SignalFilter } from "../abi/signal.ts";
import type { CallOptions, ClientInfo, LeaveReason } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import {
  type ClientFrame,
  checkServerFrame,
  encodeFrame,
  FrameDecoder,
  fromWire,
  type KernelIdentity,
} from "./frame.ts";
import { PROTOCOL } from "./protocol.ts";
import { WriteQueue } from "./write-queue.ts";

/** absent: nothing listens. silent: no hello came. closed: the connection ended, so unanswered calls may be retried. */
export class ConnectionLost extends Error {
  constructor(
    readonly how: "absent" | "silent" | "closed",
    message: string,
  ) {
    super(message);
  }
}

export interface HelloOptions {
  readonly info: ClientInfo;
  /** The account to act as, if not the person of the home. */
  readonly login?: Credentials | undefined;
  readonly clock: Clock;
  readonly helloMs: number;
  /** Time to answer hello: long for a busy kernel, short for a suspended one. */
  readonly patience?: { readonly busyMs: number; readonly isSuspended: () => Promise<boolean> };
}

export interface DialOptions extends HelloOptions {
  readonly socketPath: string;
}

/** What a link writes to. */
export interface LinkSocket {
  write(bytes: Uint8Array): number;
  end(): void;
  terminate(): void;
}

export interface Link {
  readonly kernel: KernelIdentity;
  /** Why the kernel is leaving, after its bye. It still answers until the connection ends. */
  readonly leaving: LeaveReason | null;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  /** Whether it ended from the other side, or by a fault. */
  readonly isLost: boolean;
  /** Why it ended; null if it has not. */
  readonly fault: Error | null;
  call(name: string, args: object, options?: CallOptions): Promise<unknown>;
  on(filter: SignalFilter, listener: (signal: Signal) => void): () => void;
  close(): void;
}

/** Interval between looks at a silent kernel. */
const LOOK_MS = 250;

/** Connects and says hello. Throws ConnectionLost, or the SysError with which the kernel refused. */
export async function dial(options: DialOptions): Promise<Link> {
  const link = new SocketLink(options.clock);
  try {
    await Bun.connect<undefined>({
      unix: options.socketPath,
      socket: {
        open: (socket) => link.opened(socket, options.info, options.login),
        data: (_socket, chunk) => link.received(chunk),
        drain: () => link.drained(),
        close: () => link.lost(new ConnectionLost("closed", "the kernel ended the connection")),
        error: () => {},
      },
    });
  } catch (error) {
    throw unreachable(options.socketPath, error);
  }
  return await greeted(link, options);
}

/** Waits for the answer to hello. */
export async function greeted(link: SocketLink, options: HelloOptions): Promise<Link> {
  const answered = new AbortController();
  void silence(options, answered.signal).then((ms) => {
    link.lost(new ConnectionLost("silent", `no hello within ${ms} ms`));
  });
  try {
    await link.greeted;
    return link;
  } finally {
    answered.abort();
  }
}

/** Resolves with the time waited when the kernel had long enough to answer. An answer ends the wait. */
function silence({ clock, helloMs, patience }: HelloOptions, answered: AbortSignal): Promise<number> {
  const enough = Promise.withResolvers<number>();
  const lookMs = Math.min(helloMs, LOOK_MS);
  const wait = (waited: number, wasSuspended: boolean) => {
    const stop = clock.after(lookMs, async () => {
      const ms = waited + lookMs;
      const isSuspended = (await patience?.isSuspended()) ?? false;
      if (answered.aborted) return;
      // A debugger stops a process for a moment too: suspended means stopped at two looks in a row.
      const isOver = isSuspended ? wasSuspended || ms >= helloMs : ms >= Math.max(helloMs, patience?.busyMs ?? 0);
      if (isOver) enough.resolve(ms);
      else wait(ms, isSuspended);
    });
    answered.addEventListener("abort", stop, { once: true });
  };
  wait(0, false);
  return enough.promise;
}

/** Whether anything listens there. */
export async function isServed(socketPath: string): Promise<boolean> {
  try {
    const socket = await Bun.connect({ unix: socketPath, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class SocketLink implements Link {
  readonly greeted: Promise<void>;
  readonly ended: Promise<void>;
  leaving: LeaveReason | null = null;
  /** Called when a call is sent. */
  onBusy: () => void = () => {};
  private identity: KernelIdentity | null = null;
  private readonly greeting = Promise.withResolvers<void>();
  private readonly ending = Promise.withResolvers<void>();
  private socket: LinkSocket | null = null;
  private readonly queue: WriteQueue;
  private readonly decoder = new FrameDecoder((frame) => this.frame(frame), "kernel");
  private readonly calls = new Map<number, Waiting>();
  private readonly listeners = new Map<number, (signal: Signal) => void>();
  /** Runs that have begun to answer and have not ended. */
  private readonly runs = new Set<string>();
  private nextId = 1;
  fault: Error | null = null;
  private isClosed = false;

  constructor(clock: Clock) {
    this.queue = new WriteQueue({ clock, write: (bytes) => this.socket?.write(bytes) ?? -1 });
    this.greeted = this.greeting.promise;
    this.ended = this.ending.promise;
    // Nothing waits for a hello that fails after its deadline.
    this.greeted.catch(() => {});
  }

  get kernel(): KernelIdentity {
    if (this.identity === null) throw new Error("no hello yet");
    return this.identity;
  }

  /** Whether the peer owes an answer. */
  get isBusy(): boolean {
    return this.calls.size > 0 || this.runs.size > 0;
  }

  get isLost(): boolean {
    return this.fault !== null && !this.isClosed;
  }

  /** Ended with the link, even if it never opens. */
  connecting(socket: LinkSocket): void {
    this.socket = socket;
  }

  opened(socket: LinkSocket, info: ClientInfo, login: Credentials | undefined): void {
    this.socket = socket;
    this.send({ kind: "hello", protocol: PROTOCOL, ...info, ...(login !== undefined && { login }) }, "hello");
  }

  received(chunk: Uint8Array): void {
    if (this.fault !== null) return;
    try {
      this.decoder.push(chunk);
    } catch (error) {
      this.lost(error instanceof Error ? error : new Error(String(error)));
    }
  }

  drained(): void {
    this.queue.drained();
  }

  lost(error: Error): void {
    if (this.fault !== null) return;
    this.fault = error;
    this.queue.close();
    this.socket?.terminate();
    this.greeting.reject(error);
    this.ending.resolve();
    const calls = [...this.calls.values()];
    this.calls.clear();
    this.listeners.clear();
    for (const call of calls) call.reject(error);
  }

  call(name: string, args: object, options: CallOptions = {}): Promise<unknown> {
    if (this.fault !== null) return Promise.reject(this.fault);
    const { signal, requestId } = options;
    if (signal?.aborted) return Promise.reject(cancelled(name));
    const id = this.nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    try {
      this.send({ kind: "req", id, name, args, ...(requestId !== undefined && { requestId }) }, `${name}'s arguments`);
    } catch (error) {
      return Promise.reject(error);
    }
    const abort = () => {
      if (!this.calls.delete(id)) return;
      this.send({ kind: "cancel", id }, "cancel");
      reject(cancelled(name));
    };
    this.calls.set(id, { resolve, reject });
    this.onBusy();
    if (signal === undefined) return promise;
    signal.addEventListener("abort", abort, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", abort));
  }

  on(filter: SignalFilter, listener: (signal: Signal) => void): () => void {
    if (this.fault !== null) return () => {};
    const id = this.nextId++;
    this.listeners.set(id, listener);
    this.send({ kind: "sub", id, filter }, "a subscription");
    return () => {
      if (this.listeners.delete(id)) this.send({ kind: "unsub", id }, "a subscription");
      // The ends of their answers are not heard any more.
      if (this.listeners.size === 0) this.runs.clear();
    };
  }

  close(): void {
    this.isClosed = true;
    void this.queue.flushed().then(() => {
      this.socket?.end();
      this.lost(new ConnectionLost("closed", "closed here"));
    });
  }

  private frame(loose: { readonly [key: string]: unknown }): void {
    const frame = checkServerFrame(loose);
    switch (frame?.kind) {
      case "helloOk": {
        const { kind: _, ...identity } = frame;
        this.identity = identity;
        this.greeting.resolve();
        break;
      }
      case "refused":
        this.lost(fromWire(frame.error));
        break;
      case "bye":
        this.leaving = frame.why;
        break;
      case "sig":
        this.tell(frame.sub, frame.signal);
        break;
      case "res": {
        const call = this.calls.get(frame.id);
        this.calls.delete(frame.id);
        if ("error" in frame) call?.reject(fromWire(frame.error));
        else call?.resolve(frame.value);
      }
    }
  }

  private tell(sub: number, signal: Signal): void {
    this.note(signal);
    try {
      this.listeners.get(sub)?.(signal);
    } catch (error) {
      // An error of a listener must not end the connection: throw it outside and go on with the others.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  private note(signal: Signal): void {
    if (!("run" in signal) || typeof signal.run !== "string") return;
    if (signal.name === "chat.complete") this.runs.delete(signal.run);
    else if (!this.runs.has(signal.run)) {
      this.runs.add(signal.run);
      this.onBusy();
    }
  }

  private send(frame: ClientFrame, about: string): void {
    if (this.fault === null) this.queue.frame(encodeFrame(frame, about));
  }
}

export function cancelled(name: string): SysError {
  return new SysError("ECANCELED", `${name} was cancelled`);
}

function unreachable(socketPath: string, error: unknown): Error {
  const code = (error as { code?: unknown }).code;
  if (code === "EACCES" || code === "EPERM")
    return new SysError("EACCES", `cannot use the socket ${socketPath}: permission denied`);
  if (code === "EINVAL" || code === "ENAMETOOLONG")
    return new SysError("ECONFIG", `the socket path is too long: ${socketPath}`);
  return new ConnectionLost("absent", `no kernel listens on ${socketPath} (${String(code)})`);
}
