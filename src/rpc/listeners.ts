// The signal listeners of a client, across connections. On each new connection every listener is subscribed again before any call is sent,
// and gets a `resync` for each process it follows: read again after the last message you have.

import { LIMITS } from "../abi/config/limits.ts";
import { SysError } from "../abi/errno.ts";
import type { Signal, SignalFilter } from "../abi/signal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Link } from "./client.ts";

interface Followed {
  readonly uid: number;
  readonly parent: string | null;
  readonly seq: number;
}

interface Listener {
  readonly filter: SignalFilter;
  readonly tell: (signal: Signal) => void;
  readonly followed: Map<string, Followed>;
  stop: () => void;
  attached: boolean;
}

export class Listeners {
  private readonly all = new Set<Listener>();

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.all.size;
  }

  add(filter: SignalFilter, tell: (signal: Signal) => void, link: Link | null): () => void {
    // Check here: a kernel would have to end the connection.
    if (this.all.size >= LIMITS.subscriptionsPerConnectionMax) throw tooManySubscriptions();
    const listener: Listener = { filter, tell, followed: new Map(), stop: () => {}, attached: false };
    if (filter.pid !== undefined) listener.followed.set(filter.pid, { uid: -1, parent: null, seq: 0 });
    this.all.add(listener);
    if (link !== null) subscribe(listener, link);
    return () => {
      this.all.delete(listener);
      listener.stop();
    };
  }

  attach(link: Link): void {
    const again = [...this.all].filter((listener) => listener.attached);
    for (const listener of this.all) subscribe(listener, link);
    for (const listener of again) this.tellResync(listener);
  }

  /** Signals may have been missed, and there is no connection. */
  resync(): void {
    for (const listener of [...this.all]) this.tellResync(listener);
  }

  clear(): void {
    for (const listener of this.all) listener.stop();
    this.all.clear();
  }

  private tellResync(listener: Listener): void {
    for (const [pid, { uid, parent, seq }] of [...listener.followed]) {
      listener.tell({ name: "resync", pid, uid, parent, at: this.clock.now(), afterSeq: seq });
    }
  }
}

function subscribe(listener: Listener, link: Link): void {
  listener.attached = true;
  listener.stop = link.on(listener.filter, (signal) => {
    follow(listener, signal);
    listener.tell(signal);
  });
}

function follow(listener: Listener, signal: Signal): void {
  const { pid, uid, parent } = signal;
  if (signal.name === "process.exit" && listener.filter.pid === undefined) {
    listener.followed.delete(pid);
    return;
  }
  const seen = listener.followed.get(pid)?.seq ?? 0;
  // A resync restarts the count.
  const seq = "seq" in signal ? Math.max(seen, signal.seq) : seen;
  listener.followed.set(pid, { uid, parent, seq });
}

export function tooManySubscriptions(): SysError {
  const { subscriptionsPerConnectionMax: max } = LIMITS;
  return new SysError("EAGAIN", `this client already has ${max} subscriptions, the maximum`);
}
