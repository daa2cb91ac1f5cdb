// How long a kernel lives and how it exits. It stays while it has clients, work or something due soon. Then it drains and exits, always in
// one order. A kernel with a replaced lock file exits at once and writes nothing.

import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { LeaveReason } from "../../abi/sys.ts";
import type { Clock } from "../../lib/clock.ts";
import { waitAtMost } from "../../lib/wait.ts";

/** run/kernel.json: the holder of the home, for people and messages. Only the lock is proof. */
export interface KernelInfo {
  readonly pid: number;
  readonly version: string;
  readonly exe: string;
  readonly socket: string;
  readonly startedAt: number;
}

export interface LifetimeSettings {
  /** Idle time before exit. */
  readonly idleMs: number;
  /** Idle time before the first client. */
  readonly graceMs: number;
  readonly lockCheckMs: number;
  /** Time for turns in flight when the kernel drains. */
  readonly turnsMs: number;
}

/** Without clients, a kernel stays for anything due within a day. */
const DUE_MS = 24 * 60 * 60 * 1000;
/** Time for cut turns to end. */
const END_MS = 5000;

/** The effect of a drain on work. Messages are still admitted until close. */
export interface DrainSteps {
  /** Claims nothing new; queued messages stay for the next kernel. */
  stopClaiming(): void;
  /** Resolves when no turn and no dispatched effect is in flight. */
  settled(): Promise<void>;
  /** Closes everything that is open, in order. The socket is closed already. */
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
  /** Time until the next stored instant is due; null if there is none. */
  readonly dueWithinMs: () => number | null;
  readonly onDrain: DrainSteps;
  /** The home has another holder: exit without another write. */
  readonly onLost: () => void;
  readonly info: KernelInfo;
  readonly infoFile: string;
  readonly settings: LifetimeSettings;
  /** Calls back when a file that the checks look at may have changed. Returns null if the system reports no changes. */
  readonly watch: (changed: () => void) => (() => void) | null;
}

export interface Ended {
  readonly why: LeaveReason;
  /** Work was admitted during the exit: after an idle exit, another kernel must be started for it. */
  readonly leftWork: boolean;
}

export interface Lifetime {
  /** Starts the drain, once. Resolves when everything is closed and the home is free. */
  drain(why: LeaveReason): Promise<Ended>;
  /** Resolves like the drain, for listeners. */
  readonly ended: Promise<Ended>;
}

/** Fewer checks while a kernel waits for its clients, if changes are reported. */
const REPORTED = 6;
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
  let unwatch = () => {};
  let restMs = settings.lockCheckMs / 2;

  function holdsLock(): boolean {
    if (lost) return false;
    if (lock.stillOurs()) return true;
    lost = true;
    stop();
    options.onLost();
    return false;
  }

  function stop(): void {
    cancelLook();
    unwatch();
  }

  /** The one timer: checks the lock and the socket, and whether anything is left to do. */
  function look(): void {
    cancelLook();
    const now = clock.mono();
    // Only the holder may put its socket there.
    if (!holdsLock()) return;
    if (leaving) {
      cancelLook = clock.after(settings.lockCheckMs, look);
      return;
    }
    server.keepReachable();
    if (isNeeded(options)) quietSince = now;
    if (now - quietSince >= (metSomeone ? settings.idleMs : settings.graceMs)) void drain("idle");
    else cancelLook = clock.after(isResting(options) ? Math.max(lookMs, restMs) : lookMs, look);
  }

  function drain(why: LeaveReason): Promise<Ended> {
    if (!leaving && holdsLock()) {
      leaving = true;
      look();
      leave(why).then((ended) => ended !== null && end.resolve(ended), end.reject);
    }
    return end.promise;
  }

  /** null if the lock was lost meanwhile: then touch nothing. */
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
    stop();
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
  look();
  const reports = options.watch(look);
  if (reports !== null) [unwatch, restMs] = [reports, settings.lockCheckMs * REPORTED];
  return { drain, ended: end.promise };
}

function isNeeded(options: LifetimeOptions): boolean {
  return options.server.clients > 0 || options.isWorking() || isDueSoon(options);
}

/** True while the kernel waits for its clients or for an instant: then it checks less often, because neither ends by itself. */
function isResting(options: LifetimeOptions): boolean {
  return options.server.clients > 0 || (isDueSoon(options) && !options.isWorking());
}

function isDueSoon({ dueWithinMs }: LifetimeOptions): boolean {
  const due = dueWithinMs();
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

/** The lock; null if another kernel serves. Waits a while for a holder that does not serve: it is starting or exiting. */
export async function elect<Held>({ acquire, isServed, clock, waitMs }: Election<Held>): Promise<Held | null> {
  const deadline = clock.mono() + (waitMs ?? ELECTION_WAIT_MS);
  for (;;) {
    const held = acquire();
    if (held !== null) return held;
    if ((await isServed()) || clock.mono() >= deadline) return null;
    await clock.sleep(ELECTION_LOOK_MS);
  }
}
