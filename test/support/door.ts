// A kernel of a few lines behind a real socket: it echoes, fails, waits, counts its calls and emits signals.
// `state` plays the part of kernel.db: the same one for the next door means the same home.

import { SysError } from "../../src/abi/errno.ts";
import { matches, type Signal, type SignalFilter } from "../../src/abi/signal.ts";
import type { CallOptions, ClientInfo, Sys } from "../../src/abi/sys.ts";
import type { Door } from "../../src/rpc/connection.ts";
import type { SysUnderTest } from "../contract/sys.ts";

export interface HomeState {
  readonly done: Map<string, number>;
  counter: number;
}

export function freshState(): HomeState {
  return { done: new Map(), counter: 0 };
}

export class FakeDoor implements Door {
  readonly clients: ClientInfo[] = [];
  readonly calls: { name: string; args: object; options: CallOptions }[] = [];
  readonly aborted: string[] = [];
  readonly releases: (() => void)[] = [];
  closes = 0;
  refuseWith: SysError | null = null;
  onDrain: (why: string) => void | Promise<void> = () => {};
  private readonly listeners = new Set<{ filter: SignalFilter; tell: (signal: Signal) => void }>();

  constructor(
    readonly state: HomeState = freshState(),
    readonly version = "1.0.0",
  ) {}

  get listening(): number {
    return this.listeners.size;
  }

  async accept(client: ClientInfo): Promise<Sys> {
    if (this.refuseWith !== null) throw this.refuseWith;
    this.clients.push(client);
    return {
      call: <Result>(name: string, args: object, options: CallOptions = {}) =>
        this.call(name, args, options) as Promise<Result>,
      on: (filter, tell) => {
        const entry = { filter, tell };
        this.listeners.add(entry);
        return () => void this.listeners.delete(entry);
      },
      close: async () => {
        this.closes++;
      },
    };
  }

  emit(signal: Signal): void {
    for (const { filter, tell } of [...this.listeners]) if (matches(filter, signal)) tell(signal);
  }

  /** Lets every held call continue. */
  release(): void {
    for (const go of this.releases.splice(0)) go();
  }

  private async call(name: string, args: object, options: CallOptions): Promise<unknown> {
    this.calls.push({ name, args, options });
    switch (name) {
      case "echo":
        return args;
      case "system.whoami":
        return { uid: 1000 };
      case "nothing":
        return undefined;
      case "fail":
        throw new SysError("ESRCH", "no such process: task:abc123", ["gsv ps shows them"]);
      case "crash":
        throw new TypeError("secret inner detail");
      case "big":
        return "x".repeat((args as { bytes: number }).bytes);
      case "wait":
        return this.held(name, options.signal);
      case "count":
        return this.count(options.requestId);
      case "slowCount":
        // As a keyed call must: it learns that its client has left, and continues.
        options.signal?.addEventListener("abort", () => this.aborted.push(name));
        await this.held(name, undefined);
        return this.count(options.requestId);
      case "speak":
        for (const signal of (args as { signals: Signal[] }).signals) this.emit(signal);
        return { said: true };
      case "sys.drain":
        await this.onDrain((args as { why: string }).why);
        return { pid: 1 };
      default:
        throw new SysError("ENOSYS", `no such syscall: ${name}`);
    }
  }

  private count(requestId = "none"): number {
    const known = this.state.done.get(requestId);
    if (known !== undefined) return known;
    this.state.done.set(requestId, ++this.state.counter);
    return this.state.counter;
  }

  private held(name: string, signal: AbortSignal | undefined): Promise<string> {
    return new Promise((resolve, reject) => {
      this.releases.push(() => resolve("released"));
      signal?.addEventListener("abort", () => {
        this.aborted.push(name);
        reject(new SysError("ECANCELED", `${name} was cancelled`));
      });
    });
  }
}

/** The subject of the Sys contract: a Sys whose kernel is a FakeDoor. */
export function behindDoor(sys: Sys, cleanup: () => Promise<void>): SysUnderTest {
  return {
    sys,
    read: { name: "echo", args: { hello: "❄" }, answer: { hello: "❄" } },
    failing: { name: "fail", args: {}, code: "ESRCH" },
    waiting: { name: "wait", args: {} },
    keyed: { name: "count", args: {} },
    speaking: {
      name: "speak",
      args: { signals: [text(1)] },
      hears: { pid: "task:abc123", names: ["chat.*"] },
      deaf: { pid: "init:1000" },
    },
    // Signals and answers share one ordered stream: an answered call means they are here.
    quiet: async () => void (await sys.call("echo", {})),
    cleanup,
  };
}

/** The classes of the fake's calls. */
export function classOf(name: string): "read" | "wait" | "keyed" | undefined {
  if (name === "wait") return "wait";
  if (name === "count" || name === "slowCount" || name === "speak" || name === "sys.drain") return "keyed";
  return name === "echo" || name === "nothing" || name === "fail" || name === "big" || name === "crash"
    ? "read"
    : undefined;
}

export function info(patch: Partial<ClientInfo> = {}): ClientInfo {
  return { clientId: "c1", version: "1.0.0", cwd: "/home/sam", env: { TZ: "UTC" }, ...patch };
}

const base = { pid: "task:abc123", uid: 1000, parent: null, at: 1 };

export function text(seq: number, patch: object = {}): Signal {
  return { ...base, name: "chat.text", run: "r1", turn: 1, seq, text: `message ${seq}`, ...patch };
}

export function delta(piece: string, patch: object = {}): Signal {
  return { ...base, name: "chat.delta", run: "r1", turn: 1, kind: "text", text: piece, ...patch };
}

/** Waits for a condition, with a deadline; a test never sleeps for a guessed time. */
export async function until(what: string, isTrue: () => boolean, deadlineMs = 5000): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`);
    await Bun.sleep(1);
  }
}
