// Delivers signals to listeners, in order: text deltas gathered, the others at once. Nothing is stored: a listener reads missed messages from
// the history. Only listeners of the owner and of root get the signals of a process.

import { ROOT_UID } from "../abi/identity.ts";
import { matches, type Signal, type SignalFilter, wantsName } from "../abi/signal.ts";
import type { Clock } from "../lib/clock.ts";
import { DeltaGather } from "./delta-gather.ts";

export interface Listener {
  readonly uid: number;
  readonly clientId: string | null;
  readonly filter: SignalFilter;
  readonly hear: (signal: Signal) => void;
}

export class Bus {
  private readonly listeners = new Set<Listener>();
  /** Which client started which run; kept here for signals, in kernel.db for the next kernel. */
  private readonly starters = new Map<string, string>();

  private readonly deltas: DeltaGather<Listener>;

  constructor(
    clock: Clock,
    private readonly onFault: (error: unknown) => void,
  ) {
    this.deltas = new DeltaGather(clock, (rest) => this.tell(rest));
  }

  listen(listener: Listener): () => void {
    // Deltas from before do not belong to it.
    this.deltas.catchUp(listener);
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  startedBy(runId: string, clientId: string): void {
    this.starters.set(runId, clientId);
  }

  /** Cheap check before building a signal. */
  wanted(pid: string, name: Signal["name"]): boolean {
    for (const { filter } of this.listeners) {
      if ((filter.pid === undefined || filter.pid === pid) && wantsName(filter, name)) return true;
    }
    return false;
  }

  /** Whether a client of the account shows all news, such as a terminal. */
  isAnyoneThere(uid: number): boolean {
    return this.some((each) => each.uid === uid && each.filter.names?.includes("notification.created") === true);
  }

  /** Whether a client follows just this process or run, such as `gsv chat`. */
  isFollowed(signal: Signal): boolean {
    return this.some(
      (each) =>
        each.uid === signal.uid &&
        (each.filter.mine ? this.isMine(each, signal) : each.filter.pid === signal.pid || isRunOf(each.filter, signal)),
    );
  }

  private some(test: (listener: Listener) => boolean): boolean {
    for (const each of this.listeners) if (each.clientId !== null && test(each)) return true;
    return false;
  }

  emit(signal: Signal): void {
    if (signal.name === "chat.delta") {
      this.deltas.add(signal);
      return;
    }
    this.deltas.end(signal.pid);
    this.tell(() => signal);
    if (signal.name === "chat.complete") this.starters.delete(signal.run);
  }

  /** Hands this listener everything emitted so far. */
  catchUp(listener: Listener): void {
    for (const delta of this.deltas.catchUp(listener)) this.hear(listener, delta);
  }

  private tell(signalFor: (listener: Listener) => Signal | null): void {
    for (const listener of this.listeners) {
      const signal = signalFor(listener);
      if (signal !== null) this.hear(listener, signal);
    }
  }

  private hear(listener: Listener, signal: Signal): void {
    if (listener.uid !== signal.uid && listener.uid !== ROOT_UID) return;
    if (!matches(listener.filter, signal)) return;
    if (listener.filter.mine && !this.isMine(listener, signal)) return;
    try {
      listener.hear(signal);
    } catch (error) {
      // Other listeners still get the signal.
      this.onFault(error);
    }
  }

  private isMine(listener: Listener, signal: Signal): boolean {
    return "run" in signal && this.starters.get(signal.run) === listener.clientId;
  }
}

function isRunOf({ run }: SignalFilter, signal: Signal): boolean {
  return run !== undefined && "run" in signal && signal.run === run;
}
