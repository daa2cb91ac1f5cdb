// A process on a store, with the facts that no store is trusted to keep itself: acknowledged messages, reported ends, and the promises about
// epochs and the outbox. They are checked after every move.

import { expect } from "bun:test";
import type { RunEnd } from "../../src/abi/process/process.ts";
import type {
  Admission,
  ArchiveRecord,
  CallRow,
  Claimed,
  Head,
  OutboxRow,
  Outcome,
  ProcessStore,
  Projection,
} from "../../src/store/process/verbs.ts";
import type { Engine } from "../support/process-subject.ts";

export class World {
  readonly pid = "task:aaaaaa";
  readonly admitted: Admission[] = [];
  readonly runs: Claimed[] = [];
  readonly approvals: string[] = [];
  readonly abortKeys: string[] = [];
  readonly reported: RunEnd[] = [];
  readonly archived: ArchiveRecord[] = [];
  /** Stores of dead kernels. */
  readonly stale: ProcessStore[] = [];
  now = 1_700_000_000_000;
  private kernel = 1;
  private count = 0;
  private epoch = 0;
  /** The outbox at the last check, and the highest row number so far. */
  private outbox: readonly OutboxRow[] = [];
  private newest = 0;
  private cleared = 0;
  /** The projection of the newest row; at first that of a new process. */
  private told: Projection | null = null;

  private constructor(
    private readonly engine: Engine,
    public store: ProcessStore,
  ) {}

  static async on(engine: Engine): Promise<World> {
    const world = new World(engine, engine.open(1));
    const { pid, now } = world;
    await world.store.create(pid, { profile: "task", identity: {}, now });
    await world.store.adopt(pid, { now });
    world.told = await world.store.projection(pid);
    return world;
  }

  fresh(kind: string): string {
    return `${kind}-${++this.count}`;
  }

  report(outcome: Outcome<{ readonly ends: readonly RunEnd[] }>): void {
    if (outcome.ok && !outcome.replay) this.reported.push(...outcome.value.ends);
  }

  async claim(): Promise<void> {
    const run = await this.store.claim(this.pid, { now: this.now });
    if (run === null) return;
    expect(run.epoch).toBeGreaterThan(this.runs.at(-1)?.epoch ?? 0);
    this.runs.push(run);
  }

  async nextKernel(): Promise<void> {
    this.stale.push(this.store);
    this.kernel++;
    this.store = this.engine.open(this.kernel);
    const { ends } = await this.store.adopt(this.pid, { now: this.now });
    this.reported.push(...ends);
  }

  head(): Promise<Head> {
    return this.store.head(this.pid);
  }

  /** The run that its owner may work on now. A loop that follows the rules waits while a person has a question about its next call. */
  async owned(): Promise<{ readonly run: Claimed; readonly open: readonly CallRow[] } | null> {
    const { pid } = this;
    const run = this.runs.at(-1);
    const head = await this.head();
    if (run === undefined || head.epoch !== run.epoch || head.currentRun !== run.runId) return null;
    const open = await this.store.openCalls(pid, run.runId);
    return open[0]?.status === "asking" ? null : { run, open };
  }

  /** Epochs never go back. Rows of the outbox stay until cleared, new ones come last, and the newest can be read. */
  async holds(): Promise<void> {
    const { epoch } = await this.head();
    expect(epoch).toBeGreaterThanOrEqual(this.epoch);
    this.epoch = epoch;
    const rows = await this.store.outbox(this.pid);
    const kept = this.outbox.filter(({ seq }) => seq > this.cleared);
    expect(rows.slice(0, kept.length)).toEqual([...kept]);
    for (const row of rows.slice(kept.length)) {
      expect(row.seq).toBeGreaterThan(this.newest);
      [this.newest, this.told] = [row.seq, row.projection];
    }
    this.outbox = rows;
    expect(await this.store.projection(this.pid)).toEqual(this.told as Projection);
  }

  async clearOutbox(through: number): Promise<void> {
    await this.store.clearOutbox(this.pid, through);
    this.cleared = Math.max(this.cleared, through);
  }

  /** All readable data, as text. */
  async readable(): Promise<string> {
    const { store, pid } = this;
    const all = [await this.head(), await store.outbox(pid), await store.history(pid, { limit: 1000 })];
    return JSON.stringify([...all, await store.openApproval(pid), await store.segments(pid)]);
  }

  /** Archives the closing generation, then removes it. */
  async seal(): Promise<void> {
    const { pid, now } = this;
    for (let after: string | null = null; ; ) {
      const page = await this.store.closingRecords(pid, after, 3);
      this.archived.push(...page.records);
      after = page.next;
      if (after === null) break;
    }
    await this.store.seal(pid, { answer: { archived: this.archived.length }, now });
  }
}
