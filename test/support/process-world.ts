// A store and the model side by side: every verb goes to both, every answer must be the same, and after every move so must everything that
// can be read. Besides, it keeps what no store is trusted to keep for itself: what was acknowledged, and which ends were reported.

import { expect } from "bun:test";
import type { RunEnd } from "../../src/abi/process/process.ts";
import type {
  Admission,
  ArchiveRecord,
  CallRow,
  Claimed,
  Outcome,
  ProcessStore,
} from "../../src/store/process/verbs.ts";
import { comparable } from "./process-compare.ts";
import type { Engine } from "./process-subject.ts";

export class World {
  readonly pid = "task:aaaaaa";
  readonly admitted: Admission[] = [];
  readonly runs: Claimed[] = [];
  readonly approvals: string[] = [];
  readonly abortKeys: string[] = [];
  readonly reported: RunEnd[] = [];
  readonly archived: ArchiveRecord[] = [];
  /** Stores of kernels that died, each with its model. */
  readonly stale: (readonly [ProcessStore, ProcessStore])[] = [];
  now = 1_700_000_000_000;
  private kernel = 1;
  private count = 0;

  private constructor(
    private readonly real: Engine,
    private readonly judge: Engine,
    public store: ProcessStore,
    public model: ProcessStore,
  ) {}

  static async on(real: Engine, judge: Engine): Promise<World> {
    const world = new World(real, judge, real.open(1), judge.open(1));
    const { pid, now } = world;
    await world.both((store) => store.create(pid, { profile: "task", identity: {}, now }));
    await world.both((store) => store.adopt(pid, { now }));
    return world;
  }

  fresh(kind: string): string {
    return `${kind}-${++this.count}`;
  }

  /** The same verb on both; what they answer is compared and handed on. */
  async both<T>(verb: (store: ProcessStore) => Promise<T>): Promise<T> {
    const [real, judged] = [await verb(this.store), await verb(this.model)];
    expect(comparable(real)).toEqual(comparable(judged));
    return real;
  }

  report(outcome: Outcome<{ readonly ends: readonly RunEnd[] }>): void {
    if (outcome.ok && !outcome.replay) this.reported.push(...outcome.value.ends);
  }

  async nextKernel(): Promise<void> {
    this.stale.push([this.store, this.model]);
    this.kernel++;
    this.store = this.real.open(this.kernel);
    this.model = this.judge.open(this.kernel);
    const { ends } = await this.both((store) => store.adopt(this.pid, { now: this.now }));
    this.reported.push(...ends);
  }

  /** The run that its owner may work on now, as far as a loop that keeps to the rules would: not while a person is asked. */
  async owned(): Promise<{ readonly run: Claimed; readonly open: readonly CallRow[] } | null> {
    const { pid } = this;
    const run = this.runs.at(-1);
    const head = await this.model.head(pid);
    if (run === undefined || head.epoch !== run.epoch || head.currentRun !== run.runId) return null;
    if ((await this.model.openApproval(pid)) !== null) return null;
    return { run, open: await this.both((store) => store.openCalls(pid, run.runId)) };
  }

  async agrees(): Promise<void> {
    const { pid } = this;
    await this.both((store) => store.head(pid));
    await this.both((store) => store.projection(pid));
    await this.both((store) => store.outbox(pid));
    await this.both((store) => store.openApproval(pid));
    await this.both((store) => store.history(pid, { limit: 1000 }));
  }

  async agreesInAll(): Promise<void> {
    const { pid } = this;
    await this.agrees();
    await this.both((store) => store.context(pid));
    await this.both((store) => shapeOf(store, pid));
    await this.both((store) => store.segments(pid));
    for (const { requestKey, runId } of this.admitted) {
      await this.both((store) => store.answered(pid, requestKey));
      if (runId !== null) await this.both((store) => store.runEnd(pid, runId));
    }
    for (const { runId } of this.runs) await this.both((store) => store.openCalls(pid, runId));
    await this.both((store) => closingRecords(store, pid));
  }

  /** What is being closed goes to the archive, then it is removed. */
  async seal(): Promise<void> {
    const { pid, now } = this;
    this.archived.push(...(await this.both((store) => closingRecords(store, pid))));
    await this.both((store) => store.seal(pid, { answer: { archived: this.archived.length }, now }));
  }
}

async function closingRecords(store: ProcessStore, pid: string): Promise<ArchiveRecord[]> {
  const records: ArchiveRecord[] = [];
  for (let after: string | null = null; ; ) {
    const page = await store.closingRecords(pid, after, 3);
    records.push(...page.records);
    after = page.next;
    if (after === null) return records;
  }
}

/** Without what only a store of rows can know, and without sizes: gsv words some results itself. */
export async function shapeOf(store: ProcessStore, pid: string) {
  const { generation, segment, summaryBytes, rows, isWhole } = await store.contextShape(pid);
  return { generation, segment, summaryBytes, isWhole, rows: rows.map(({ seq, role }) => ({ seq, role })) };
}
