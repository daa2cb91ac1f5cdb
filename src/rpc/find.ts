// Finding the kernel of a home: a connection to one of our own version, started when there is none. An older kernel is asked to
// finish and leave; a newer one, and a holder that is suspended, are named and left alone.

import { exitStatusOf, exitStatusOfCode, messageOf, SysError } from "../abi/errno.ts";
import type { Credentials } from "../abi/identity.ts";
import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import type { ClientInfo } from "../abi/sys.ts";
import type { Clock } from "../lib/clock.ts";
import { waitAtMost } from "../lib/wait.ts";
import { ConnectionLost, dial, type Link } from "./client.ts";

/** How a starter ended: it was the kernel, or another was faster, or it could not. */
export interface StarterEnd {
  readonly status: number;
  /** Its last words, when it failed. */
  readonly says: string | null;
  readonly hints?: readonly string[];
}

export interface FindOptions {
  readonly socketPath: string;
  /** False while nobody of ours can be there; throws when somebody else is. */
  readonly mayDial?: () => boolean;
  readonly info: ClientInfo;
  readonly login?: Credentials | undefined;
  /** Our own binary, for messages that name it. */
  readonly exe: string;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** Starts a kernel, detached; resolves when the starter has ended, so perhaps never. */
  readonly startKernel: () => Promise<StarterEnd>;
  /** Tells when a socket may have come; who is not told looks again after a while. */
  readonly watchSocket?: (came: () => void) => () => void;
  /** The pid in run/kernel.json: whom to name when nobody says hello. */
  readonly holderPid: () => number | null;
  /** Null when it cannot be told. */
  readonly isSuspended: (pid: number) => Promise<boolean | null>;
  readonly settings?: Partial<FindSettings>;
}

export interface FindSettings {
  readonly helloMs: number;
  /** How long a kernel that is up may have no time for us, before a call that needs it is given up. */
  readonly busyMs: number;
  /** How long a kernel may take to come up. */
  readonly startMs: number;
  /** How long an older kernel may take to finish what is in flight. */
  readonly upgradeMs: number;
  readonly retryMs: number;
}

export const DRAIN = "sys.drain";

const SETTINGS: FindSettings = { helloMs: 2000, busyMs: 10_000, startMs: 5000, upgradeMs: 30_000, retryMs: 4 };
const RETRY_MS_MAX = 50;
const LOGIN_PATIENCE = 10;
/** A starter that ended without a kernel coming up is followed by another after so many tries. */
const TRIES_PER_STARTER = 10;
const TRY_LATER = exitStatusOfCode("EAGAIN");
/** Beyond it stand the signals a starter may have been ended by. */
const STATUS_MAX = 127;
const LOG_HINT = "its log says why: log/kernel.log in gsv's home";

export class KernelFinder {
  private readonly settings: FindSettings;
  private silentUntil = Number.NEGATIVE_INFINITY;
  /** Credentials that were wrong once are not tried again: each attempt counts. */
  private wrongLogin: SysError | null = null;

  constructor(private readonly options: FindOptions) {
    this.settings = { ...SETTINGS, ...options.settings };
  }

  /** Somebody held the home a moment ago and did not say hello. */
  get isSilent(): boolean {
    return this.options.clock.mono() < this.silentUntil;
  }

  /** The kernel that is up now, or null. */
  async probe(): Promise<Link | null> {
    if (this.options.mayDial?.() === false) return null;
    try {
      return await this.ours(await this.dial(0));
    } catch (error) {
      if (error instanceof ConnectionLost) return null;
      throw error;
    }
  }

  /** A kernel in any case. `mayStart` throws when none may be started, and when nobody wants one any more. */
  async ensure(mayStart: () => void): Promise<Link> {
    const { clock } = this.options;
    const { startMs, retryMs, busyMs } = this.settings;
    const starter = new Starter(this.options.startKernel);
    using coming = new Coming(this.options);
    let deadline = clock.mono() + startMs;
    for (let tries = 0; ; tries++) {
      try {
        const link = await this.ours(await this.dial(busyMs));
        if (link !== null) return link;
        deadline = clock.mono() + startMs;
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        if (error.how === "silent") throw await this.silent();
        mayStart();
        if (clock.mono() > deadline) throw notUp(startMs, starter.lastWords ?? error.message);
        if (error.how === "absent") starter.tried();
      }
      // Short at first, because a kernel is up in some 20 ms; longer later, because then the machine is busy.
      await coming.within(Math.min(retryMs * (1 + tries / 10), RETRY_MS_MAX));
    }
  }

