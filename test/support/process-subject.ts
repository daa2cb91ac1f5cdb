// One process on a store under test, with short verbs for the kernel's actions on it. Ids count upwards and time moves one millisecond
// a verb, so that a failing claim reads the same every time.

import type { Message, ToolOutcome } from "../../src/abi/process/message.ts";
import { NO_USAGE, type Retrying } from "../../src/abi/process/process.ts";
import type {
  Admission,
  Admitted,
  ArchiveRecord,
  Claimed,
  Cut,
  Finish,
  Outcome,
  ProcessStore,
  TurnCommit,
  TurnCommitted,
} from "../../src/store/process/verbs.ts";

import { SHOWN } from "./asking.ts";

/** The shared base of stores of several kernel starts. */
export interface Engine {
  open(kernelGeneration: number): ProcessStore;
  dispose(): Promise<void>;
}

export type NewCall = TurnCommit["calls"][number];

export const DONE: Finish = { status: "ok", reason: "turn.complete", error: null };
const FIRST_MS = 1_700_000_000_000;

export class Subject {
  readonly pid: string = "task:aaaaaa";
  kernel = 1;
  store: ProcessStore;
  private count = 0;

  private constructor(private readonly engine: Engine) {
    this.store = engine.open(1);
  }

  static async on(engine: Engine): Promise<Subject> {
    const subject = new Subject(engine);
    await subject.store.create(subject.pid, { profile: "task", identity: {}, now: FIRST_MS });
    await subject.store.adopt(subject.pid, { now: subject.now() });
    return subject;
  }

  now(): number {
    return FIRST_MS + ++this.count;
  }

  fresh(kind: string): string {
    return `${kind}-${++this.count}`;
  }

  /** A kernel that died and a later one that took over; returns the store of the dead one. */
  async nextKernel() {
    const stale = this.store;
    this.store = this.engine.open(++this.kernel);
    const { ends } = await this.store.adopt(this.pid, { now: this.now() });
    return { stale, ends };
  }

  /** The same process through another store. */
  through(store: ProcessStore): Subject {
    return Object.assign(Object.create(this) as Subject, { store });
  }

  admission(text: string, about: Partial<Admission> = {}): Admission {
    const now = this.now();
    return {
      kind: "user",
      runId: this.fresh("run"),
      wakes: true,
      urgent: false,
      text,
      origin: { kind: "client", uid: 1000, clientId: "cli" },
      source: null,
      requestKey: this.fresh("key"),
      now,
      ...about,
    };
  }

  admit(message: Admission): Promise<Outcome<Admitted>> {
    return this.store.admit(this.pid, message);
  }

  /** An admitted message; returns its run id. */
  async send(text: string, about: Partial<Admission> = {}): Promise<string> {
    const admitted = granted(await this.admit(this.admission(text, about)));
    return admitted.runId ?? "";
  }

  /** An event that starts nothing: it waits for the next run. */
  async note(text: string, source: string | null = null): Promise<void> {
    await this.send(text, { kind: "event", runId: null, wakes: false, origin: { kind: "kernel" }, source });
  }

  claim(): Promise<Claimed | null> {
    return this.store.claim(this.pid, { now: this.now() });
  }

  async claimed(): Promise<Claimed> {
    const claimed = await this.claim();
    if (claimed === null) throw new Error("nothing to claim");
    return claimed;
  }

  async running(text = "hello"): Promise<Claimed> {
    await this.send(text);
    return await this.claimed();
  }

  call(tool: string, repeat: "read" | "effect" | "resume" = "effect"): NewCall {
    const id = this.fresh("call");
    return { dispatchId: `d-${id}`, callId: id, tool, call: `fs.${tool.toLowerCase()}`, args: { path: "/a" }, repeat };
  }

  tryTurn(run: Claimed, turn: Partial<TurnCommit> = {}): Promise<Outcome<TurnCommitted>> {
    return this.store.commitTurn(this.pid, run.epoch, {
      runId: run.runId,
      text: "so be it",
      thinking: null,
      calls: [],
      model: "script",
      usage: { ...NO_USAGE, input: 10, output: 1 },
      finish: null,
      now: this.now(),
      ...turn,
    });
  }

