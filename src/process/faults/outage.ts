// Providers that do not answer, and the runs paused until they do. One paused run probes the provider at its next instant, and the result
// of that turn counts for all of them. Instants and counts are stored with the paused runs, so the next kernel continues. A provider
// without waiting runs has no outage.

import { FAILED_NOTE, normaliseText } from "../../abi/process/message.ts";
import type { NextTry, Retrying, WaitsFor } from "../../abi/process/process.ts";
import { WORKING_STATES } from "../../abi/process/process.ts";
import type { Failure } from "../../abi/stream.ts";
import { providerOf } from "../../kernel/models/outages.ts";
import { Alarms, type DueQueue } from "../../lib/alarm.ts";
import { laterMs } from "../../lib/backoff.ts";
import type { ProcessRow, ProcessRows } from "../../store/kernel/processes/processes.ts";
import { endSignals, type LedgerPorts } from "../life/ledger.ts";
import { EXHAUSTED, PROBES_MAX } from "../run/retry-plan.ts";

export interface OutagePorts extends LedgerPorts {
  readonly queue: DueQueue;
  readonly processes: ProcessRows;
  readonly resume: (row: ProcessRow) => Promise<void>;
  readonly wake: (pid: string) => void;
  readonly runOver: (pid: string) => void;
  readonly onFault: (error: unknown) => void;
}

export type OutageWait = { readonly kind: "outage" } & NextTry;

/** What a failed run waits for, and whether its turn was a probe of the provider. */
export interface FailedTry {
  readonly waitsFor: OutageWait;
  readonly isProbe: boolean;
}

interface Outage {
  readonly since: number;
  looks: number;
  nextAt: number;
  readonly waiting: Set<string>;
  probe: string | null;
  isLooking: boolean;
}

const OFFLINE_MS = 30_000;
const PROBE_MS = 60_000;
/** If the disk is full, the store does not know the instant and nothing claims it. */
const UNSTORED_MS = 5000;

export class Outages {
  private readonly known = new Map<string, Outage>();
  private readonly alarms: Alarms<string>;

  constructor(private readonly ports: OutagePorts) {
    this.alarms = new Alarms({ queue: ports.queue, ring: (key) => this.probe(key) });
  }

  restore({ pid, ownerUid, waitsFor }: ProcessRow): void {
    if (waitsFor?.kind !== "outage") return;
    const key = keyOf(ownerUid, waitsFor.model);
    const since = waitsFor.since ?? this.ports.clock.now();
    const outage = this.known.get(key) ?? { since, looks: 0, nextAt: waitsFor.until, ...newOutage() };
    outage.looks = Math.max(outage.looks, waitsFor.looks ?? 1);
    outage.nextAt = Math.min(outage.nextAt, waitsFor.until);
    outage.waiting.add(pid);
    this.known.set(key, outage);
    this.arm(key);
  }

  /** A turn failed. Only a probe, or a first failure, moves the instant of the next probe. */
  failed({ pid, ownerUid }: ProcessRow, model: string, failure: Failure): FailedTry {
    const now = this.ports.clock.now();
    const key = keyOf(ownerUid, model);
    const known = this.known.get(key);
    const outage = known ?? { since: now, looks: 0, nextAt: now, ...newOutage() };
    this.known.set(key, outage);
    const isProbe = known === undefined || outage.probe === pid || now >= outage.nextAt;
    const wanted = now + (failure.retryAfterMs ?? 0);
    if (isProbe) {
      const ms = failure.isOffline ? OFFLINE_MS : laterMs(outage.looks);
      if (!failure.isOffline) outage.looks++;
      outage.nextAt = Math.max(wanted, now + ms);
      outage.probe = null;
    } else outage.nextAt = Math.max(wanted, outage.nextAt);
    const { since, looks, nextAt: until } = outage;
    const { class: failureClass, message: reason } = failure;
    const waitsFor: OutageWait = { kind: "outage", model, class: failureClass, reason, until, since, looks };
    if (isProbe) void this.postponeOthers(outage, pid, waitsFor, failure.isOffline !== true);
    this.arm(key);
    return { waitsFor, isProbe };
  }

  waits({ pid, ownerUid }: ProcessRow, { model }: OutageWait): void {
    this.known.get(keyOf(ownerUid, model))?.waiting.add(pid);
  }

