// The Sys of a command: finds the kernel, starts one if there is none, and outlives it. Without a kernel, reads work directly on the home.
// When a connection ends, it retries unanswered calls with the same request id and sends listeners a resync. After `gsv kernel stop` it
// starts no kernel.

import { SysError } from "../abi/errno.ts";
import { uuidv7 } from "../abi/ids.ts";
import type { Signal, SignalFilter } from "../abi/signal.ts";
import { type CallClass, type CallOptions, type ConnectingSys, KernelNeeded, type Sys } from "../abi/sys.ts";
import { ConnectionLost, cancelled, type Link } from "./client.ts";
import { DRAIN, type Finder, type FindOptions, KernelFinder } from "./find.ts";
import { Listeners } from "./listeners.ts";

export interface SysOptions extends Pick<FindOptions, "clock" | "random"> {
  readonly classOf: (call: string) => Promise<CallClass | undefined> | CallClass | undefined;
  /** The error of an argument over its own limit, for calls that do not fit into a frame. */
  readonly ownLimit?: (call: string, args: object) => Promise<string | null>;
  /** Answers reads without a kernel; null if this home needs one. */
  readonly readSys: () => Promise<Sys | null>;
  /** Whether a read through readSys showed an interrupted process. A kernel is then started on exit. */
  readonly showedInterrupted: () => boolean;
  readonly startKernel: () => Promise<unknown>;
}

export type OpenOptions = SysOptions & FindOptions;

/** After so many deaths on one call in a row, give up. */
const RESENDS_MAX = 10;
const RESENDS_FORGOTTEN_MS = 10_000;
/** Time between two attempts to reach a remote kernel that has gone. */
const COMES_BACK_MS = 1000;
const STOPPED_HINT = "gsv kernel start starts it again";

export function openSys(options: OpenOptions): ConnectingSys {
  return new KernelSys(options, new KernelFinder(options));
}

/** `finder` knows the way to the kernel. */
export class KernelSys implements ConnectingSys {
  private readonly listeners: Listeners;
  private link: Link | null = null;
  private probing: Promise<Link | null> | null = null;
  private attaching: Promise<Link> | null = null;
  private reader: Promise<Sys | null> | null = null;
  private stopped = false;
  private closed = false;

  constructor(
    private readonly options: SysOptions,
    private readonly finder: Finder,
  ) {
    this.listeners = new Listeners(options.clock);
  }

