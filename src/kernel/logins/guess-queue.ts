// Passwords over the network wait for their turn: one at a time from each network, because each costs memory and counts as a guess until it
// proves right. A full queue refuses instead of growing.

import { TooSoon } from "../../abi/errno.ts";
import type { Arrival } from "../../abi/identity.ts";
import { Serial } from "../../lib/serial.ts";

/** Two are computed, twenty wait. */
const PENDING_MAX = 22;
const PENDING_OF_ONE_MAX = 8;
const RETRY_MS = 2000;
const LOCAL = "local";

interface Line {
  readonly serial: Serial;
  pending: number;
}

export class GuessQueue {
  private readonly lines = new Map<string, Line>();
  private pending = 0;

  async run<T>(arrival: Arrival | null, work: () => Promise<T>): Promise<T> {
    const origin = originOf(arrival);
    const line = this.lines.get(origin) ?? { serial: new Serial(), pending: 0 };
    const isFull = this.pending >= PENDING_MAX || line.pending >= PENDING_OF_ONE_MAX;
    const share = arrival === null ? 0 : 1;
    if (isFull && share > 0) throw new TooSoon("too many logins at once", RETRY_MS);
    this.lines.set(origin, line);
    this.pending += share;
    line.pending++;
    try {
      return await line.serial.run(work);
    } finally {
      this.pending -= share;
      if (--line.pending === 0) this.lines.delete(origin);
    }
  }
}

/** For the lockout: where it came from. */
export function originOf(arrival: Arrival | null): string {
  return arrival?.network ?? LOCAL;
}