  async turn(run: Claimed, turn: Partial<TurnCommit> = {}): Promise<TurnCommitted> {
    return granted(await this.tryTurn(run, turn));
  }

  begin(run: Claimed, call: NewCall): Promise<Outcome<null>> {
    return this.store.beginCall(this.pid, run.epoch, call.dispatchId);
  }

  tryEnd(run: Claimed, call: NewCall, outcome: ToolOutcome = "completed"): Promise<Outcome<{ seq: number }>> {
    return this.store.endCall(this.pid, run.epoch, call.dispatchId, { outcome, output: "the result", now: this.now() });
  }

  async carryOut(run: Claimed, call: NewCall): Promise<void> {
    granted(await this.begin(run, call));
    granted(await this.tryEnd(run, call));
  }

  async asks(run: Claimed, call: NewCall, approvalId = "a1b2") {
    const request = { ...SHOWN, dispatchId: call.dispatchId, approvalId, why: "delete /a", now: this.now() };
    const [approval] = granted(await this.store.ask(this.pid, run.epoch, [request]));
    if (approval === undefined) throw new Error("nothing was asked");
    return approval;
  }

  answer(decision: "approve" | "deny", by = "sam", approvalId = "a1b2") {
    return this.store.answer(this.pid, { approvalId, decision, by, now: this.now() });
  }

  boundary(run: Claimed, enter = true) {
    return this.store.boundary(this.pid, run.epoch, { runId: run.runId, enter, now: this.now() });
  }

  tryRetry(run: Claimed, retrying: Omit<Retrying, "model">, isPaused = false) {
    const options = { runId: run.runId, retrying: { model: "a/b", ...retrying }, isPaused, now: this.now() };
    return this.store.retry(this.pid, run.epoch, options);
  }

  async retry(...asked: Parameters<Subject["tryRetry"]>): Promise<void> {
    granted(await this.tryRetry(...asked));
  }

  setStopped(stopped: boolean) {
    return this.store.setStopped(this.pid, { stopped, now: this.now() });
  }

  abort(runId: string | null = null, requestKey = this.fresh("key")) {
    return this.store.abort(this.pid, { runId, reason: "user.abort", requestKey, now: this.now() });
  }

  async cut(reason: "reset" | "kill" = "reset", requestKey = this.fresh("key")): Promise<Cut> {
    const archiveId = this.fresh("archive");
    return granted(await this.store.cut(this.pid, { reason, archive: true, archiveId, requestKey, now: this.now() }));
  }

  async seal(answer: object = {}): Promise<void> {
    await this.store.seal(this.pid, { answer, now: this.now() });
  }

  /** All of the closing generation, read in small pages. */
  async closingRecords(limit = 2) {
    const records: ArchiveRecord[] = [];
    let [messages, undelivered] = [0, 0];
    for (let after: string | null = null; ; ) {
      const page = await this.store.closingRecords(this.pid, after, limit);
      records.push(...page.records);
      messages += page.messages;
      undelivered += page.undelivered;
      after = page.next;
      if (after === null) return { records, messages, undelivered };
    }
  }

  async state() {
    return (await this.store.head(this.pid)).state;
  }

  async messages(): Promise<readonly Message[]> {
    return (await this.store.history(this.pid, { limit: 100_000 })).messages;
  }

  /** History as one line a message. */
  async lines(): Promise<string[]> {
    return (await this.messages()).map((message) => `${message.id} ${message.role}: ${textOf(message)}`);
  }

  async latest() {
    return (await this.store.outbox(this.pid)).at(-1);
  }
}

export function granted<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`refused: ${outcome.why}`);
  return outcome.value;
}

export function textOf(message: Message): string {
  if (message.role === "assistant") return message.content.text;
  return message.role === "toolResult" ? `${message.content.outcome} ${message.content.toolCallId}` : message.content;
}
