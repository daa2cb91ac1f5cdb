// How long a kernel lives and how it leaves: while it has clients, work or something due soon it stays; then it drains and ends, in
// one order, whoever asked for it. A kernel whose lock file was replaced is no kernel any more: it goes at once and writes nothing.

import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { LeaveReason } from "../../abi/sys.ts";
import type { Clock } from "../../lib/clock.ts";
import { waitAtMost } from "../../lib/wait.ts";

/** run/kernel.json: who holds the home, for people and for messages. Advice only; the lock alone is proof. */
export interface KernelInfo {
  readonly pid: number;
  readonly version: string;
  readonly exe: string;
  readonly socket: string;
  readonly startedAt: number;
}

export interface LifetimeSettings {
  /** Exit after so long without work and clients. */
  readonly idleMs: number;
  /** The same before the first client has come. */
  readonly graceMs: number;
  readonly lockCheckMs: number;
  /** Time for turns in flight when the kernel drains. */
  readonly turnsMs: number;
}

/** A kernel with no clients stays for what is due within a day. */
const DUE_MS = 24 * 60 * 60 * 1000;
/** Time for turns to end after they were cut. */
const END_MS = 5000;

/** What draining means to those who do the work. Sends go on being admitted until close. */
export interface DrainSteps {
  /** From now on nothing new is claimed; what is queued stays for the next kernel. */
  stopClaiming(): void;
  /** Resolves when no turn and no dispatched effect is in flight. */
  settled(): Promise<void>;
  /** Closes what is open, in order; the socket is closed already. */
  close(): Promise<void>;
}

export interface LifetimeOptions {
  readonly lock: { stillOurs(): boolean; release(): void };
  readonly clock: Clock;
  readonly server: {
    readonly clients: number;
    onConnect(check: () => boolean): void;
    onQuiet(listener: () => void): void;
    keepReachable(): void;
    bye(why: LeaveReason): void;
    close(): Promise<void>;
  };
  /** Processes queued, running or waiting for a tool. */
  readonly isWorking: () => boolean;
  /** Until the next stored instant at which something falls due; null when there is none. */
  readonly dueWithinMs: () => number | null;
  readonly onDrain: DrainSteps;
  /** The home belongs to somebody else: end this process without writing another byte. */
  readonly onLost: () => void;
  readonly info: KernelInfo;
  readonly infoFile: string;
  readonly settings: LifetimeSettings;
}

export interface Ended {
  readonly why: LeaveReason;
  /** Work was admitted while leaving: after an idle exit, another kernel should be started for it. */
  readonly leftWork: boolean;
}

export interface Lifetime {
  /** Begins to drain, once; resolves when everything is closed and the home is free. */
  drain(why: LeaveReason): Promise<Ended>;
  /** The same end, for whoever only waits for it. */
  readonly ended: Promise<Ended>;
}

const LOOK_MS_MAX = 1000;
const LOOK_MS_MIN = 10;

export function keepLifetime(options: LifetimeOptions): Lifetime {
  const { lock, clock, server, onDrain } = options;
  const { settings } = options;
  const lookMs = Math.max(LOOK_MS_MIN, Math.min(LOOK_MS_MAX, settings.idleMs / 4, settings.graceMs / 4));
  const end = Promise.withResolvers<Ended>();
  let leaving = false;
  let lost = false;
  let metSomeone = false;
  let quietSince = clock.mono();
  let cancelLook = () => {};
  let cancelLockCheck = () => {};

  function holdsLock(): boolean {
    if (lost) return false;
    if (lock.stillOurs()) return true;
    lost = true;
    cancelLook();
    options.onLost();
    return false;
  }

  function checkLock(): void {
    if (holdsLock()) cancelLockCheck = clock.after(settings.lockCheckMs, checkLock);
  }

  function look(): void {
    cancelLook();
    const now = clock.mono();
    // Only the holder may put its socket there.
    if (!holdsLock()) return;
    server.keepReachable();
    if (isNeeded(options)) quietSince = now;
    if (now - quietSince >= (metSomeone ? settings.idleMs : settings.graceMs)) void drain("idle");
    // While somebody is connected nothing comes to its end by itself, and a kernel that has nothing to do hardly wakes.
    else cancelLook = clock.after(server.clients > 0 ? Math.max(lookMs, settings.lockCheckMs / 2) : lookMs, look);
  }

  function drain(why: LeaveReason): Promise<Ended> {
    if (!leaving && holdsLock()) {
      leaving = true;
      cancelLook();
      leave(why).then((ended) => ended !== null && end.resolve(ended), end.reject);
    }
    return end.promise;
  }

  /** Null when the home was lost meanwhile: then nothing more may be touched. */
  async function leave(why: LeaveReason): Promise<Ended | null> {
    server.bye(why);
    onDrain.stopClaiming();
    await waitAtMost(clock, settings.turnsMs + END_MS, onDrain.settled());
    if (!holdsLock()) return null;
    await server.close();
    if (!holdsLock()) return null;
    const leftWork = options.isWorking();
    await onDrain.close();
    if (!holdsLock()) return null;
    cancelLockCheck();
    rmSync(options.infoFile, { force: true });
    lock.release();
    return { why, leftWork };
  }

  server.onConnect(() => {
    metSomeone = true;
    quietSince = clock.mono();
    return holdsLock();
  });
  server.onQuiet(() => {
    quietSince = clock.mono();
    if (!leaving) look();
  });
  writeInfo(options.infoFile, options.info);
  checkLock();
  look();
  return { drain, ended: end.promise };
}

function isNeeded(options: LifetimeOptions): boolean {
  if (options.server.clients > 0 || options.isWorking()) return true;
  const due = options.dueWithinMs();
  return due !== null && due <= DUE_MS;
}

function writeInfo(file: string, info: KernelInfo): void {
  const fresh = `${file}.new`;
  writeFileSync(fresh, `${JSON.stringify(info)}\n`, { mode: 0o600 });
  renameSync(fresh, file);
}

export interface Election<Held> {
  readonly acquire: () => Held | null;
  /** Whether a kernel answers on the socket already. */
  readonly isServed: () => Promise<boolean>;
  readonly clock: Clock;
  readonly waitMs?: number;
}

const ELECTION_WAIT_MS = 2000;
const ELECTION_LOOK_MS = 5;

/** The lock, or null when another kernel serves. A holder that does not serve is coming up or going away: it is waited for a while. */
export async function elect<Held>({ acquire, isServed, clock, waitMs }: Election<Held>): Promise<Held | null> {
  const deadline = clock.mono() + (waitMs ?? ELECTION_WAIT_MS);
  for (;;) {
    const held = acquire();
    if (held !== null) return held;
    if ((await isServed()) || clock.mono() >= deadline) return null;
    await clock.sleep(ELECTION_LOOK_MS);
  }
}
