// The audit rows of logins. They are bounded: guessing and polling over the network add a few rows, not one each.

import type { Arrival } from "../../abi/identity.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";

export interface LoginNote {
  readonly uid: number;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  readonly detail: string;
  /** null on this computer: every one of these is logged. */
  readonly arrival: Arrival | null;
  /** The login or token that entered; null for a failure. */
  readonly login: string | null;
}

const WINDOW_MS = 10 * 60_000;
/** Logged one by one. Then only the 100th, 1,000th and so on. */
const FAILURES_EACH = 20;
const KEYS_MAX = 1000;

interface Seen {
  readonly since: number;
  count: number;
}

export class LoginAudit {
  private readonly seen = new Map<string, Seen>();

  constructor(
    private readonly kernel: Pick<KernelStore, "audit">,
    private readonly clock: Clock,
    private readonly onFault: (error: unknown) => void,
  ) {}

  async note({ uid, outcome, detail, arrival, login }: LoginNote): Promise<void> {
    const count = arrival === null ? 1 : this.count(login === null ? arrival.network : `${login} ${arrival.address}`);
    const isLogged = login === null ? count <= FAILURES_EACH || isPowerOfTen(count) : count === 1;
    if (!isLogged) return;
    const many = count > FAILURES_EACH ? `, failure ${count} in ten minutes` : "";
    const from = arrival === null ? "" : ` from ${arrival.address}, ${arrival.program}`;
    const row = { at: this.clock.now(), uid, pid: null, call: "login", outcome, detail: detail + many + from };
    await this.kernel.audit.add(row).catch(this.onFault);
  }

  private count(key: string): number {
    const now = this.clock.now();
    // Too many sources at once count as one.
    const isKnown = this.seen.has(key);
    if (!isKnown && this.seen.size >= KEYS_MAX) this.forget(now);
    const kept = isKnown || this.seen.size < KEYS_MAX ? key : "others";
    const before = this.seen.get(kept);
    const seen = before !== undefined && now - before.since < WINDOW_MS ? before : { since: now, count: 0 };
    seen.count++;
    this.seen.set(kept, seen);
    return seen.count;
  }

  private forget(now: number): void {
    for (const [key, { since }] of this.seen) if (now - since >= WINDOW_MS) this.seen.delete(key);
  }
}

function isPowerOfTen(count: number): boolean {
  return /^10+$/.test(String(count));
}
