// One client in the kernel: hello, then frames between the socket and the client's Sys. Reads and waits end with the connection, keyed calls
// never do. A peer that does not read its answers is not read from. A protocol error ends the connection only.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import type { Credentials } from "../abi/identity.ts";
import type { CallClass, ClientInfo, LeaveReason, ProtocolRange, Sys } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { type ClientFrame, checkClientFrame, encodeFrame, FrameDecoder, type ServerFrame, toWire } from "./frame.ts";
import { tooManySubscriptions } from "./listeners.ts";
import { PROTOCOL } from "./protocol.ts";
import { WriteQueue } from "./write-queue.ts";

export interface Door {
  readonly version: string;
  /** Default: PROTOCOL. */
  readonly protocol?: ProtocolRange;
  /** The Sys of the client. Throws SysError if the client is refused. */
  accept(client: ClientInfo, login?: Credentials): Promise<Sys>;
}

export interface ConnectionOptions {
  readonly door: Door;
  readonly clock: Clock;
  /** The pid of the kernel, for error messages of clients. */
  readonly pid: number;
  readonly exe: string;
  /** Keyed calls are never aborted. Waits have no time limit. */
  readonly classOf: (call: string) => CallClass | undefined;
  /** Receives errors that are not a SysError. The client gets a general error. */
  readonly onFault?: (call: string, error: unknown) => void;
  readonly helloMs?: number;
  /** Time from the first byte of a frame to its last. */
  readonly frameMs?: number;
  /** Time that a refused client has to read the reason and close. */
  readonly refusedMs?: number;
}

export interface PeerSocket {
  write(bytes: Uint8Array): number;
  end(): void;
  terminate(): void;
  pause(): void;
  resume(): void;
}

const HELLO_MS = 2000;
/** A slow line needs about this long for the largest frame. */
const FRAME_MS = 60_000;
const REFUSED_MS = 2000;
/** Calls at once, without waits. More calls wait in the socket. */
const CALLS_BUSY_MAX = 32;
const BACKLOG_CHARS_MAX = 4 * 1024 * 1024;

type Request = Extract<ClientFrame, { readonly kind: "req" }>;

interface Call {
  /** Aborts the call; null for a keyed call. */
  readonly abort: AbortController | null;
  /** Fires when the client has gone. A keyed call may ignore it. */
  readonly hangUp: AbortController;
  readonly done: Promise<void>;
}

export class Connection {
  private readonly queue: WriteQueue;
  private readonly decoder = new FrameDecoder((frame) => this.held.push(checkClientFrame(frame)));
  /** Frames that wait for room. */
  private readonly held: ClientFrame[] = [];
  private readonly calls = new Map<number, Call>();
  private readonly subscriptions = new Map<number, () => void>();
  private sys: Sys | null = null;
  private state: "new" | "greeting" | "open" | "finishing" | "gone" = "new";
  private cancelDeadline: () => void;
  private cancelFrame: (() => void) | null = null;
  private busy = 0;
  private paused = false;

  constructor(
    private readonly socket: PeerSocket,
    private readonly options: ConnectionOptions,
    private readonly leaving: () => LeaveReason | null,
  ) {
    this.queue = new WriteQueue({ clock: options.clock, write: (bytes) => socket.write(bytes) });
    this.cancelDeadline = options.clock.after(options.helloMs ?? HELLO_MS, () => socket.terminate());
  }

  received(chunk: Uint8Array): void {
    if (!this.isListening()) return;
    const before = this.held.length;
    try {
      this.decoder.push(chunk);
    } catch (error) {
      this.work();
      this.refuse(error instanceof SysError ? error : new SysError("EPROTO", "the kernel could not read a frame"));
    }
    if (this.held.length > before || !this.decoder.isWithinFrame) this.stopFrameTimer();
    this.work();
  }

  drained(): void {
    this.queue.drained();
    this.work();
  }

  bye(why: LeaveReason): void {
    if (this.state === "open") this.send({ kind: "bye", why }, "bye");
  }

  /** Takes no more calls and answers keyed ones. Clients retry the others elsewhere. */
  async finish(): Promise<void> {
    if (this.state === "gone") return;
    this.state = "finishing";
    for (const call of this.calls.values()) call.abort?.abort();
    await Promise.all([...this.calls.values()].filter((call) => call.abort === null).map((call) => call.done));
    await this.queue.flushed();
    this.socket.end();
  }

  gone(): void {
    this.state = "gone";
    this.cancelDeadline();
    this.stopFrameTimer();
    this.queue.close();
    for (const stop of this.subscriptions.values()) stop();
    this.subscriptions.clear();
    for (const call of this.calls.values()) call.hangUp.abort();
    const sys = this.sys;
    this.sys = null;
    if (sys !== null) void this.leave(sys);
  }

  // Keyed calls continue without a client.
  private async leave(sys: Sys): Promise<void> {
    try {
      await Promise.all([...this.calls.values()].map((call) => call.done));
      await sys.close();
    } catch (error) {
      this.options.onFault?.("close", error);
    }
  }

  private frame(frame: ClientFrame): void {
    if (frame.kind === "hello") {
      if (this.state !== "new") throw new SysError("EPROTO", "this connection has said hello already");
      this.state = "greeting";
      void this.greet(frame);
      return;
    }
    if (this.state !== "open" || this.sys === null) throw new SysError("EPROTO", "say hello first");
    switch (frame.kind) {
      case "req":
        this.request(this.sys, frame);
        break;
      case "cancel":
        this.calls.get(frame.id)?.abort?.abort();
        break;
      case "sub": {
        if (this.subscriptions.has(frame.id)) throw new SysError("EPROTO", "that subscription exists already");
        if (this.subscriptions.size >= LIMITS.subscriptionsPerConnectionMax) throw tooManySubscriptions();
        const stop = this.sys.on(frame.filter, (signal) => this.queue.signal(frame.id, signal));
        this.subscriptions.set(frame.id, stop);
        break;
      }
      case "unsub":
        this.subscriptions.get(frame.id)?.();
        this.subscriptions.delete(frame.id);
        this.queue.forget(frame.id);
    }
  }

