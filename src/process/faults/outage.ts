// Providers that do not answer, and the runs that are put aside until they do. A provider is looked at once, and not once for each process:
// at its instant one of the runs is let go, and what becomes of its turn says how all of them go on. The instants and counts lie with the
// processes that wait, so the next kernel finds them there; a provider that nobody waits for is no outage.

import { FAILED_NOTE, normaliseText } from "../../abi/process/message.ts";
import type { NextTry, Retrying, WaitsFor } from "../../abi/process/process.ts";
import { WORKING_STATES } from "../../abi/process/process.ts";
import type { Failure } from "../../abi/stream.ts";
import { providerOf } from "../../kernel/models/outages.ts";
import { Alarms } from "../../lib/alarm.ts";
import { laterMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProcessRow, ProcessRows } from "../../store/kernel/processes/processes.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import { endSignals, type Ledger } from "../life/ledger.ts";
import { EXHAUSTED, LOOKS_MAX } from "../run/retry-plan.ts";

export interface OutagePorts {
  readonly processes: ProcessRows;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** It is tried now. */
  readonly letGo: (row: ProcessRow) => Promise<void>;
  readonly wake: (pid: string) => void;
  readonly runOver: (pid: string) => void;
  readonly onFault: (error: unknown) => void;
}

export type Aside = { readonly kind: "outage" } & NextTry;

/** A failure as the provider's: what its run waits for, and whether it was a look at the provider or one beside them. */
export interface Noted {
  readonly waitsFor: Aside;
  readonly isLook: boolean;
}

interface Outage {
  readonly since: number;
  /** How often it was found not to answer. */
  looks: number;
  nextAt: number;
  readonly waiting: Set<string>;
  /** The process whose turn is the look that is under way. */
  probe: string | null;
}

/** How soon a machine without a network may have one. */
const OFFLINE_MS = 30_000;
/** A look takes no longer than this. */
const LOOK_MS = 60_000;

export class Outages {
  private readonly known = new Map<string, Outage>();
  private readonly alarms: Alarms<string>;

  constructor(private readonly ports: OutagePorts) {
    const { clock, onFault } = ports;
    this.alarms = new Alarms({ clock, onFault, ring: (key) => this.look(key) });
  }

  /** What an earlier kernel left. */
  found({ pid, ownerUid, waitsFor }: ProcessRow): void {
    if (waitsFor?.kind !== "outage") return;
    const key = keyOf(ownerUid, waitsFor.model);
    const since = waitsFor.since ?? this.ports.clock.now();
    const outage = this.known.get(key) ?? { since, looks: 0, nextAt: waitsFor.until, waiting: new Set(), probe: null };
    outage.looks = Math.max(outage.looks, waitsFor.looks ?? 1);
    outage.nextAt = Math.min(outage.nextAt, waitsFor.until);
    outage.waiting.add(pid);
    this.known.set(key, outage);
    this.arm(key);
  }

  /** A turn was not answered. Where the provider is known not to answer and was not to be looked at now, its instant stands. */
  failed({ pid, ownerUid }: ProcessRow, model: string, failure: Failure): Noted {
    const now = this.ports.clock.now();
    const key = keyOf(ownerUid, model);
    const known = this.known.get(key);
    const outage = known ?? { since: now, looks: 0, nextAt: now, waiting: new Set<string>(), probe: null };
    this.known.set(key, outage);
    const isLook = known === undefined || outage.probe === pid || now >= outage.nextAt;
    const wanted = now + (failure.retryAfterMs ?? 0);
    if (isLook) {
      const ms = failure.isOffline ? OFFLINE_MS : laterMs(outage.looks);
      if (!failure.isOffline) outage.looks++;
      outage.nextAt = Math.max(wanted, now + ms);
      outage.probe = null;
    } else outage.nextAt = Math.max(wanted, outage.nextAt);
    const { since, looks, nextAt: until } = outage;
    const { class: failureClass, message: reason } = failure;
    const waitsFor: Aside = { kind: "outage", model, class: failureClass, reason, until, since, looks };
    if (isLook) void this.tell(outage, pid, waitsFor, failure.isOffline !== true);
    this.arm(key);
    return { waitsFor, isLook };
  }

  /** The run of the process is put aside. */
  waits({ pid, ownerUid }: ProcessRow, { model }: Aside): void {
    this.known.get(keyOf(ownerUid, model))?.waiting.add(pid);
  }

  /** It answers: whoever waited for it goes on. */
  answered({ ownerUid }: ProcessRow, model: string): void {
    const key = keyOf(ownerUid, model);
    const outage = this.known.get(key);
    if (outage === undefined) return;
    this.end(key);
    void this.each([...outage.waiting], (row) => this.ports.letGo(row));
  }

  /** The process does not wait any more, whatever comes of it. */
  forget(pid: string): void {
    for (const { waiting } of this.known.values()) waiting.delete(pid);
  }

