// The process store over plain lists: the second engine that the contract suite runs on, and the judge of the property tests.
// Several stores may stand on one ModelDisk, each for its own start of the kernel.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { StoreCorrupt, StoreUnavailable } from "../../src/store/open.ts";
import type { NestRequest } from "../../src/store/process/nested.ts";
import type {
  Admission,
  Closing,
  LoggedCall,
  Outcome,
  ProcessStore,
  Refusal,
  TextPiece,
  TurnCommit,
} from "../../src/store/process/verbs.ts";
import { ModelHoldingStore } from "./model-holding.ts";
import { nest, nestedIn } from "./model-nested.ts";
import { ModelProcess } from "./model-process.ts";
import { closingRecordsOf, type HistoryQuery, historyOf, plainHead, textOf } from "./model-reads.ts";
import type { Step } from "./model-segments.ts";
import { endOf, repeatsOf } from "./model-usage.ts";
import {
  abort,
  admit,
  answer,
  ask,
  boundary,
  claim,
  commitTurn,
  cut,
  recover,
  remember,
  seal,
  takeBack,
} from "./model-verbs.ts";

export class ModelDisk {
  readonly processes = new Map<string, ModelProcess>();
}

type Given<V extends keyof ProcessStore, N extends number> = Parameters<ProcessStore[V]>[N];

const REFUSALS: readonly unknown[] = ["fenced", "conflict", "no-process", "full"];

export class ModelStore extends ModelHoldingStore implements ProcessStore {
  private quarantined = 0;
  nest = async (pid: string, epoch: number, call: NestRequest) => this.owned(pid, epoch, (each) => nest(each, call));
  nested = async (pid: string, block: string) => nestedIn(this.get(pid), block);
  approvedAs = async (pid: string, dispatchId: string) => this.get(pid).approvedAs(dispatchId);
  repeats = async (pid: string, dispatchId: string) => repeatsOf(this.get(pid).calls, dispatchId);
  waste = async (pid: string, spent: Given<"waste", 1>) =>
    void this.verb(pid, ({ usage }) => usage.add({ ...spent, turn: 0, wasted: true }));

  constructor(
    private readonly disk: ModelDisk,
    private readonly kernelGeneration: number,
  ) {
    super();
  }

  async create(pid: string, { now, damaged }: { readonly now: number; readonly damaged?: boolean }): Promise<void> {
    if (this.disk.processes.has(pid)) return;
    const process = new ModelProcess(pid, this.kernelGeneration, this.outboxSeq(this.quarantined));
    this.disk.processes.set(pid, process);
    if (!damaged) return;
    process.nextSeq = Math.floor(now / 1000);
    process.write(() => {
      process.broken = true;
    });
  }

  async adopt(pid: string, { now, crashed = true }: { readonly now: number; readonly crashed?: boolean }) {
    const process = this.get(pid);
    if (process.kernel > this.kernelGeneration)
      throw new StoreUnavailable("busy", `another kernel has taken over ${pid}`);
    const anew = process.kernel !== this.kernelGeneration;
    process.kernel = this.kernelGeneration;
    process.outboxSeq = Math.max(process.outboxSeq, this.outboxSeq(0));
    return process.write(() => ({ ends: anew ? recover(process, now, crashed) : [], head: plainHead(process) }));
  }

  async admit(pid: string, message: Admission) {
    const content = [message.kind, message.text, message.urgent, message.source];
    return this.keyed(pid, message.requestKey, content, message.now, (process) => admit(process, message));
  }

  async claim(pid: string, { now }: { readonly now: number }) {
    const outcome = this.verb(pid, (process) => claim(process, now));
    return outcome.ok ? outcome.value : null;
  }

  async commitTurn(pid: string, epoch: number, turn: TurnCommit) {
    return this.owned(pid, epoch, (process) => commitTurn(process, turn));
  }

  async openCalls(pid: string, runId: string) {
    const open = this.get(pid).openCalls(runId);
    return open.map(({ runId: _, generation: __, ...call }) => call);
  }

  async beginCall(pid: string, epoch: number, dispatchId: string) {
    return this.owned(pid, epoch, (process) => process.beginCall(dispatchId));
  }

  async endCall(pid: string, epoch: number, dispatchId: string, { outcome, output, now }: Given<"endCall", 3>) {
    return this.owned(pid, epoch, (process) => {
      const call = process.openCall(dispatchId);
      return call === null ? "fenced" : { seq: process.endCall(call, outcome, output, now) };
    });
  }

  async ask(pid: string, epoch: number, request: Given<"ask", 2>) {
    return this.owned(pid, epoch, (process) => ask(process, request));
  }

  async answer(pid: string, given: Given<"answer", 1>) {
    return this.verb(pid, (process) => answer(process, given));
  }

  async boundary(pid: string, epoch: number, { runId, enter }: Given<"boundary", 2>) {
    return this.owned(pid, epoch, (process) => boundary(process, runId, enter));
  }

  async finish(pid: string, epoch: number, { runId, status, reason, error, note, now }: Given<"finish", 2>) {
    return this.owned(pid, epoch, (process) => {
      if (process.currentRun !== runId) return "fenced";
      process.cancelCalls(runId, now);
      if (note !== null) process.enterMessage({ role: "system", content: note, runId, timestamp: now });
      return process.finish(runId, { status, reason, error, text: null }, now);
    });
  }

  retry = async (pid: string, epoch: number, { runId, retrying, held }: Given<"retry", 2>) =>
    this.owned(pid, epoch, (process) => (process.currentRun === runId ? process.retry(retrying, held) : "fenced"));

