// Finds the kernel of a home, of our own version, and starts one if there is none. An older kernel is drained and replaced. A newer or
// suspended one is left alone and named in the error.

import { exitStatusOf, exitStatusOfCode, messageOf, SysError } from "../abi/errno.ts";
import type { Credentials } from "../abi/identity.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { ClientInfo } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { waitAtMost } from "../lib/wait.ts";
import { ConnectionLost, dial, type Link } from "./client.ts";

/** How a starter ended: as the kernel, because another was faster, or with an error. */
export interface StarterEnd {
  readonly status: number;
  /** The error, if it failed. */
  readonly says: string | null;
  readonly hints?: readonly string[];
}

export interface FindOptions {
  readonly socketPath: string;
  /** Whether a kernel may listen there. Throws if something else is in its place. */
  readonly mayDial?: () => boolean;
  readonly info: ClientInfo;
  readonly login?: Credentials | undefined;
  /** Our own binary, for error messages. */
  readonly exe: string;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Starts a kernel, detached. Resolves when the starter ends, which may be never. */
  readonly startKernel: () => Promise<StarterEnd>;
  /** Calls back when a socket may have appeared. May miss it, so poll as well. */
  readonly watchSocket?: (onSocket: () => void) => () => void;
  /** The pid in run/kernel.json, for error messages. */
  readonly holderPid: () => number | null;
  /** null if unknown. */
  readonly isSuspended: (pid: number) => Promise<boolean | null>;
  readonly settings?: Partial<FindSettings>;
}

export interface FindSettings {
  readonly helloMs: number;
  /** How long a busy kernel may take to answer. */
  readonly busyMs: number;
  /** How long a kernel may take to start. */
  readonly startMs: number;
  /** How long an older kernel may take to drain. */
  readonly upgradeMs: number;
  readonly retryMs: number;
}

export const DRAIN = "sys.drain";

const SETTINGS: FindSettings = { helloMs: 2000, busyMs: 10_000, startMs: 5000, upgradeMs: 30_000, retryMs: 4 };
const RETRY_MS_MAX = 50;
const LOGIN_PATIENCE = 10;
/** After so many tries without a kernel, start another one. */
const TRIES_PER_STARTER = 10;
const TRY_LATER = exitStatusOfCode("EAGAIN");
/** Higher statuses are signals. */
const STATUS_MAX = 127;
const LOG_HINT = "for details, run: gsv logs";

/** The way to a kernel. */
export interface Finder {
  /** Whether the kernel has recently failed to answer. */
  readonly isSilent: boolean;
  /** Keeps looking for a lost kernel while there are listeners. */
  readonly comesBack?: boolean;
  /** The running kernel, or null. */
  probe(): Promise<Link | null>;
  /** A running kernel. `mayStart` throws if none may be started, or if the caller has gone. */
  ensure(mayStart: () => void): Promise<Link>;
}

export class KernelFinder implements Finder {
  private readonly settings: FindSettings;
  private silentUntil = Number.NEGATIVE_INFINITY;
  /** Wrong credentials are not retried, because each attempt counts towards the lockout. */
  private wrongLogin: SysError | null = null;

  constructor(private readonly options: FindOptions) {
    this.settings = { ...SETTINGS, ...options.settings };
  }

  /** Until then the holder of the home counts as silent. */
  get isSilent(): boolean {
    return this.options.clock.mono() < this.silentUntil;
  }

  /** The running kernel, or null. */
  async probe(): Promise<Link | null> {
    if (this.options.mayDial?.() === false) return null;
    try {
      return await this.sameVersion(await this.dial(0));
    } catch (error) {
      if (error instanceof ConnectionLost) return null;
      throw error;
    }
  }

  /** Starts a kernel if needed. `mayStart` throws if it must not, or if the caller has gone. */
  async ensure(mayStart: () => void): Promise<Link> {
    const { clock } = this.options;
    const { startMs, retryMs, busyMs } = this.settings;
    const starter = new Starter(this.options.startKernel);
    using socket = new SocketWait(this.options);
    let deadline = clock.mono() + startMs;
    for (let tries = 0; ; tries++) {
      try {
        const link = await this.sameVersion(await this.dial(busyMs));
        if (link !== null) return link;
        deadline = clock.mono() + startMs;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        if (error.how === "silent") throw await this.silent();
        mayStart();
        if (clock.mono() > deadline) throw notUp(startMs, starter.lastWords ?? error.message);
        if (error.how === "absent") starter.tried();
      }
      // Short at first: a kernel starts in about 20 ms. Longer later: the computer is busy then.
      await socket.within(Math.min(retryMs * (1 + tries / 10), RETRY_MS_MAX));
    }
  }