  private async dial(busyMs: number): Promise<Link> {
    const { socketPath, mayDial, info, login, clock } = this.options;
    // Looking at a password takes a while, and several wait for each other.
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

  /** Null when it was an older one, which has left now. */
  private async ours(link: Link): Promise<Link | null> {
    const { info, exe } = this.options;
    const { version, exe: theirs } = link.kernel;
    const order = compareVersions(info.version, version);
    if (order === 0) return link;
    if (order > 0) return this.retire(link);
    link.close();
    throw new SysError(
      "ECONFIG",
      `this gsv ${info.version} (${exe}) is older than the running kernel ${version} (${theirs})`,
      [`use ${theirs}, or stop that kernel first: ${theirs} kernel stop`],
    );
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
    throw new SysError(
      "ECONFIG",
      `the running kernel ${version} (${theirs}) is older than this gsv ${info.version} (${exe}) and does not leave`,
      [`stop it: ${theirs} kernel stop`],
    );
  }

  private async holder(): Promise<{ readonly pid: number | null; readonly isSuspended: boolean | null }> {
    const pid = this.options.holderPid();
    return { pid, isSuspended: pid === null ? null : await this.options.isSuspended(pid) };
  }

  private async silent(): Promise<SysError> {
    const { pid, isSuspended } = await this.holder();
    const who = pid === null ? "the process that holds gsv's home" : `the kernel (pid ${pid})`;
    if (isSuspended === false)
      return new SysError("EAGAIN", `${who} is too busy to answer, or the machine is`, [
        "try again in a moment; gsv doctor looks at both",
      ]);
    const what = isSuspended ? "is suspended" : "does not answer; it may be suspended";
    return new SysError("EAGAIN", `${who} ${what}`, [
      pid === null ? "resume the suspended gsv kernel" : `kill -CONT ${pid}`,
    ]);
  }
}

/** Waits for a socket to come, for a while at a time. Nothing is watched before the first wait: most find a kernel that is up. */
class Coming implements Disposable {
  private unwatch: (() => void) | null = null;
  private came = Promise.withResolvers<void>();

  constructor(private readonly options: Pick<FindOptions, "watchSocket" | "clock">) {}

  async within(ms: number): Promise<void> {
    const { watchSocket, clock } = this.options;
    this.unwatch ??= watchSocket?.(() => this.came.resolve()) ?? null;
    await waitAtMost(clock, ms, this.came.promise);
    this.came = Promise.withResolvers();
  }

  [Symbol.dispose](): void {
    this.unwatch?.();
  }
}

/** The starters of one attempt: never two at once, and another only after the last one ended for nothing. */
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
        this.ended({
          status: exitStatusOf(error),
          says: messageOf(error),
          hints,
        });
      },
    );
  }

  private ended(end: StarterEnd): void {
    this.running = false;
    if (end.says !== null) this.lastWords = end.says;
    // What it found is so for every starter: trying again changes nothing.
    const isFinal = end.status !== 0 && end.status !== TRY_LATER && end.status <= STATUS_MAX;
    if (end.says === null || !isFinal) return;
    const code = end.status === exitStatusOfCode("ECONFIG") ? "ECONFIG" : "EIO";
    this.refused = new SysError(code, end.says, end.hints?.length ? end.hints : [LOG_HINT]);
  }
}

function notUp(startMs: number, why: string): SysError {
  return new SysError("EAGAIN", `no kernel came up within ${startMs / 1000} s: ${why}`, [LOG_HINT]);
}

// A version that is none is nobody's future: whoever has a real one takes over.
function compareVersions(left: string, right: string): number {
  if (left === right) return 0;
  if (!isVersion(left) || !isVersion(right)) return isVersion(left) ? 1 : -1;
  return Bun.semver.order(left, right);
}

function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+/.test(text);
}
