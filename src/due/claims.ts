// Claims what is due: one alarm for the earliest instant in the store, one verb that claims, and a handler for each kind. What a handler could
// not carry out in another database is claimed again later.

import { Alarms, type DueQueue } from "../lib/alarm.ts";
import type { Clock } from "../lib/clock.ts";
import type { Carried, Claim, ClaimOf, DueKind } from "../store/kernel/due/due.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { StoreUnavailable } from "../store/open.ts";
import { planOf } from "./timetable.ts";

export interface ClaimsPorts {
  readonly queue: DueQueue;
  readonly kernel: Pick<KernelStore, "due">;
  readonly clock: Clock;
  /** UUIDv7. */
  readonly newId: () => string;
  readonly onFault: (error: unknown) => void;
}

type Handlers = {
  readonly [K in DueKind]: (claims: readonly ClaimOf<K>[]) => Promise<unknown>;
};

/** Schedules of one claim. */
const CLAIMS_MAX = 50;
const RETRY_MS = 5000;
const AGAIN_MS = 60_000;

export class Claims {
  private readonly alarms: Alarms<"due">;
  private readonly again: Alarms<Carried>;
  private handlers: Handlers | null = null;
  private pass: Promise<void> | null = null;
  /** Starts of schedules in flight. They may take long and hold up nothing else; meanwhile no schedule is claimed. */
  private starting: Promise<void> | null = null;
  private isWanted = false;
  private isStopped = false;
  /** The first instant that needs a running kernel; an expiry does not. */
  private startsAt: number | null = null;
  /** The first instant may be gone. */
  private isStale = false;

  constructor(private readonly ports: ClaimsPorts) {
    const { queue } = ports;
    this.alarms = new Alarms({ queue, ring: () => this.look() });
    this.again = new Alarms({ queue, ring: (claim) => this.release(claim) });
  }

  /** Claims what has become due since the last kernel. */
  async begin(handlers: Handlers): Promise<void> {
    this.handlers = handlers;
    await this.arm();
  }

  /** Call it after instants in the store have changed. */
  async arm(): Promise<void> {
    if (this.handlers === null || this.isStopped) return;
    this.isStale = false;
    const { at, startsAt } = await this.ports.kernel.due.earliest({ schedules: this.starting === null });
    this.startsAt = startsAt;
    if (at === null) this.alarms.delete("due");
    else if (!this.isStopped) this.alarms.set("due", at);
  }

  /** Call it after an instant was stored or, without one, may have been removed. Cheaper than `arm`. */
  expect(at: number | null): void {
    if (this.handlers === null || this.isStopped) return;
    if (at === null) {
      this.isStale = true;
      return;
    }
    this.startsAt = this.startsAt === null ? at : Math.min(at, this.startsAt);
    const armed = this.alarms.at("due");
    if (armed === null || at < armed) this.alarms.set("due", at);
  }

  dueWithinMs(): number | null {
    if (this.isStale && this.startsAt !== null) this.arm().catch(this.ports.onFault);
    return this.startsAt === null ? null : Math.max(0, this.startsAt - this.ports.clock.now());
  }

  get isBusy(): boolean {
    return this.pass !== null || this.starting !== null;
  }

  /** Claims nothing more. */
  stop(): void {
    this.isStopped = true;
    this.alarms.clear();
    this.again.clear();
  }

  async settled(): Promise<void> {
    await this.pass;
    await this.starting;
  }

  private async look(): Promise<void> {
    this.isWanted = true;
    this.pass ??= this.passes().finally(() => {
      this.pass = null;
    });
    await this.pass;
  }

  private async passes(): Promise<void> {
    const { kernel, clock, newId, onFault } = this.ports;
    try {
      while (this.isWanted && !this.isStopped) {
        this.isWanted = false;
        const now = clock.now();
        const limit = this.starting === null ? CLAIMS_MAX : 0;
        const claims = await kernel.due.claim({ now, limit }, (due) => planOf(due, now, newId));
        await this.handOut(claims);
        this.isWanted ||= claims.length > 0;
      }
      await this.arm();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) onFault(error);
      if (!this.isStopped) this.alarms.set("due", clock.now() + RETRY_MS);
    }
  }

  private async handOut(claims: readonly Claim[]): Promise<void> {
    const { handlers } = this;
    if (handlers === null) return;
    const work = [...Map.groupBy(claims, ({ kind }) => kind)].map(([kind, ofKind]) => {
      const handed = this.hand(handlers[kind] as (claims: unknown) => unknown, ofKind);
      if (kind !== "schedule") return handed;
      this.starting = handed.finally(() => {
        this.starting = null;
        if (!this.isStopped) void this.look();
      });
      return null;
    });
    await Promise.all(work);
  }

  private async hand(handler: (claims: unknown) => unknown, claims: readonly Claim[]): Promise<void> {
    try {
      await handler(claims);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.ports.onFault(error);
      for (const claim of claims) if (isCarried(claim)) this.later(claim);
    }
  }

  private later(claim: Carried): void {
    if (!this.isStopped) this.again.set(claim, this.ports.clock.now() + AGAIN_MS);
  }

  private async release(claim: Carried): Promise<void> {
    try {
      await this.ports.kernel.due.release(claim);
      await this.arm();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.ports.onFault(error);
      this.later(claim);
    }
  }
}

function isCarried(claim: Claim): claim is Carried {
  return claim.kind === "request" || claim.kind === "run";
}
