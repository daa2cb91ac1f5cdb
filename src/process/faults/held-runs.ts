// Runs that were put aside: until an instant of their own, or until there is another key, because theirs was refused or is gone; those whose
// provider does not answer are the outages'. Whoever connects or changes a setting has the keys looked at; one timer stands for the earliest
// instant. What an earlier kernel put aside is found when this one starts. Where nothing is held all of it costs nothing.

import { TRIED_AGAIN, type WaitsFor } from "../../abi/process/process.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { Models } from "../../kernel/models/models.ts";
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

const PAGE = 500;
/** Timers are short enough that a clock that was set, or a machine that slept, is noticed. */
const LOOK_MS = 60_000;

interface Refused {
  /** Null for one that an earlier kernel held: it is let go, and looks itself. */
  readonly model: string | null;
  /** Of the key that will not do. */
  readonly keyMark: string | null;
}

export class HeldRuns {
  private readonly keys = new Map<string, Refused>();
  private readonly due = new Map<string, number>();
  private cancel = () => {};

  constructor(private readonly ports: HeldRunsPorts) {}

  /** What an earlier kernel left. */
  async find(): Promise<void> {
    const { processes } = this.ports;
    if (((await processes.tally()).get("paused") ?? 0) === 0) return;
    for (let after: Parameters<ProcessRows["list"]>[0]["after"]; ; ) {
      const rows = await processes.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
      for (const row of rows) {
        const { pid, waitsFor } = row;
        if (waitsFor?.kind === "credential") this.keys.set(pid, { model: null, keyMark: null });
        if (waitsFor?.kind === "restart") this.due.set(pid, waitsFor.until);
        this.ports.outages.found(row);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) break;
      after = { createdAt: last.createdAt, id: last.pid };
    }
    this.arm();
  }

  forKey({ pid, ownerUid: uid }: ProcessRow, runId: string, { name, keyMark }: Model): void {
    this.keys.set(pid, { model: name, keyMark });
    // Its own key will not do: what its owner brings next is for it, too.
    if (keyMark !== null) this.ports.offers.refused({ pid, runId, uid });
  }

  until(pid: string, at: number): void {
    this.due.set(pid, at);
    this.arm();
  }

  /** Until the next of them is due; null when none is. */
  dueWithinMs(): number | null {
    const next = Math.min(...this.due.values());
    return this.due.size === 0 ? null : Math.max(0, next - this.ports.clock.now());
  }

  /** Somebody brought a key, or changed a setting: lets go what has its key now. */
  async look(ownerUid: number): Promise<void> {
    for (const [pid, refused] of this.keys) {
      const row = await this.ports.processes.get(pid);
      if (row === null || !isHeld(row.waitsFor)) this.forget(pid);
      else if (row.ownerUid === ownerUid && (await this.hasKey(row, refused))) await this.letGo(row);
    }
  }

  /** It is tried now, whatever it waits for; where one is named, by that model from now on. */
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
    this.cancel();
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

  private arm(): void {
    this.cancel();
    const ms = this.dueWithinMs();
    this.cancel = ms === null ? () => {} : this.ports.clock.after(Math.min(ms, LOOK_MS), () => void this.lookAtClock());
  }

  private async lookAtClock(): Promise<void> {
    const now = this.ports.clock.now();
    for (const [pid, at] of this.due) {
      if (at > now) continue;
      this.due.delete(pid);
      try {
        const row = await this.ports.processes.get(pid);
        if (row !== null) await this.letGo(row);
      } catch (error) {
        this.ports.onFault(error);
        this.due.set(pid, now + LOOK_MS);
      }
    }
    this.arm();
  }
}

/** By what a try may end. */
export function isHeld(waitsFor: WaitsFor | null): boolean {
  return TRIED_AGAIN.includes(waitsFor?.kind);
}
