// Decides which process uses a provider next. All processes with the same key share a lane: a number of parallel requests, ordered by
// priority, watched processes before background ones, then by arrival. If a provider names a time to come back, the whole lane waits. Lanes
// live in memory and start empty.

import type { Clock } from "../../lib/clock.ts";

/** Added to the priority of a process that nobody watches. */
const BACKGROUND = 10;

export interface Waiting {
  /** -20 to 19; lower goes first. */
  readonly nice: number;
  readonly watched: boolean;
  readonly most: number;
  readonly signal: AbortSignal;
}

interface Ticket {
  readonly rank: number;
  readonly most: number;
  readonly enter: () => void;
}

interface Lane {
  busy: number;
  pausedUntil: number;
  readonly tickets: Ticket[];
  wake: (() => void) | null;
}

export class Lanes {
  private readonly lanes = new Map<string, Lane>();

  constructor(private readonly clock: Clock) {}

  /** Waits for a turn. Returns the function that leaves the lane, or null if aborted. */
  async enter(key: string, { nice, watched, most, signal }: Waiting): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    const lane = this.lane(key);
    const entered = Promise.withResolvers<boolean>();
    const ticket: Ticket = { rank: nice + (watched ? 0 : BACKGROUND), most, enter: () => entered.resolve(true) };
    const after = lane.tickets.findIndex(({ rank }) => rank > ticket.rank);
    lane.tickets.splice(after === -1 ? lane.tickets.length : after, 0, ticket);
    const leaveQueue = () => {
      const at = lane.tickets.indexOf(ticket);
      if (at !== -1) lane.tickets.splice(at, 1);
      entered.resolve(false);
      this.next(key, lane);
    };
    signal.addEventListener("abort", leaveQueue, { once: true });
    this.next(key, lane);
    const isIn = await entered.promise;
    signal.removeEventListener("abort", leaveQueue);
    if (!isIn) return null;
    let isOut = false;
    return () => {
      if (isOut) return;
      isOut = true;
      lane.busy--;
      this.next(key, lane);
    };
  }

  park(key: string, until: number): void {
    const lane = this.lane(key);
    if (until <= lane.pausedUntil) return;
    lane.pausedUntil = until;
    lane.wake?.();
    lane.wake = null;
    this.next(key, lane);
  }

  pausedUntil(key: string): number {
    return this.lanes.get(key)?.pausedUntil ?? 0;
  }

  waiting(key: string): number {
    return this.lanes.get(key)?.tickets.length ?? 0;
  }

  private lane(key: string): Lane {
    const there = this.lanes.get(key);
    if (there !== undefined) return there;
    const lane: Lane = { busy: 0, pausedUntil: 0, tickets: [], wake: null };
    this.lanes.set(key, lane);
    return lane;
  }

  private next(key: string, lane: Lane): void {
    const wait = lane.pausedUntil - this.clock.now();
    if (wait > 0) {
      if (lane.tickets.length > 0)
        lane.wake ??= this.clock.after(wait, () => {
          lane.wake = null;
          this.next(key, lane);
        });
      return;
    }
    for (let [first] = lane.tickets; first !== undefined; [first] = lane.tickets) {
      if (first.most > 0 && lane.busy >= first.most) return;
      lane.tickets.shift();
      lane.busy++;
      first.enter();
    }
    if (lane.busy === 0 && lane.wake === null) this.lanes.delete(key);
  }
}
