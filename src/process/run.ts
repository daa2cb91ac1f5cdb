// The loop of a process: claim, then turn after turn until the run ends, steps aside or belongs to somebody else. At most one loop runs a
// process; what it knows beyond the store is only what is in flight. Fenced means stop at once: someone else has decided.

import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import { LIMITS } from "../abi/limits.ts";
import { FAILED_NOTE, type Message, normaliseText } from "../abi/message.ts";
import { charged, type Reported } from "../abi/money.ts";
import { NO_USAGE, type RunEnd, type RunStatus } from "../abi/process.ts";
import type { Failure, FailureClass, ModelRequest } from "../abi/stream.ts";
import type { Model } from "../kernel/models.ts";
import type { Clock } from "../lib/clock.ts";
import type { Folded } from "../providers/fold.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import type { Claimed, ProcessStore, TurnCommit } from "../store/process/verbs.ts";
import { storable } from "./arguments.ts";
import type { Budgets } from "./budgets.ts";
import { type Costs, Shift } from "./costs.ts";
import { endSignals, type Ledger, type SignalBody } from "./ledger.ts";
import { mayStandIn, Tries } from "./retry.ts";
import type { RunPlace, ToolCalls } from "./toolcalls.ts";
import { modelTurn } from "./turn.ts";

export interface RunPorts {
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly toolCalls: ToolCalls;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly budgets: Budgets;
  readonly costs: Costs;
  /** How many answers a run of the process may take, and how many tokens one may have. */
  readonly boundsOf: (row: ProcessRow) => Promise<{ readonly turnsMax: number; readonly outputTokens: number }>;
  /** The one that is meant, then those that stand in for it. */
  readonly modelsOf: (row: ProcessRow, run: Claimed) => Promise<readonly [Model, ...Model[]]>;
  /** Until there is a key for it. */
  readonly holdFor: (row: ProcessRow, model: Model) => Promise<void>;
  readonly promptOf: (row: ProcessRow) => Promise<ModelRequest["about"] & { readonly system: string }>;
  readonly wantsDeltas: (pid: string) => boolean;
  /** By process: what the answer in the making has said so far. */
  readonly saying: Map<string, () => string>;
  /** A run of the process is over: what it left running ends. */
  readonly runOver: (pid: string) => void;
}

const STATUS_OF: { readonly [C in FailureClass]: RunStatus } = {
  throttle: "unavailable",
  outage: "unavailable",
  network: "unavailable",
  timeout: "unavailable",
  quota: "limit",
  overflow: "limit",
  auth: "error",
  config: "error",
  request: "error",
  protocol: "error",
  content: "error",
};

type Turned = Extract<Folded, { readonly kind: "turn" }>;

/** Carries a claimed run as far as it goes. */
export async function carryOn(ports: RunPorts, place: RunPlace): Promise<void> {
  const { store, ledger, clock } = ports;
  const { row, run } = place;
  const shift = new Shift(clock);
  for (let turn = run.turn; ; turn++) {
    if ((await ports.toolCalls.runAll(place)) === "left" || place.signal.aborted) return;
    // Only after tools: what waits when a run begins has a run of its own to come.
    const point = await store.boundary(row.pid, run.epoch, { runId: run.runId, enter: turn > 0, now: clock.now() });
    await ledger.publish(row);
    if (!point.ok || point.value.leave || place.leaveWanted()) return;
    if (turn >= (await ports.boundsOf(row)).turnsMax) return await finish(ports, place, tooManyTurns(turn));
    const models = await ports.modelsOf(row, run);
    const wish = { most: () => mostOf(ports, row, models[0]), signal: place.signal };
    const asking: Asking = { ...place, shift, turn: turn + 1, attempt: 1 };
    const outcome = await ports.budgets.within(row, wish, () => takeTurn(ports, asking, models));
    if (outcome !== "goes on") return;
  }
}

async function takeTurn(ports: RunPorts, asking: Asking, models: Reachable): Promise<"goes on" | "over"> {
  const asked = await askModels(ports, asking, models);
  if (asked === null) return "over";
  const { answer, model } = asked;
  if (answer.kind === "turn") return await commit(ports, asking, answer, model);
  if (answer.usage !== undefined) await waste(ports, asking, model, answer.usage);
  await finish(ports, asking, failed(answer.failure));
  return "over";
}

