// One MCP server while the kernel runs: started at the first need, stopped when idle, and started again with a growing pause after it failed.

import { messageOf, SysError } from "../../abi/errno.ts";
import type { McpState, McpTool } from "../../abi/links/mcp.ts";
import type { Clock } from "../../lib/clock.ts";
import { either } from "../../lib/wait.ts";
import type { CallOptions, LinkPeer, McpLink } from "./link.ts";
import type { CallEnd } from "./results.ts";

export interface RunningPorts {
  readonly name: string;
  readonly clock: Clock;
  readonly open: (signal: AbortSignal, peer: LinkPeer) => Promise<McpLink>;
  /** The tools were listed. Resolves when they are stored. */
  readonly listed: (link: McpLink, tools: readonly McpTool[]) => Promise<void>;
  readonly log: (line: string) => void;
}

const IDLE_MS = 5 * 60_000;
/** A burst of changes is one new list. */
const CHANGE_MS = 500;
const CALL_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1000;
const PAUSE_MS_MAX = 60_000;
const NEVER = new AbortController().signal;
/** Why a call ended without an answer. */
const LATE = new SysError("ETIMEDOUT", `no answer in ${CALL_MS / 60_000} minutes`);
const ENDED = new SysError("EIO", "the server ended");
const STOPPED = new SysError("ECANCELED", "the server was stopped");

export class RunningServer {
  private current: Promise<McpLink> | null = null;
  /** Ends the start and the calls of the current connection. */
  private leave = new AbortController();
  private isReady = false;
  private startedPid: number | null = null;
  private isClosed = false;
  private calls = 0;
  /** Of the calls in flight, the newest last. */
  private readonly talks: CallOptions["talk"][] = [];
  private failures = 0;
  private failed: { readonly why: string; readonly until: number; readonly login: SysError | null } | null = null;
  private cancelIdle = () => {};
  private cancelChange = () => {};

  constructor(private readonly ports: RunningPorts) {}

  get state(): Exclude<McpState, "off" | "pending"> {
    if (this.current !== null) return this.isReady ? "ready" : "starting";
    if (this.failed === null) return "idle";
    return this.failed.login === null ? "failed" : "needs-login";
  }

  get pid(): number | null {
    return this.isReady ? this.startedPid : null;
  }

  get error(): string | null {
    return this.failed?.why ?? null;
  }

  /** Starts the server if needed; not during the pause after a failure. */
  async ready(): Promise<void> {
    await this.opened();
  }

  async call(tool: McpTool, args: { readonly [name: string]: unknown }, options: CallOptions): Promise<CallEnd> {
    this.cancelIdle();
    this.calls++;
    const { talk } = options;
    try {
      const link = await this.opened();
      const { leave } = this;
      const late = this.deadline(talk);
      this.talks.push(talk);
      const signal = either(either(options.signal, leave.signal), late.signal);
      const end = await link.call(tool, args, { ...options, signal }).finally(() => late.cancel());
      // A server that ends at its first call is failing, however often it starts.
      if (end.kind !== "unknown") this.failures = 0;
      if (end.kind === "failed" && end.isOver) await this.leaveSession(leave);
      return end;
    } catch (error) {
      if (loginOf(error) !== null) this.signedOut(error);
      throw error;
    } finally {
      this.calls--;
      const at = this.talks.indexOf(talk);
      if (at !== -1) this.talks.splice(at, 1);
      this.rest();
    }
  }

