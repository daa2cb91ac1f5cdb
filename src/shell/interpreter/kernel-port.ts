// The worker's side of the shell port: requests to the kernel and their answers, matched by number. It is a script's only way out.

import { SysError } from "../../abi/errno.ts";
import type { Sys } from "../../abi/sys.ts";
import type { FileVerb, FromRunner, JobVerb, ShellFiles, ShellJobs, ToRunner } from "../../targets/shell.ts";

export class KernelPort {
  private readonly waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: SysError) => void }
  >();
  private readonly listeners = new Map<number, Parameters<Sys["on"]>[1]>();
  private last = 0;
  /** Held back until something else is asked. */
  private held: (() => Promise<unknown>) | null = null;
  private settling: Promise<unknown> | null = null;

  constructor(private readonly post: (message: FromRunner) => void) {}

  hear(message: ToRunner): void {
    switch (message.kind) {
      case "answer":
        this.take(message.id)?.resolve(message.value);
        break;
      case "refused": {
        const { code, message: text, hints } = message.refusal;
        this.take(message.id)?.reject(new SysError(code, text, hints));
        break;
      }
      case "signal":
        this.listeners.get(message.id)?.(message.signal);
    }
  }

  file<V extends FileVerb>(verb: V, ...args: Parameters<ShellFiles[V]>): ReturnType<ShellFiles[V]> {
    return this.ask((id) => fileMessage(id, verb, args)) as ReturnType<ShellFiles[V]>;
  }

  job<V extends JobVerb>(verb: V, ...args: Parameters<ShellJobs[V]>): ReturnType<ShellJobs[V]> {
    return this.ask((id) => ({ kind: "job", id, verb, args })) as ReturnType<ShellJobs[V]>;
  }

  /** The kernel, with the rights of the script's caller. */
  sys(): Sys {
    return {
      call: async <Result>(name: string, args: object, { requestId }: { requestId?: string } = {}) => {
        const key = requestId === undefined ? {} : { requestId };
        return (await this.ask((id) => ({ kind: "call", id, name, args, ...key }))) as Result;
      },
      on: (filter, listener) => {
        const id = ++this.last;
        this.listeners.set(id, listener);
        this.post({ kind: "listen", id, filter });
        return () => {
          this.listeners.delete(id);
          this.post({ kind: "unlisten", id });
        };
      },
      close: async () => {},
    };
  }

  /** How many questions there were so far. */
  get asked(): number {
    return this.last;
  }

  /** Holds one write back, until something else is asked. `failed`: its error. */
  hold(path: string, at: "start" | "end", failed: (error: unknown) => void): void {
    if (this.held !== null) void this.settle();
    this.held = () => this.send((id) => fileMessage(id, "write", [path, new Uint8Array(), at])).catch(failed);
  }

  /** Drops what is held back. */
  drop(): void {
    this.held = null;
  }

  /** Does what is held back. */
  async settle(): Promise<void> {
    const work = this.held;
    this.held = null;
    if (work !== null) {
      const settling = Promise.all([this.settling, work()]).finally(() => {
        if (this.settling === settling) this.settling = null;
      });
      this.settling = settling;
    }
    await this.settling;
  }

  /** Between two scripts: drop the answers that the first one still waits for. */
  reset(): void {
    this.waiting.clear();
    this.listeners.clear();
    this.held = null;
    this.settling = null;
  }

  private ask(message: (id: number) => FromRunner): Promise<unknown> {
    if (this.held === null && this.settling === null) return this.send(message);
    return this.settle().then(() => this.send(message));
  }

  private send(message: (id: number) => FromRunner): Promise<unknown> {
    const id = ++this.last;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.waiting.set(id, { resolve, reject });
    this.post(message(id));
    return promise;
  }

  private take(id: number) {
    const found = this.waiting.get(id);
    this.waiting.delete(id);
    return found;
  }
}

function fileMessage(id: number, verb: FileVerb, args: readonly unknown[]): FromRunner {
  return { kind: "file", id, verb, args };
}
