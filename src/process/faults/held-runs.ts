// Paused runs: until an instant of their own, or until there is another key because theirs was refused or is gone. Runs whose provider does
// not answer belong to Outages. The keys are checked when a client connects or a setting changes. A starting kernel finds the runs that an
// earlier one paused.

import { TRIED_AGAIN, type WaitsFor } from "../../abi/process/process.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { Models } from "../../kernel/models/models.ts";
import { Alarms } from "../../lib/alarm.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ProcessRow, ProcessRows } from "../../store/kernel/processes/processes.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { Ledger } from "../life/ledger.ts";
import type { Offers } from "../life/offers.ts";
import type { Outages } from "./outage.ts";

export interface HeldRunsPorts {
  readonly processes: ProcessRows;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly models: Models;
  readonly offers: Offers;
  readonly outages: Outages;
  readonly clock: Clock;
  readonly wake: (pid: string) => void;
  readonly onFault: (error: unknown) => void;
}

/** After a fault the run is tried again so much later. */
const AGAIN_MS = 60_000;

interface Refused {
  /** null if an earlier kernel paused it: the run is released and finds out itself. */
  readonly model: string | null;
  /** Mark of the key that was refused. */
  readonly keyMark: string | null;
}

export class HeldRuns {
  private readonly keys = new Map<string, Refused>();
  private readonly due: Alarms<string>;

  constructor(private readonly ports: HeldRunsPorts) {
    const { clock, onFault } = ports;
    this.due = new Alarms({ clock, onFault, ring: (pid) => this.tryNow(pid) });
  }

  /** Finds what an earlier kernel paused. */
  async find(): Promise<void> {
    for (const row of await this.ports.processes.paused()) {
      const { pid, waitsFor } = row;
      if (waitsFor?.kind === "credential") this.keys.set(pid, { model: null, keyMark: null });
      if (waitsFor?.kind === "restart") this.due.set(pid, waitsFor.until);
      this.ports.outages.found(row);
    }
  }

  forKey({ pid, ownerUid: uid }: ProcessRow, runId: string, { name, keyMark }: Model): void {
    this.keys.set(pid, { model: name, keyMark });
    // Its own key was refused: the next key that its owner brings is for it too.
    if (keyMark !== null) this.ports.offers.refused({ pid, runId, uid });
  }

  until(pid: string, at: number): void {
    this.due.set(pid, at);
  }

  /** Until the next run is due; null when none is. */
  dueWithinMs(): number | null {
    return this.due.dueWithinMs();
  }

  /** After a client connected or a setting changed: releases the runs that have a key now. */
  async look(ownerUid: number): Promise<void> {
    for (const [pid, refused] of this.keys) {
      const row = await this.ports.processes.get(pid);
      if (row === null || !isHeld(row.waitsFor)) this.forget(pid);
      else if (row.ownerUid === ownerUid && (await this.hasKey(row, refused))) await this.letGo(row);
    }
  }

  /** Tries a paused run now, whatever it waits for; with `model`, by that model from now on. */
  async letGo(row: ProcessRow, model?: string): Promise<void> {
    const { store, ledger, clock, wake } = this.ports;
    this.forget(row.pid);
    await ledger.write(row, async () => {
      if (!isHeld((await store.head(row.pid)).paused)) return;
      await store.pause(row.pid, null, { now: clock.now(), ...(model === undefined ? {} : { model }) });
      await ledger.publish(row);
    });
    wake(row.pid);
  }

  stop(): void {
    this.due.clear();
    this.ports.outages.stop();
  }

  private forget(pid: string): void {
    this.keys.delete(pid);
    this.due.delete(pid);
    this.ports.outages.forget(pid);
  }

  private async hasKey(row: ProcessRow, { model, keyMark }: Refused): Promise<boolean> {
    if (model === null) return true;
    const { models, offers } = this.ports;
    const offer = offers.of({ pid: row.pid, runId: row.activeRunId ?? "", uid: row.ownerUid });
    const [first] = await models.reach({ uid: row.ownerUid, offer }, model);
    return first.missing === null && (keyMark === null || first.keyMark !== keyMark);
  }

  private async tryNow(pid: string): Promise<void> {
    try {
      const row = await this.ports.processes.get(pid);
      if (row !== null) await this.letGo(row);
    } catch (error) {
      this.ports.onFault(error);
      this.due.set(pid, this.ports.clock.now() + AGAIN_MS);
    }
  }
}

/** Paused by something that a try may end. */
export function isHeld(waitsFor: WaitsFor | null): boolean {
  return TRIED_AGAIN.includes(waitsFor?.kind);
}