function tooManyTurns(turns: number): { status: RunStatus; reason: string; error: string } {
  const error = `stopped after ${turns} turns in one run; another message goes on, run.maxTurns allows more`;
  return { status: "limit", reason: "turns", error };
}

/** What the next answer may use at most. */
async function mostOf({ costs, ...ports }: RunPorts, row: ProcessRow, model: Model) {
  const { outputTokens } = await ports.boundsOf(row);
  const { system, messages, tools } = await requestOf({ costs, ...ports }, row, model.model);
  const bytes = Buffer.byteLength(JSON.stringify({ system, messages, tools }));
  return costs.most(model.name, model.rate, { bytes, outputTokens });
}

type Answer = Exclude<Folded, { readonly kind: "aborted" }>;

type Reachable = readonly [Model, ...Model[]];

interface Asking extends RunPlace {
  readonly shift: Shift;
  readonly turn: number;
  /** How often the turn was asked so far, whoever was. */
  attempt: number;
}

// Null: aborted, by whoever fenced the run or by a kernel that leaves; or held until there is a key.
async function askModels(
  ports: RunPorts,
  asking: Asking,
  models: Reachable,
): Promise<{ readonly answer: Answer; readonly model: Model } | null> {
  const { row, run } = asking;
  // Who began it had one; a message that comes without a key is told so at once.
  if (models[0].missing !== null && run.resumed) {
    await ports.holdFor(row, models[0]);
    return null;
  }
  for (const [index, model] of models.entries()) {
    const answer = await askModel(ports, asking, model);
    if (answer === null) return null;
    const next = models[index + 1];
    if (answer.kind === "turn" || next === undefined || !mayStandIn(answer.failure)) return { answer, model };
    await again(ports, asking, {
      model,
      used: answer.usage,
      reason: `${answer.failure.message}; ${next.name} stands in`,
    });
  }
  return null;
}

/** One model, as often as it is worth it. */
async function askModel(ports: RunPorts, asking: Asking, reached: Model): Promise<Answer | null> {
  const { provider, model, name } = reached;
  const { clock, ledger } = ports;
  const { row, run, signal, turn } = asking;
  const tries = new Tries(ports.random);
  for (;;) {
    const request = await requestOf(ports, row, model);
    const onDelta = ports.wantsDeltas(row.pid)
      ? (kind: "text" | "thinking", text: string) =>
          ledger.emit(row, { name: "chat.delta", run: run.runId, turn, kind, text })
      : null;
    const onBegin = (said: () => string) => void ports.saying.set(row.pid, said);
    const answer = notEmpty(
      await modelTurn({ provider, request, signal, clock, onDelta, onBegin }).finally(() =>
        ports.saying.delete(row.pid),
      ),
    );
    if (signal.aborted || answer.kind === "aborted") {
      if (answer.usage !== undefined) await waste(ports, asking, reached, answer.usage);
      return null;
    }
    const waitMs = answer.kind === "turn" ? null : tries.after(answer.failure);
    if (answer.kind === "turn" || waitMs === null) return answer;
    const reason = answer.failure.message;
    await again(ports, asking, { model: reached, used: answer.usage, reason });
    const until = new Date(clock.now() + waitMs).toISOString();
    ledger.expect(row, { kind: "model", reason: `${name} is asked again at ${until}: ${reason}` }, signal);
    await clock.sleep(waitMs, signal);
    ledger.expect(row, null, signal);
    asking.shift.rested();
    if (signal.aborted) return null;
  }
}

/** The turn is said anew: what was shown of it counts for nothing. */
async function again(
  ports: RunPorts,
  asking: Asking,
  { model, used, reason }: { readonly model: Model; readonly used: Reported | undefined; readonly reason: string },
): Promise<void> {
  const { row, run, turn } = asking;
  await waste(ports, asking, model, used ?? NO_USAGE);
  ports.ledger.emit(row, { name: "chat.restart", run: run.runId, turn, attempt: ++asking.attempt, reason });
}

/** Nothing of the answer was kept, and it has its price all the same. */
async function waste(
  { store, clock, costs }: RunPorts,
  { row, run, shift }: Asking,
  { name, rate }: Model,
  used: Reported,
): Promise<void> {
  const cost = charged(rate, used);
  costs.note(name, cost);
  await store.waste(row.pid, { runId: run.runId, model: name, ...cost, ms: shift.lap(), now: clock.now() });
}