  /** Asks for something that has no effect. */
  async ask<T>(work: (link: McpLink, signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    this.cancelIdle();
    this.calls++;
    try {
      const link = await this.opened();
      return await work(link, either(signal, this.leave.signal));
    } finally {
      this.calls--;
      this.rest();
    }
  }

  /** The time that a person takes does not count. */
  private deadline({ isWaiting }: CallOptions["talk"]): { readonly signal: AbortSignal; cancel(): void } {
    const late = new AbortController();
    let cancel = () => {};
    const begin = () => {
      cancel = this.ports.clock.after(CALL_MS, () => (isWaiting() ? begin() : late.abort(LATE)));
    };
    begin();
    return { signal: late.signal, cancel: () => cancel() };
  }

  /** The server has forgotten the session: the next call begins another one. */
  private async leaveSession(leave: AbortController): Promise<void> {
    if (this.leave !== leave || this.current === null) return;
    const link = await this.current;
    [this.current, this.isReady] = [null, false];
    leave.abort(ENDED);
    await link.close();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelIdle();
    this.cancelChange();
    this.leave.abort(STOPPED);
    const link = await this.current?.catch(() => null);
    await link?.close();
  }

  private async opened(): Promise<McpLink> {
    if (this.isClosed) throw new SysError("EAGAIN", `${this.ports.name} is being stopped`);
    if (this.current !== null) return await this.current;
    const { failed, ports } = this;
    const waitMs = failed === null ? 0 : failed.until - ports.clock.mono();
    if (failed !== null && failed.login !== null && waitMs > 0) throw failed.login;
    if (failed !== null && waitMs > 0)
      throw new SysError("EAGAIN", `${ports.name}: ${failed.why}`, [
        `next try in ${Math.ceil(waitMs / 1000)} s; to try now: gsv mcp refresh ${ports.name}`,
      ]);
    this.current = this.open();
    return await this.current;
  }

  private async open(): Promise<McpLink> {
    const leave = new AbortController();
    this.leave = leave;
    let link: McpLink | null = null;
    try {
      link = await this.ports.open(leave.signal, {
        onChange: () => this.changed(),
        ask: (request) =>
          this.talks.at(-1)?.ask(request) ?? Promise.reject(new SysError("EPERM", "no call is in progress")),
        roots: async () => {
          const all = (await Promise.all(this.talks.map((talk) => talk.roots()))).flat();
          return [...new Map(all.map((root) => [root.uri, root])).values()];
        },
        log: this.ports.log,
      });
      void link.closed.then(() => this.ended(leave));
      await this.ports.listed(link, await link.tools(leave.signal));
      if (leave.signal.aborted) throw new SysError("EIO", "it has ended");
      [this.isReady, this.failed, this.startedPid] = [true, null, link.pid];
      this.rest();
      return link;
    } catch (error) {
      leave.abort();
      await link?.close();
      this.fail(messageOf(error), loginOf(error));
      throw error;
    }
  }

  private ended(leave: AbortController): void {
    leave.abort(ENDED);
    if (this.leave !== leave || !this.isReady || this.isClosed) return;
    this.cancelIdle();
    this.fail("it has ended");
  }

  private signedOut(error: unknown): void {
    const { current } = this;
    if (current === null) return;
    this.fail(messageOf(error), loginOf(error));
    void current.then((link) => link.close()).catch(ignore);
  }

  private fail(why: string, login: SysError | null = null): void {
    const pauseMs = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** this.failures++);
    [this.current, this.isReady] = [null, false];
    this.failed = { why, login, until: this.ports.clock.mono() + pauseMs };
    this.ports.log(why);
  }

  /** Stops a server after a while without calls: each is a process of some 50 MB. */
  private rest(): void {
    this.cancelIdle();
    if (this.calls > 0 || this.isClosed) return;
    this.cancelIdle = this.ports.clock.after(IDLE_MS, () => {
      const { current } = this;
      [this.current, this.isReady] = [null, false];
      void current?.then((link) => link.close()).catch(ignore);
    });
  }

  private changed(): void {
    this.cancelChange();
    this.cancelChange = this.ports.clock.after(CHANGE_MS, () => {
      void this.current
        ?.then(async (link) => this.ports.listed(link, await link.tools(NEVER)))
        .catch((error: unknown) => this.ports.log(messageOf(error)));
    });
  }
}

/** The server refuses requests until a person signs in. */
function loginOf(error: unknown): SysError | null {
  return error instanceof SysError && error.code === "EAUTH" ? error : null;
}

function ignore(): void {}