  /** The provider answers: resumes every run that waits for it. */
  answered({ ownerUid }: ProcessRow, model: string): void {
    const key = keyOf(ownerUid, model);
    const outage = this.known.get(key);
    if (outage === undefined) return;
    this.end(key);
    void this.each([...outage.waiting], (row) => this.ports.resume(row));
  }

  forget(pid: string): void {
    for (const { waiting } of this.known.values()) waiting.delete(pid);
  }

  /** Milliseconds until the next probe; null if no run waits. */
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
    this.alarms.set(key, outage.probe === null ? outage.nextAt + UNSTORED_MS : this.ports.clock.now() + PROBE_MS);
  }

  /** The instant of a paused run has come. */
  async due(row: ProcessRow): Promise<void> {
    if (row.waitsFor?.kind === "outage") await this.probe(keyOf(row.ownerUid, row.waitsFor.model));
  }

  private async probe(key: string): Promise<void> {
    const outage = this.known.get(key);
    if (outage === undefined || outage.isLooking) return;
    outage.isLooking = true;
    try {
      await this.look(key, outage);
    } finally {
      outage.isLooking = false;
    }
  }

  private async look(key: string, outage: Outage): Promise<void> {
    const isProbing = outage.probe !== null && (await this.isWorking(outage.probe));
    if (outage.nextAt <= this.ports.clock.now() && !isProbing) {
      outage.probe = null;
      const row = await this.nextWaiting(outage);
      // No run waits: the next failed turn begins a new outage.
      if (row === null) return this.end(key);
      await this.probeBy(outage, row);
    }
    this.arm(key);
  }

  private async probeBy(outage: Outage, row: ProcessRow): Promise<void> {
    outage.probe = row.pid;
    try {
      await this.ports.resume(row);
    } catch (error) {
      this.ports.onFault(error);
      outage.waiting.add(row.pid);
      outage.probe = null;
      outage.nextAt = this.ports.clock.now() + PROBE_MS;
    }
  }

  private async isWorking(pid: string): Promise<boolean> {
    const row = await this.ports.processes.get(pid);
    return row !== null && WORKING_STATES.includes(row.state);
  }

  /** The run that has waited longest; removes runs that were stopped or ended. */
  private async nextWaiting({ waiting }: Outage): Promise<ProcessRow | null> {
    for (const pid of waiting) {
      const row = await this.ports.processes.get(pid);
      if (row !== null && row.state === "paused" && row.waitsFor?.kind === "outage") return row;
      waiting.delete(pid);
    }
    return null;
  }

  private postponeOthers(outage: Outage, probing: string, waitsFor: OutageWait, counts: boolean): Promise<void> {
    const others = [...outage.waiting].filter((pid) => pid !== probing);
    return this.each(others, (row) => this.postpone(outage, row, { waitsFor, counts }));
  }

  private async postpone(
    outage: Outage,
    row: ProcessRow,
    { waitsFor, counts }: { readonly waitsFor: OutageWait; readonly counts: boolean },
  ): Promise<void> {
    const { store, ledger, clock } = this.ports;
    await ledger.write(row, async () => {
      const { epoch, currentRun: runId, paused, retrying, stopped } = await store.head(row.pid);
      // Reset, stopped or resumed meanwhile.
      if (runId === null || retrying === null || !isSameOutage(paused, row, waitsFor) || stopped) {
        outage.waiting.delete(row.pid);
        return;
      }
      const pauses = retrying.pauses + (counts ? 1 : 0);
      if (pauses > PROBES_MAX) return await this.giveUp(row, { epoch, runId, reason: waitsFor.reason });
      const model = paused?.kind === "outage" ? paused.model : waitsFor.model;
      const next: Retrying = { ...retrying, pauses, waitsFor: { ...waitsFor, model } };
      await store.retry(row.pid, epoch, { runId, retrying: next, isPaused: true, now: clock.now() });
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

function newOutage() {
  return { waiting: new Set<string>(), probe: null, isLooking: false };
}

export function exhaustedText(reason: string): string {
  return normaliseText(`gave up after ${PROBES_MAX} tries: ${reason}; send a message to try again`);
}

function keyOf(ownerUid: number, model: string): string {
  return `${ownerUid} ${providerOf(model)}`;
}

function isSameOutage(paused: WaitsFor | null, { ownerUid }: ProcessRow, { model }: OutageWait): boolean {
  return paused?.kind === "outage" && keyOf(ownerUid, paused.model) === keyOf(ownerUid, model);
}