  async call<Result>(name: string, args: object, options: CallOptions = {}): Promise<Result> {
    if (this.closed || options.signal?.aborted) throw cancelled(name);
    const kind = (await this.options.classOf(name)) ?? "keyed";
    try {
      if (kind === "read") return (await this.read(name, args, options)) as Result;
      return (await this.ask(name, args, kind === "keyed" ? this.withRequestId(options) : options)) as Result;
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "EFBIG") throw error;
      const own = (await this.options.ownLimit?.(name, args)) ?? null;
      throw own === null ? error : new SysError("EFBIG", own, error.hints);
    }
  }

  on(filter: SignalFilter, listener: (signal: Signal) => void): () => void {
    if (this.closed) return () => {};
    const stop = this.listeners.add(filter, listener, this.link);
    // A listener keeps a kernel running.
    this.connect();
    return stop;
  }

  connect(): void {
    // The next call reports why there is no kernel.
    this.attach().catch(() => {});
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.listeners.clear();
    this.link?.close();
    const reader = await this.reader?.catch(() => null);
    await reader?.close();
    // The next call that needs a kernel reports the error.
    if (this.options.showedInterrupted()) this.options.startKernel().catch(() => {});
  }

  // Every retry of the call has the same id.
  private withRequestId(options: CallOptions): CallOptions {
    if (options.requestId !== undefined) return options;
    return { ...options, requestId: uuidv7(this.options.clock.now(), this.options.random) };
  }

  private async read(name: string, args: object, options: CallOptions): Promise<unknown> {
    if ((await this.served()) !== null) {
      try {
        return await this.ask(name, args, options);
      } catch (error) {
        // Stopped during the call: read without a kernel.
        if (!this.stopped || !(error instanceof SysError) || error.code !== "EAGAIN") throw error;
      }
    }
    this.reader ??= this.options.readSys();
    const reader = await this.reader;
    if (reader === null) {
      this.reader = null;
      return this.ask(name, args, options);
    }
    try {
      return await reader.call(name, args, options);
    } catch (error) {
      if (!isForKernel(error) || this.stopped || this.finder.isSilent) throw error;
      return this.ask(name, args, options);
    }
  }

  private async ask(name: string, args: object, options: CallOptions): Promise<unknown> {
    const { clock } = this.options;
    // Do not start a kernel only to stop it.
    if (name === DRAIN && (await this.served()) === null && !this.finder.isSilent) return { pid: null };
    let wasSent = false;
    for (let resends = 0; resends < RESENDS_MAX; resends++) {
      const link = await unlessAborted(() => this.attach(), name, options.signal).catch((error) => {
        throw wasSent ? unanswered(name, error) : error;
      });
      wasSent = options.requestId !== undefined;
      const sentAt = clock.mono();
      try {
        return await link.call(name, args, options);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        if (this.closed) throw cancelled(name);
        // The kernel was asked to exit, and has.
        if (name === DRAIN) return { pid: link.kernel.pid };
        if (link.leaving === "stop") throw stoppedBefore(name);
        if (clock.mono() - sentAt > RESENDS_FORGOTTEN_MS) resends = 0;
      }
    }
    throw new SysError("EAGAIN", `the kernel ended ${RESENDS_MAX} times during ${name}`, [
      "for details, run: gsv logs",
    ]);
  }

  /** The running kernel; starts none. */
  private async served(): Promise<Link | null> {
    if (this.link !== null) return this.link;
    if (this.attaching !== null) return this.attaching.catch(() => null);
    if (this.finder.isSilent) return null;
    this.probing ??= this.finder
      .probe()
      .then((link) => link && this.adopt(link))
      .finally(() => {
        this.probing = null;
      });
    return this.probing;
  }

  private attach(): Promise<Link> {
    if (this.link !== null) return Promise.resolve(this.link);
    this.attaching ??= this.find().finally(() => {
      this.attaching = null;
    });
    return this.attaching;
  }

  private async find(): Promise<Link> {
    await this.probing?.catch(() => null);
    return this.link ?? this.adopt(await this.finder.ensure(() => this.mayStart()));
  }

  private mayStart(): void {
    if (this.closed) throw cancelled("the connection");
    if (this.stopped) throw new SysError("EAGAIN", "the kernel was stopped", [STOPPED_HINT]);
  }

  private adopt(link: Link): Link {
    if (this.closed) {
      link.close();
      throw cancelled("the connection");
    }
    this.link = link;
    this.stopped = false;
    void link.ended.then(() => this.lost(link));
    this.listeners.attach(link);
    return link;
  }

  private lost(link: Link): void {
    if (this.link !== link) return;
    this.link = null;
    if (this.closed) return;
    if (link.leaving === "stop") this.stopped = true;
    if (this.listeners.size > 0) this.reattach();
  }

  private reattach(): void {
    this.attach().catch((error: unknown) => {
      // Without a kernel listeners get their resync too: their next call reports the reason.
      this.listeners.resync();
      if (this.finder.comesBack && error instanceof SysError && error.code === "EAGAIN")
        this.options.clock.after(COMES_BACK_MS, () => {
          if (!this.closed && this.link === null && this.listeners.size > 0) this.reattach();
        });
    });
  }
}

function unlessAborted<T>(begin: () => Promise<T>, name: string, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return begin();
  if (signal.aborted) return Promise.reject(cancelled(name));
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(cancelled(name));
  signal.addEventListener("abort", abort, { once: true });
  return Promise.race([begin(), aborted]).finally(() => signal.removeEventListener("abort", abort));
}

/** Repeat a refusal at a kernel, which audits it, and what the read-only view cannot answer. */
function isForKernel(error: unknown): boolean {
  return error instanceof KernelNeeded || (error instanceof SysError && ["EPERM", "EACCES"].includes(error.code));
}

/** The call may have been saved. */
function unanswered(name: string, why: unknown): unknown {
  if (!(why instanceof SysError) || why.code === "ECANCELED") return why;
  return new SysError("EIO", `the kernel ended during ${name}; now: ${why.message}`, [
    "the change may be done already: check before you repeat it",
    ...why.hints,
  ]);
}

function stoppedBefore(name: string): SysError {
  return new SysError("EAGAIN", `the kernel was stopped before it answered ${name}`, [STOPPED_HINT]);
}