  /** Until the next look; null where nobody waits for one. */
  dueWithinMs(): number | null {
    const waited = [...this.known.values()].filter(({ waiting }) => waiting.size > 0);
    if (waited.length === 0) return null;
    return Math.max(0, Math.min(...waited.map(({ nextAt }) => nextAt)) - this.ports.clock.now());
  }

  stop(): void {
    this.alarms.clear();
    this.known.clear();
  }

  private end(key: string): void {
    this.known.delete(key);
    this.alarms.delete(key);
  }

  private arm(key: string): void {
    const outage = this.known.get(key);
    if (outage === undefined) return;
    this.alarms.set(key, outage.probe === null ? outage.nextAt : this.ports.clock.now() + LOOK_MS);
  }

  private async look(key: string): Promise<void> {
    const outage = this.known.get(key);
    if (outage === undefined) return;
    const isUnderWay = outage.probe !== null && (await this.isAtWork(outage.probe));
    if (outage.nextAt <= this.ports.clock.now() && !isUnderWay) {
      outage.probe = null;
      const row = await this.nextWaiting(outage);
      // Nobody waits for the provider: the next process that asks it finds out.
      if (row === null) return this.end(key);
      await this.tryBy(outage, row);
    }
    this.arm(key);
  }

  private async tryBy(outage: Outage, row: ProcessRow): Promise<void> {
    outage.probe = row.pid;
    try {
      await this.ports.letGo(row);
    } catch (error) {
      this.ports.onFault(error);
      outage.waiting.add(row.pid);
      outage.probe = null;
      outage.nextAt = this.ports.clock.now() + LOOK_MS;
    }
  }

  private async isAtWork(pid: string): Promise<boolean> {
    const row = await this.ports.processes.get(pid);
    return row !== null && WORKING_STATES.includes(row.state);
  }

  /** Whoever has waited longest; one that was stopped or ended meanwhile does not wait. */
  private async nextWaiting({ waiting }: Outage): Promise<ProcessRow | null> {
    for (const pid of waiting) {
      const row = await this.ports.processes.get(pid);
      if (row !== null && row.state === "paused" && row.waitsFor?.kind === "outage") return row;
      waiting.delete(pid);
    }
    return null;
  }

  /** The others that wait hear of the look, which counts for each of them. */
  private tell(outage: Outage, prober: string, waitsFor: Aside, counts: boolean): Promise<void> {
    const others = [...outage.waiting].filter((pid) => pid !== prober);
    return this.each(others, (row) => this.putOff(outage, row, { waitsFor, counts }));
  }

  private async putOff(
    outage: Outage,
    row: ProcessRow,
    { waitsFor, counts }: { readonly waitsFor: Aside; readonly counts: boolean },
  ): Promise<void> {
    const { store, ledger, clock } = this.ports;
    await ledger.write(row, async () => {
      const { epoch, currentRun: runId, paused, retrying, stopped } = await store.head(row.pid);
      // Reset, stopped or let go meanwhile.
      if (runId === null || retrying === null || !isOf(paused, row, waitsFor) || stopped) {
        outage.waiting.delete(row.pid);
        return;
      }
      const pauses = retrying.pauses + (counts ? 1 : 0);
      if (pauses > LOOKS_MAX) return await this.giveUp(row, { epoch, runId, reason: waitsFor.reason });
      const model = paused?.kind === "outage" ? paused.model : waitsFor.model;
      const next: Retrying = { ...retrying, pauses, waitsFor: { ...waitsFor, model } };
      await store.retry(row.pid, epoch, { runId, retrying: next, held: true, now: clock.now() });
      await ledger.publish(row);
    });
  }

  private async giveUp(
    row: ProcessRow,
    { epoch, runId, reason }: { readonly epoch: number; readonly runId: string; readonly reason: string },
  ): Promise<void> {
    const { store, ledger, clock, wake, runOver } = this.ports;
    this.forget(row.pid);
    const error = exhaustedText(reason);
    const note = `${FAILED_NOTE} ${error}`;
    const end = { runId, status: "error", reason: EXHAUSTED, error, note, now: clock.now() } as const;
    const ended = await store.finish(row.pid, epoch, end);
    if (!ended.ok) return;
    runOver(row.pid);
    await ledger.publish(row, endSignals(ended.value, (await store.projection(row.pid)).queued));
    wake(row.pid);
  }

  private async each(pids: readonly string[], work: (row: ProcessRow) => Promise<void>): Promise<void> {
    for (const pid of pids) {
      try {
        const row = await this.ports.processes.get(pid);
        if (row !== null && row.phase === "live") await work(row);
      } catch (error) {
        this.ports.onFault(error);
      }
    }
  }
}

/** What is told once nobody looks any more. */
export function exhaustedText(reason: string): string {
  return normaliseText(`given up after ${LOOKS_MAX} tries over hours: ${reason}; another message tries again`);
}

function keyOf(ownerUid: number, model: string): string {
  return `${ownerUid} ${providerOf(model)}`;
}

function isOf(paused: WaitsFor | null, { ownerUid }: ProcessRow, { model }: Aside): boolean {
  return paused?.kind === "outage" && keyOf(ownerUid, paused.model) === keyOf(ownerUid, model);
}