// A history may not hold an assistant's turn that says and does nothing.
function notEmpty(answer: Folded): Folded {
  if (answer.kind !== "turn" || answer.text !== "" || answer.calls.length > 0) return answer;
  const failure: Failure =
    answer.stop === "refusal"
      ? { class: "content", message: "the model will not answer this" }
      : { class: "protocol", message: "the model's answer is empty" };
  return { ...answer, kind: "failure", failure };
}

async function requestOf(ports: RunPorts, row: ProcessRow, model: string): Promise<ModelRequest> {
  const { system, ...about } = await ports.promptOf(row);
  const messages = await ports.store.context(row.pid);
  const earlier = () => messagesBefore(ports.store, row.pid, messages[0]?.id ?? 0);
  return { model, system, messages, tools: ports.toolCalls.specs(), about, earlier };
}

async function* messagesBefore(
  store: ProcessStore,
  pid: string,
  beforeSeq: number,
): AsyncGenerator<readonly Message[]> {
  for (let [afterSeq, more] = [0, true]; more; ) {
    const range = { afterSeq, beforeSeq, limit: LIMITS.historyPageMax, bytesMax: LIMITS.contextBytesMax };
    const { messages } = await store.history(pid, range);
    yield messages;
    afterSeq = messages.at(-1)?.id ?? afterSeq;
    more = messages.length > 0 && afterSeq < beforeSeq - 1;
  }
}

async function commit(ports: RunPorts, asking: Asking, answer: Turned, model: Model): Promise<"goes on" | "over"> {
  const { store, ledger, clock, random, toolCalls, costs } = ports;
  const { row, run, shift } = asking;
  const now = clock.now();
  const cost = charged(model.rate, answer.usage);
  costs.note(model.name, cost);
  const calls: TurnCommit["calls"] = storable(answer.calls).map((call) => {
    const syscall = toolCalls.syscallOf(call.name);
    return {
      dispatchId: uuidv7(now, random),
      callId: call.id,
      tool: call.name,
      call: syscall?.name ?? null,
      args: call.args,
      repeat: syscall?.tool?.repeat ?? "effect",
    };
  });
  const committed = await store.commitTurn(row.pid, run.epoch, {
    runId: run.runId,
    text: answer.text,
    thinking: answer.thinking === "" ? null : answer.thinking,
    ...(answer.seal === undefined ? {} : { seal: answer.seal }),
    calls,
    model: model.name,
    ...cost,
    ms: shift.lap(),
    finish:
      calls.length > 0
        ? null
        : { status: "ok", reason: answer.stop === "end" ? "turn.complete" : `turn.${answer.stop}`, error: null },
    now,
  });
  if (!committed.ok) return "over";
  const { seq, turn, ends } = committed.value;
  const thinking = answer.thinking === "" ? {} : { thinking: answer.thinking };
  const text: SignalBody = { name: "chat.text", run: run.runId, turn, seq, text: answer.text, ...thinking };
  const said = answer.text === "" ? [] : [text];
  await ledger.publish(row, [...said, ...(await completions(ports, row, ends))]);
  return calls.length > 0 ? "goes on" : "over";
}

async function finish(
  ports: RunPorts,
  { row, run }: RunPlace,
  end: { status: RunStatus; reason: string; error: string },
): Promise<void> {
  const note = `${FAILED_NOTE} ${end.error}`;
  const ended = await ports.store.finish(row.pid, run.epoch, {
    runId: run.runId,
    ...end,
    note,
    now: ports.clock.now(),
  });
  if (!ended.ok) return;
  await ports.ledger.publish(row, await completions(ports, row, ended.value));
}

async function completions(ports: RunPorts, row: ProcessRow, ends: readonly RunEnd[]): Promise<SignalBody[]> {
  if (ends.length === 0) return [];
  ports.runOver(row.pid);
  return endSignals(ends, (await ports.store.projection(row.pid)).queued);
}

function failed(failure: Failure): { status: RunStatus; reason: string; error: string } {
  return { status: STATUS_OF[failure.class], reason: `model.${failure.class}`, error: normaliseText(failure.message) };
}
