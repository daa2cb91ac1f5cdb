// Runs that go on from an earlier kernel without the key they were begun with are held until there is one: a client of their owner that
// brings it, or a setting that keeps it. Whoever connects or changes a setting has this looked at; where nothing is held that costs
// nothing.

import type { Model, Models } from "../kernel/models.ts";
import type { Clock } from "../lib/clock.ts";
import type { ProcessRow, ProcessRows } from "../store/kernel/processes.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { Ledger } from "./ledger.ts";
import type { Offers } from "./offers.ts";

export interface HeldForKeysPorts {
  readonly processes: ProcessRows;
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly models: Models;
  readonly offers: Offers;
  readonly clock: Clock;
  readonly wake: (pid: string) => void;
}

const PAGE = 500;
/** Of one that an earlier kernel held: it is let go, and looks itself. */
const UNKNOWN = "";

export class HeldForKeys {
  /** By pid the model that is waited for. Null until those that an earlier kernel left were looked for. */
  private held: Map<string, string> | null = null;

  constructor(private readonly ports: HeldForKeysPorts) {}

  async hold(row: ProcessRow, model: Model): Promise<void> {
    const { store, ledger, clock } = this.ports;
    const reason = model.missing ?? "";
    await store.pause(row.pid, { kind: "credential", reason }, { now: clock.now() });
    this.held?.set(row.pid, model.name);
    await ledger.publish(row);
  }

  /** Lets go what has its key now. */
  async look(ownerUid: number): Promise<void> {
    this.held ??= await this.found();
    for (const [pid, model] of this.held) {
      const row = await this.ports.processes.get(pid);
      if (row === null || row.waitsFor?.kind !== "credential") this.held.delete(pid);
      else if (row.ownerUid === ownerUid && (await this.hasKey(row, model))) await this.letGo(row);
    }
  }

  private async found(): Promise<Map<string, string>> {
    const { processes } = this.ports;
    const found = new Map<string, string>();
    if (((await processes.tally()).get("paused") ?? 0) === 0) return found;
    for (let after: Parameters<ProcessRows["list"]>[0]["after"]; ; ) {
      const rows = await processes.list({ limit: PAGE, ...(after === undefined ? {} : { after }) });
      for (const { pid, waitsFor } of rows) if (waitsFor?.kind === "credential") found.set(pid, UNKNOWN);
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return found;
      after = { createdAt: last.createdAt, id: last.pid };
    }
  }

  private async hasKey(row: ProcessRow, model: string): Promise<boolean> {
    if (model === UNKNOWN) return true;
    const { models, offers } = this.ports;
    const offer = offers.of({ pid: row.pid, runId: row.activeRunId ?? "", uid: row.ownerUid });
    const [first] = await models.reach({ uid: row.ownerUid, offer }, model);
    return first.missing === null;
  }

  private async letGo(row: ProcessRow): Promise<void> {
    const { store, ledger, clock, wake } = this.ports;
    this.held?.delete(row.pid);
    await ledger.write(row, async () => {
      await store.pause(row.pid, null, { now: clock.now() });
      await ledger.publish(row);
    });
    wake(row.pid);
  }
}