  private async dial(busyMs: number): Promise<Link> {
    const { socketPath, mayDial, info, login, clock } = this.options;
    // Password checks are slow and run one at a time.
    const helloMs = this.settings.helloMs * (login === undefined ? 1 : LOGIN_PATIENCE);
    if (this.wrongLogin !== null) throw this.wrongLogin;
    if (mayDial?.() === false) throw new ConnectionLost("absent", `nothing is at ${socketPath}`);
    const patience = { busyMs, isSuspended: async () => (await this.holder()).isSuspended === true };
    try {
      return await dial({ socketPath, info, login, clock, helloMs, patience });
    } catch (error) {
      if (error instanceof SysError && error.code === "EAUTH") this.wrongLogin = error;
      if (error instanceof ConnectionLost && error.how === "silent") this.silentUntil = clock.mono() + helloMs;
      throw error;
    }
  }

  /** null if it was an older kernel, which has exited now. */
  private async sameVersion(link: Link): Promise<Link | null> {
    const { info, exe } = this.options;
    const { version, exe: theirs } = link.kernel;
    const order = compareVersions(info.version, version);
    if (order === 0) return link;
    if (order > 0) return this.retire(link);
    link.close();
    throw new SysError("ECONFIG", `gsv ${info.version} is older than the running kernel ${version}`, [
      `use ${theirs} instead of ${exe}, or stop that kernel: ${theirs} kernel stop`,
    ]);
  }

  private async retire(link: Link): Promise<null> {
    const { clock, random, info, exe } = this.options;
    const enough = new AbortController();
    link.call(DRAIN, { why: "upgrade" }, { requestId: uuidv7(clock.now(), random) }).catch((error) => {
      if (!(error instanceof ConnectionLost)) enough.abort();
    });
    const left = link.ended.then(() => true);
    const late = clock.sleep(this.settings.upgradeMs, enough.signal).then(() => false);
    const gone = await Promise.race([left, late]);
    enough.abort();
    if (gone) return null;
    link.close();
    const { version, exe: theirs } = link.kernel;
    throw new SysError("ECONFIG", `the running kernel ${version} is older than gsv ${info.version} and does not exit`, [
      `stop it, then use ${exe}: ${theirs} kernel stop`,
    ]);
  }

  private async holder(): Promise<{ readonly pid: number | null; readonly isSuspended: boolean | null }> {
    const pid = this.options.holderPid();
    return { pid, isSuspended: pid === null ? null : await this.options.isSuspended(pid) };
  }

  private async silent(): Promise<SysError> {
    const { pid, isSuspended } = await this.holder();
    const who = pid === null ? "the process that locks gsv's home" : `the kernel (pid ${pid})`;
    if (isSuspended === false)
      return new SysError("EAGAIN", `${who} is too busy to answer`, [
        "try again in a moment; gsv doctor shows the cause",
      ]);
    const what = isSuspended ? "is suspended" : "does not answer; it may be suspended";
    return new SysError("EAGAIN", `${who} ${what}`, [
      pid === null ? "resume the suspended gsv kernel" : `kill -CONT ${pid}`,
    ]);
  }
}

/** Waits for a socket. Watches nothing before the first wait, because most calls find a running kernel. */
class SocketWait implements Disposable {
  private unwatch: (() => void) | null = null;
  private appeared = Promise.withResolvers<void>();

  constructor(private readonly options: Pick<FindOptions, "watchSocket" | "clock">) {}

  async within(ms: number): Promise<void> {
    const { watchSocket, clock } = this.options;
    this.unwatch ??= watchSocket?.(() => this.appeared.resolve()) ?? null;
    await waitAtMost(clock, ms, this.appeared.promise);
    this.appeared = Promise.withResolvers();
  }

  [Symbol.dispose](): void {
    this.unwatch?.();
  }
}

/** The starters of one attempt: one at a time, and another only after the last one failed. */
class Starter {
  lastWords: string | null = null;
  private running = false;
  private triesLeft = 0;
  private refused: SysError | null = null;

  constructor(private readonly start: () => Promise<StarterEnd>) {}

  tried(): void {
    if (this.refused !== null) throw this.refused;
    if (this.running || this.triesLeft-- > 0) return;
    this.running = true;
    this.triesLeft = TRIES_PER_STARTER;
    this.start().then(
      (end) => this.ended(end),
      (error) => {
        const { hints } = error instanceof SysError ? error : { hints: [] };
        this.ended({ status: exitStatusOf(error), says: messageOf(error), hints });
      },
    );
  }

  private ended(end: StarterEnd): void {
    this.running = false;
    if (end.says !== null) this.lastWords = end.says;
    // Another starter would fail the same way.
    const isFinal = end.status !== 0 && end.status !== TRY_LATER && end.status <= STATUS_MAX;
    if (end.says === null || !isFinal) return;
    const code = end.status === exitStatusOfCode("ECONFIG") ? "ECONFIG" : "EIO";
    this.refused = new SysError(code, end.says, end.hints?.length ? end.hints : [LOG_HINT]);
  }
}

function notUp(startMs: number, why: string): SysError {
  return new SysError("EAGAIN", `the kernel did not start within ${startMs / 1000} s: ${why}`, [LOG_HINT]);
}

// An unreadable version counts as older than any.
function compareVersions(left: string, right: string): number {
  if (left === right) return 0;
  if (!isVersion(left) || !isVersion(right)) return isVersion(left) ? 1 : -1;
  return Bun.semver.order(left, right);
}

function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+/.test(text);
}
