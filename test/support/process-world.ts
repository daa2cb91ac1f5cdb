// Plays moves on a store and on the model side by side: every answer must be the same, and after every move so must everything that can
// be read. Besides, it keeps what no store can be trusted to keep for itself: what was acknowledged, and which ends were reported.

import { expect } from "bun:test";
import { NO_USAGE, type RunEnd } from "../../src/abi/process.ts";
import type { Admission, ArchiveRecord, CallRow, Claimed, Outcome, ProcessStore } from "../../src/store/process/verbs.ts";
import { same } from "./process-compare.ts";
import type { Move } from "./process-moves.ts";
import type { Engine } from "./process-subject.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export class World {
  readonly pid = "task:aaaaaa";
  readonly reported: RunEnd[] = [];
  readonly archived: ArchiveRecord[] = [];
  readonly admitted: Admission[] = [];
  readonly runs: Claimed[] = [];
  readonly approvals: string[] = [];
  private readonly stale: (readonly [ProcessStore, ProcessStore])[] = [];
  private aborts: string[] = [];
  private kernel = 1;
  private count = 0;
  private ms = 1_700_000_000_000;
  store: ProcessStore;
  private model: ProcessStore;

  constructor(
    private readonly real: Engine,
    private readonly judge: Engine,
  ) {
    this.store = real.open(1);
    this.model = judge.open(1);
  }

  async begin(): Promise<void> {
    for (const store of [this.store, this.model]) {
      await store.create(this.pid, { profile: "task", identity: {}, now: this.ms });
      await store.adopt(this.pid, { now: this.ms });
    }
  }

  async play(move: Move): Promise<void> {
    this.ms++;
    await this.step(move);
    await this.agree();
  }

  /** The same verb on both; what they answer is compared and handed on. */
  async both<T>(verb: (store: ProcessStore) => Promise<T>): Promise<T> {
    const [real, judged] = [await verb(this.store), await verb(this.model)];
    expect(same(real)).toEqual(same(judged));
    return real;
  }

  /** Everything that can be read. */
  async agree(): Promise<void> {
    const { pid } = this;
    await this.both((store) => store.head(pid));
    await this.both((store) => store.projection(pid));
    await this.both((store) => store.outbox(pid));
    await this.both((store) => store.openApproval(pid));
    await this.both((store) => store.history(pid, { limit: 1000 }));
  }

  async agreeAtTheEnd(): Promise<void> {
    const { pid } = this;
    await this.both((store) => store.context(pid));
    for (const { requestKey, runId } of this.admitted) {
      await this.both((store) => store.answered(pid, requestKey));
      if (runId !== null) await this.both((store) => store.runEnd(pid, runId));
    }
    for (const run of this.runs) await this.both((store) => store.openCalls(pid, run.runId));
    await this.both((store) => this.closing(store));
  }

  private async step(move: Move): Promise<void> {
    const { pid, ms: now } = this;
    switch (move.do) {
      case "send":
        return await this.send(move);
      case "event": {
        const about = { kind: "event", wakes: move.wakes, source: move.source } as const;
        return await this.admit(this.admission("an event", { ...about, runId: move.wakes ? this.fresh("run") : null }));
      }
      case "claim": {
        const run = await this.both((store) => store.claim(pid, { now }));
        if (run !== null) this.runs.push(run);
        return;
      }
      case "answer":
        return await this.answer(move);
      case "late":
        return await this.late(move);
      case "abort":
        return await this.abort(move);
      case "hold":
        await this.both((store) => store.hold(pid, { stopped: move.stopped, now }));
        return;
      case "pause": {
        const waitsFor = move.held ? ({ kind: "limit", reason: "spent" } as const) : null;
        await this.both((store) => store.pause(pid, waitsFor, { now }));
        return;
      }
      case "cut": {
        const asked = { reason: move.reason, archive: true, archiveId: this.fresh("archive"), requestKey: this.fresh("key"), now };
        this.report((await this.both((store) => store.cut(pid, asked)))) ;
        return;
      }
      case "seal":
        return await this.seal();
      case "kernel":
        return await this.nextKernel();
      case "fail":
        return await this.both((store) => store.fail(pid));
      case "project": {
        const rows = await this.both((store) => store.outbox(pid));
        return await this.both((store) => store.clearOutbox(pid, rows[Math.floor(rows.length / 2)]?.seq ?? 0));
      }
      case "day":
        this.ms += DAY_MS + 1;
        return;
      default:
        return await this.ownerStep(move);
    }
  }

  // What the owner of the run in flight does, as far as a loop that keeps to the rules would do it now.
  private async ownerStep(move: Extract<Move, { do: "turn" | "begin" | "end" | "ask" | "boundary" | "finish" }>): Promise<void> {
    const { pid, ms: now } = this;
    const run = this.runs.at(-1);
    const head = await this.model.head(pid);
    if (run === undefined || head.epoch !== run.epoch || head.currentRun !== run.runId) return;
    if ((await this.model.openApproval(pid)) !== null) return;
    const open = await this.both((store) => store.openCalls(pid, run.runId));
    switch (move.do) {
      case "turn":
        if (open.length > 0) return;
        this.report(await this.both((store) => store.commitTurn(pid, run.epoch, this.turn(run, move))));
        return;
      case "begin": {
        const call = pickOf(open.filter((row) => row.status !== "dispatched"), move.pick);
        if (call !== null) await this.both((store) => store.beginCall(pid, run.epoch, call.dispatchId));
        return;
      }
      case "end": {
        const call = pickOf(open, move.pick);
        if (call === null) return;
        const result = { outcome: move.outcome, output: `result of ${call.callId}`, now };
        await this.both((store) => store.endCall(pid, run.epoch, call.dispatchId, result));
        return;
      }
      case "ask": {
        const call = pickOf(open.filter((row) => row.status === "registered"), move.pick);
        if (call === null) return;
        const request = { dispatchId: call.dispatchId, approvalId: this.fresh("ask"), why: "delete", now };
        this.approvals.push(request.approvalId);
        await this.both((store) => store.ask(pid, run.epoch, request));
        return;
      }
      case "boundary": {
        const about = { runId: run.runId, enter: move.enter && open.length === 0, now };
        await this.both((store) => store.boundary(pid, run.epoch, about));
        return;
      }
      case "finish": {
        const end = { runId: run.runId, status: move.status, reason: "test", error: "why", note: "a note", now };
        this.report(await this.both((store) => store.finish(pid, run.epoch, end)));
        return;
      }
    }
  }
}