  async abort(pid: string, { runId, reason, requestKey, now }: Given<"abort", 1>) {
    return this.keyed(pid, requestKey, ["abort", runId], now, (process) => {
      const isMeant = runId === null || runId === process.currentRun;
      return isMeant ? abort(process, process.currentRun, reason, now) : takeBack(process, runId);
    });
  }

  async cut(pid: string, { now, ...asked }: Omit<Closing, "cutSeq" | "generation" | "startedAt"> & { now: number }) {
    return this.verb(pid, (process) => {
      if (process.closing?.reason === asked.reason) return { closing: process.closing, ends: [], withdrawn: [] };
      if (process.closing?.reason === "kill") return "no-process";
      return cut(process, asked, now);
    });
  }

  messageText = async (pid: string, piece: TextPiece) => textOf(this.get(pid), piece);

  async closingRecords(pid: string, after: string | null, limit: number) {
    return closingRecordsOf(this.get(pid), after, limit);
  }

  async seal(pid: string, given: Given<"seal", 1>): Promise<void> {
    this.verb(pid, (process) => {
      if (process.closing === null) return null;
      remember(process, process.closing.requestKey, { body: "", answer: given.answer, at: given.now });
      seal(process, process.closing);
      return null;
    });
  }

  async answered(pid: string, key: string) {
    return this.disk.processes.get(pid)?.requests.get(key)?.answer ?? null;
  }

  head = async (pid: string) => plainHead(this.get(pid));
  projection = async (pid: string) => this.get(pid).projection();

  async history(pid: string, query: HistoryQuery) {
    return historyOf(this.get(pid), query);
  }

  async runEnd(pid: string, runId: string) {
    const run = this.get(pid).runs.get(runId);
    if (run !== undefined) return run.status === null ? ("open" as const) : endOf(run);
    return this.get(pid).queue.some((row) => row.runId === runId) ? ("open" as const) : null;
  }

  async openApproval(pid: string) {
    return this.get(pid).openApproval;
  }

  async trace(pid: string, { after, limit }: Given<"trace", 1>) {
    const { log } = this.get(pid);
    return after === undefined ? log.slice(-limit) : log.filter((row) => row.id > after).slice(0, limit);
  }

  async logCall(pid: string, row: LoggedCall): Promise<void> {
    this.unlessFenced(pid, (process) => {
      process.log.push({ ...row, id: ++process.logged });
      process.log = process.log.slice(-LIMITS.syscallLogRowsMax);
    });
  }

  async outbox(pid: string) {
    return [...this.get(pid).outbox];
  }

  async clearOutbox(pid: string, throughSeq: number): Promise<void> {
    this.unlessFenced(pid, (process) => {
      process.outbox = process.outbox.filter((row) => row.seq > throughSeq);
    });
  }

  opened = async () => [...this.disk.processes.keys()];

  async sweep(pid: string, { runsBefore, callsBefore, rowsMax }: Given<"sweep", 1>) {
    let swept = 0;
    this.unlessFenced(pid, (process) => {
      const old = process.log.filter((row) => callsBefore !== null && row.at < callsBefore).slice(0, rowsMax);
      process.log = process.log.filter((row) => !old.includes(row));
      swept = old.length + process.forgetRuns(runsBefore ?? 0, rowsMax);
    });
    return swept;
  }

  async exists(pid: string) {
    return this.disk.processes.has(pid);
  }

  async check(pid: string) {
    return this.disk.processes.has(pid) ? null : `the database of ${pid} is missing`;
  }

  async quarantine(pid: string) {
    this.quarantined++;
    this.disk.processes.delete(pid);
    return "nowhere";
  }

  async remove(pid: string): Promise<void> {
    this.disk.processes.delete(pid);
  }

  async close(): Promise<void> {}

  protected get(pid: string): ModelProcess {
    const process = this.disk.processes.get(pid);
    if (process === undefined) throw new StoreCorrupt(`the database of ${pid} is missing`);
    return process;
  }

  private outboxSeq(madeAnew: number): number {
    return this.kernelGeneration * 2 ** 32 + madeAnew * 2 ** 24;
  }

  protected verb<T>(pid: string, step: Step<T>): Outcome<T> {
    const process = this.get(pid);
    if (process.kernel !== this.kernelGeneration) return { ok: false, why: "fenced" };
    return process.write(() => {
      const value = step(process);
      if (REFUSALS.includes(value)) return { ok: false, why: value as Refusal };
      return { ok: true, value: value as T, replay: false };
    });
  }

  protected owned<T>(pid: string, epoch: number, step: Step<T>): Outcome<T> {
    return this.verb(pid, (process) => (process.epoch === epoch ? step(process) : "fenced"));
  }

  private keyed<T extends object>(pid: string, key: string, content: unknown, now: number, step: Step<T>): Outcome<T> {
    const known = this.get(pid).requests.get(key);
    const body = JSON.stringify(content);
    if (known !== undefined && known.body !== body) return { ok: false, why: "conflict" };
    if (known !== undefined) return { ok: true, value: known.answer as T, replay: true };
    const outcome = this.verb(pid, step);
    if (outcome.ok) remember(this.get(pid), key, { body, answer: outcome.value, at: now });
    return outcome;
  }

  protected unlessFenced(pid: string, step: (process: ModelProcess) => void): void {
    if (this.get(pid).kernel === this.kernelGeneration) step(this.get(pid));
  }
}