  private async greet({ kind: _, login, ...client }: Extract<ClientFrame, { readonly kind: "hello" }>): Promise<void> {
    // Checking a password does not count as waiting for hello.
    if (login !== undefined) this.cancelDeadline();
    try {
      const sys = await this.options.door.accept(client, login);
      if (this.state !== "greeting") return await sys.close();
      this.sys = sys;
    } catch (error) {
      return this.refuse(this.expected("hello", error));
    }
    this.cancelDeadline();
    this.state = "open";
    const { pid, exe, door } = this.options;
    const { version, protocol = PROTOCOL } = door;
    this.send({ kind: "helloOk", version, protocol, pid, exe }, "hello");
    const why = this.leaving();
    if (why !== null) this.bye(why);
  }

  private request(sys: Sys, frame: Request): void {
    if (this.calls.has(frame.id)) throw new SysError("EPROTO", "that call is in flight already");
    const kind = this.options.classOf(frame.name);
    if (kind === "wait" && this.calls.size - this.busy >= LIMITS.waitsPerConnectionMax) {
      this.send({ kind: "res", id: frame.id, error: toWire(tooManyWaits(frame.name)) }, "refusal");
      return;
    }
    const hangUp = new AbortController();
    const abort = kind === "keyed" ? null : hangUp;
    const weight = kind === "wait" ? 0 : 1;
    this.busy += weight;
    // Register the call before it starts, because it may close this connection.
    const done = Promise.resolve()
      .then(() => this.answer(sys, frame, { abort, hangUp }))
      .finally(() => {
        this.calls.delete(frame.id);
        this.busy -= weight;
        this.work();
      });
    this.calls.set(frame.id, { abort, hangUp, done });
  }

  private async answer(sys: Sys, frame: Request, { abort, hangUp }: Pick<Call, "abort" | "hangUp">): Promise<void> {
    const { id, name, args, requestId } = frame;
    let text: string;
    try {
      const value = await sys.call(name, args, {
        // A keyed call is carried out even if its client left.
        ...((abort !== null || !hangUp.signal.aborted) && { signal: hangUp.signal }),
        ...(requestId !== undefined && { requestId }),
      });
      text = encodeFrame({ kind: "res", id, value: value ?? null }, `the answer of ${name}`);
    } catch (error) {
      // Do not answer calls cut by a leaving kernel: the client retries them.
      if (this.state === "finishing" && abort?.signal.aborted) return;
      text = encodeFrame({ kind: "res", id, error: toWire(this.expected(name, error)) }, `the answer of ${name}`);
    }
    this.queue.frame(text);
  }

  /** For the client: an internal error is logged and replaced. */
  private expected(call: string, error: unknown): SysError {
    if (error instanceof SysError) return error;
    this.options.onFault?.(call, error);
    return new SysError("EIO", `${call} failed inside the kernel`, ["for details, run: gsv logs"]);
  }

  /** Sends the reason and ends the connection. */
  refuse(error: SysError): void {
    if (!this.isListening()) return;
    this.state = "finishing";
    this.cancelDeadline();
    // It may neither read nor close.
    const { clock, refusedMs = REFUSED_MS } = this.options;
    this.cancelDeadline = clock.after(refusedMs, () => this.socket.terminate());
    this.send({ kind: "refused", error: toWire(error) }, "refusal");
    void this.queue.flushed().then(() => this.socket.end());
  }

  private send(frame: ServerFrame, about: string): void {
    this.queue.frame(encodeFrame(frame, about));
  }

  /** Handles waiting frames while there is room, and pauses reading when there is none. */
  private work(): void {
    try {
      while (!this.isFull() && this.isListening()) {
        const frame = this.held.shift();
        if (frame === undefined) break;
        this.frame(frame);
      }
    } catch (error) {
      this.refuse(error instanceof SysError ? error : new SysError("EPROTO", "the kernel could not read a frame"));
    }
    if (this.isFull() !== this.paused && this.isListening()) {
      this.paused = !this.paused;
      if (this.paused) this.socket.pause();
      else this.socket.resume();
    }
    this.timeFrame();
  }

  /** A client that begins frames and never ends them must not keep memory. While the kernel does not read, its time stands still. */
  private timeFrame(): void {
    if (!this.decoder.isWithinFrame || this.paused || !this.isListening()) {
      this.stopFrameTimer();
      return;
    }
    const { clock, frameMs = FRAME_MS } = this.options;
    this.cancelFrame ??= clock.after(frameMs, () =>
      this.refuse(new SysError("EPROTO", `not gsv's protocol: a frame did not end within ${frameMs / 1000} s`)),
    );
  }

  private stopFrameTimer(): void {
    this.cancelFrame?.();
    this.cancelFrame = null;
  }

  private isListening(): boolean {
    return this.state !== "finishing" && this.state !== "gone";
  }

  private isFull(): boolean {
    return this.busy >= CALLS_BUSY_MAX || this.queue.backlogChars >= BACKLOG_CHARS_MAX;
  }
}

function tooManyWaits(name: string): SysError {
  const { waitsPerConnectionMax: max } = LIMITS;
  return new SysError("EAGAIN", `${name}: this client already has ${max} waiting calls, the maximum`);
}
