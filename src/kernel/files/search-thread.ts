// Searches large trees of this computer in a Worker, so that they block no other call. All searches share one Worker, which starts with the
// first and ends when it is idle.

import { FileError } from "../../../fs/error.ts";
import type { SearchResult } from "../../../fs/read/search.ts";
import { type Code, SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import { type CacheBudget, IDLE_WORKER_BYTES } from "../../lib/memory/cache-budget.ts";

export interface SearchJob {
  readonly caller: Caller;
  /** Without symlinks. */
  readonly root: string;
  readonly query: string;
  /** Glob for names. */
  readonly include?: string;
  readonly view: HostView;
}

/** What a caller sees of this computer when the search starts. */
export interface HostView {
  /** gsv's home, which is invisible. */
  readonly home: string;
  readonly owner: { readonly uid: number; readonly gid: number };
  readonly unseen: readonly string[];
  readonly attached: readonly string[];
}

export type ToSearcher =
  | { readonly kind: "search"; readonly id: number; readonly job: SearchJob }
  | { readonly kind: "abort"; readonly id: number };

export type FromSearcher =
  | { readonly kind: "found"; readonly id: number; readonly result: SearchResult }
  | { readonly kind: "failed"; readonly id: number; readonly failure: SearchFailure };

/** An error as data. */
export type SearchFailure =
  | { readonly kind: "file"; readonly code: Code; readonly path: string; readonly phrase: string }
  | { readonly kind: "sys"; readonly code: Code; readonly message: string }
  | { readonly kind: "fault"; readonly stack: string };

export interface SearchRunner {
  post(message: ToSearcher): void;
  /** `fault` is called if it dies. */
  listen(hear: (message: FromSearcher) => void, fault: (why: string) => void): void;
  end(): void;
}

interface SearchThreadOptions {
  readonly newRunner: () => SearchRunner;
  readonly clock: Clock;
  readonly idleMs: number;
  /** May end the idle Worker early. */
  readonly budget?: CacheBudget;
}

/** Time for a cancelled search to stop: a thread may hang in a read. */
const STOP_MS = 5000;

interface Open {
  readonly end: PromiseWithResolvers<SearchResult>;
  /** Stops the wait for a cancelled search. */
  stopped: () => void;
}

export class SearchThread {
  private runner: SearchRunner | null = null;
  /** Includes cancelled searches that have not stopped yet. */
  private readonly open = new Map<number, Open>();
  private lastId = 0;
  private stayAwake = () => {};

  constructor(private readonly options: SearchThreadOptions) {
    options.budget?.add({
      name: "idle search",
      bytes: () => (this.runner !== null && this.open.size === 0 ? IDLE_WORKER_BYTES : 0),
      shrink: (bytesMax) => bytesMax < IDLE_WORKER_BYTES && this.open.size === 0 && this.close(),
    });
  }

  get isRunning(): boolean {
    return this.runner !== null;
  }

  async search(job: SearchJob, signal: AbortSignal): Promise<SearchResult> {
    const runner = this.started();
    const id = ++this.lastId;
    const open: Open = { end: Promise.withResolvers(), stopped: () => {} };
    const cancel = () => {
      open.stopped = this.options.clock.after(STOP_MS, () => this.end("the search of this computer hangs"));
      runner.post({ kind: "abort", id });
      open.end.reject(new SysError("ECANCELED", "the search was cancelled"));
    };
    this.open.set(id, open);
    runner.post({ kind: "search", id, job });
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      return await open.end.promise;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  close(): void {
    this.end("the kernel is closing");
  }

  private started(): SearchRunner {
    this.stayAwake();
    if (this.runner !== null) return this.runner;
    const runner = this.options.newRunner();
    runner.listen(
      (message) => this.hear(message),
      (why) => runner === this.runner && this.end(`the search of this computer failed: ${why}`),
    );
    this.runner = runner;
    return runner;
  }

  private hear(message: FromSearcher): void {
    const open = this.open.get(message.id);
    if (open === undefined) return;
    this.open.delete(message.id);
    open.stopped();
    if (message.kind === "found") open.end.resolve(message.result);
    else open.end.reject(errorOf(message.failure));
    if (this.open.size > 0) return;
    this.stayAwake = this.options.clock.after(this.options.idleMs, () => this.close());
    this.options.budget?.fit();
  }

  private end(why: string): void {
    const { runner } = this;
    this.runner = null;
    this.stayAwake();
    for (const { end, stopped } of this.open.values()) {
      stopped();
      end.reject(new SysError("EIO", why, ["search again"]));
    }
    this.open.clear();
    runner?.end();
  }
}

export function failureOf(error: unknown): SearchFailure {
  if (error instanceof FileError) return { kind: "file", code: error.code, path: error.path, phrase: error.phrase };
  if (error instanceof SysError) return { kind: "sys", code: error.code, message: error.message };
  return { kind: "fault", stack: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function errorOf(failure: SearchFailure): Error {
  if (failure.kind === "fault") return new Error(failure.stack);
  if (failure.kind === "sys") return new SysError(failure.code, failure.message);
  return new FileError(failure.code as ConstructorParameters<typeof FileError>[0], failure.path, failure.phrase);
}
