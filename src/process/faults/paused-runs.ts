// Paused runs that wait for an instant or for another key. Runs that wait for a provider belong to Outages. Keys are checked when a client
// connects or a setting changes. A starting kernel finds the runs that an earlier one paused.

import { TRIED_AGAIN, type WaitsFor } from "../../abi/process/process.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { Models } from "../../kernel/models/models.ts";
import type { ProcessRow, ProcessRows } from "../../store/kernel/processes/processes.ts";
import type { LedgerPorts } from "../life/ledger.ts";
import type { Offers } from "../life/offers.ts";
import type { Outages } from "./outage.ts";

export interface PausedRunsPorts extends LedgerPorts {
  readonly processes: ProcessRows;
  readonly models: Models;
  readonly offers: Offers;
  readonly outages: Outages;
  readonly wake: (pid: string) => void;
  readonly onFault: (error: unknown) => void;
}

interface Needs {
  readonly needs: "key" | "model" | "address";
  /** The default model at the pause, if another one ends it. */
  readonly usual: string | null;
}

interface Refused extends Needs {
  /** null if an earlier kernel paused the run: then just try it. */
  readonly model: string | null;
  readonly keyMark: string | null;
  /** If no model server is there: another address is tried. */
  readonly address?: string;
}

export class PausedRuns {
  private readonly keys = new Map<string, Refused>();

  constructor(private readonly ports: PausedRunsPorts) {}

  async restore(): Promise<void> {
    for (const row of await this.ports.processes.paused()) {
      const { pid, waitsFor } = row;
      if (waitsFor?.kind === "credential")
        this.keys.set(pid, { model: null, keyMark: null, needs: "key", usual: null });
      this.ports.outages.restore(row);
    }
  }

  /** What to wait for until a person sets another key, model or address. To be read before the pause is visible. */
  async needsOf(row: ProcessRow, { keyMark }: Model, needs: Needs["needs"]): Promise<Needs> {
    // A refused key is not asked again only because another model is the default now.
    return { needs, usual: needs !== "key" || keyMark === null ? await this.usualModel(row) : null };
  }

  waitForPerson({ pid, ownerUid: uid }: ProcessRow, runId: string, model: Model, needed: Needs): void {
    const { name, keyMark, address } = model;
    const wrong = needed.needs === "address" && address !== undefined ? { address } : {};
    this.keys.set(pid, { model: name, keyMark, ...needed, ...wrong });
    if (needed.needs !== "key") return;
    if (keyMark !== null) this.ports.models.refused(keyMark);
    // The client has no key that will do: the owner's next client offers another.
    const hasOther = this.ports.offers.refused({ pid, runId, uid }, keyMark !== null);
    if (hasOther) this.resumeWithKey(uid).catch(this.ports.onFault);
  }

  /** The instant of the pause has come. */
  async due(row: ProcessRow): Promise<void> {
    if (row.waitsFor?.kind === "restart") await this.resume(row);
    else if (row.waitsFor?.kind === "outage") await this.ports.outages.due(row);
  }

  async resumeWithKey(ownerUid: number): Promise<void> {
    for (const [pid, refused] of this.keys) {
      const row = await this.ports.processes.get(pid);
      if (row === null || !mayRetry(row.waitsFor)) this.forget(pid);
      else if (row.ownerUid === ownerUid) await this.lookAt(row, refused);
    }
  }

  /** Resumes a paused run now, whatever it waits for; with `model`, by that model from now on. */
  async resume(row: ProcessRow, model?: string): Promise<void> {
    const { store, ledger, clock, wake } = this.ports;
    this.forget(row.pid);
    await ledger.write(row, async () => {
      if (!mayRetry((await store.head(row.pid)).paused)) return;
      await store.pause(row.pid, null, { now: clock.now(), ...(model === undefined ? {} : { model }) });
      await ledger.publish(row);
    });
    wake(row.pid);
  }

  stop(): void {
    this.ports.outages.stop();
  }

  private forget(pid: string): void {
    this.keys.delete(pid);
    this.ports.outages.forget(pid);
  }

  private async lookAt(row: ProcessRow, refused: Refused): Promise<void> {
    if (refused.needs !== "model" && (await this.isReachable(row, refused))) return await this.resume(row);
    const usual = refused.usual === null ? null : await this.usualModel(row);
    if (usual === null || usual === refused.usual) return;
    // A missing model or server is replaced. With a missing key the run keeps a model that was named for it.
    await (refused.needs === "key" ? this.resume(row) : this.resume(row, usual));
  }

  private async usualModel(row: ProcessRow): Promise<string> {
    const [{ name }] = await this.ports.models.reach(this.askerOf(row), null);
    return name;
  }

  private askerOf({ pid, activeRunId, ownerUid: uid }: ProcessRow) {
    return { uid, offer: this.ports.offers.of({ pid, runId: activeRunId ?? "", uid }) };
  }

  private async isReachable(row: ProcessRow, { model, keyMark, address }: Refused): Promise<boolean> {
    if (model === null) return true;
    const [first] = await this.ports.models.reach(this.askerOf(row), model);
    if (address !== undefined) return first.missing === null && first.address !== address;
    return first.missing === null && (keyMark === null || first.keyMark !== keyMark);
  }
}

/** True if resuming can end the pause. */
export function mayRetry(waitsFor: WaitsFor | null): boolean {
  return TRIED_AGAIN.includes(waitsFor?.kind);
}
