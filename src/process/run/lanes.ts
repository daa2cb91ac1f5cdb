// Who asks a provider next. All processes that use one key share a lane: so many requests at once, the less nice process first, one that
// somebody looks at before one in the background, and among equals who came first. A provider that says when it may be asked again parks the
// lane, and not each process that would have found out for itself. In memory: a kernel that starts anew begins with empty lanes.

import type { Clock } from "../../lib/clock.ts";

/** How much nicer whoever nobody looks at is. */
const BACKGROUND = 10;

export interface Waiting {
  /** -20 to 19, as `nice` has it: the less, the sooner. */
  readonly nice: number;
  readonly watched: boolean;
  /** How many may be asked at once; 0 is as many as there are. */
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
  parkedUntil: number;
  /** The next first. */
  readonly tickets: Ticket[];
  wake: (() => void) | null;
}

export class Lanes {
  private readonly lanes = new Map<string, Lane>();

  constructor(private readonly clock: Clock) {}

  /** Waits for its turn; returns the way out of the lane, or null when it was aborted before. */
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

  /** Nobody enters before that. */
  park(key: string, until: number): void {
    const lane = this.lane(key);
    if (until <= lane.parkedUntil) return;
    lane.parkedUntil = until;
    lane.wake?.();
    lane.wake = null;
    this.next(key, lane);
  }

  parkedUntil(key: string): number {
    return this.lanes.get(key)?.parkedUntil ?? 0;
  }

  /** How many wait, by lane. */
  waiting(key: string): number {
    return this.lanes.get(key)?.tickets.length ?? 0;
  }

  private lane(key: string): Lane {
    const there = this.lanes.get(key);
    if (there !== undefined) return there;
    const lane: Lane = { busy: 0, parkedUntil: 0, tickets: [], wake: null };
    this.lanes.set(key, lane);
    return lane;
  }

  private next(key: string, lane: Lane): void {
    const wait = lane.parkedUntil - this.clock.now();
    if (wait > 0) {
      if (lane.tickets.length > 0) lane.wake ??= this.clock.after(wait, () => this.unpark(key, lane));
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

  private unpark(key: string, lane: Lane): void {
    lane.wake = null;
    this.next(key, lane);
  }
}
