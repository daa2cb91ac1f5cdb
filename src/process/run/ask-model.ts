// One turn asked of a model, and of those that stand in for it, until there is an answer or none is to be had. How often it was asked and
// what is waited for is stored before anybody waits: a later kernel goes on waiting for the same instant. A turn that nobody answers
// now puts its run aside, until an instant or until there is another key.

import type { RandomBytes } from "../../abi/ids.ts";
import { charged, type Reported } from "../../abi/process/money.ts";
import { NO_USAGE, type Retrying, type WaitsFor } from "../../abi/process/process.ts";
import type { SignalOf } from "../../abi/signal.ts";
import type { Failure, ModelRequest } from "../../abi/stream.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { Folded } from "../../providers/fold.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { Claimed } from "../../store/process/verbs.ts";
import type { HeldRuns } from "../faults/held-runs.ts";
import { exhaustedText, type Outages } from "../faults/outage.ts";
import type { Room } from "../history/compaction/room.ts";
import type { Ledger } from "../life/ledger.ts";
import type { Budgets, Reservation } from "../limits/budgets.ts";
import type { Costs, Shift } from "../limits/costs.ts";
import type { AskedModel } from "./model-calls.ts";
import { type RequestPorts, requestOf } from "./model-request.ts";
import { modelTurn } from "./model-turn.ts";
import { keep, laneOf, turnFor, type WaitPorts, waited } from "./pacing.ts";
import type { RunPlace } from "./place.ts";
import { isThere, type Verdict, verdictOn } from "./retry-plan.ts";

export interface AskPorts extends RequestPorts, WaitPorts {
  readonly ledger: Ledger;
  readonly random: RandomBytes;
  readonly budgets: Budgets;
  readonly costs: Costs;
  /** How many answers a run of the process may take, and how many tokens one may have. */
  readonly boundsOf: (
    row: ProcessRow,
    runId: string,
  ) => Promise<{ readonly turnsMax: number; readonly outputTokens: number; readonly parallel: number }>;
  /** The one that is meant, then those that stand in for it. */
  readonly modelsOf: (row: ProcessRow, run: Claimed) => Promise<readonly [Model, ...Model[]]>;
  readonly held: () => HeldRuns;
  readonly outages: () => Outages;
  /** A sign of life of the run that the process has in flight. */
  readonly active: (pid: string, untilMs?: number) => void;
  /** For history in the window of a model. */
  readonly room: Room;
  readonly wantsDeltas: (pid: string) => boolean;
  /** For whoever follows what a process does. */
  readonly log: (pid: string, asked: AskedModel) => Promise<void>;
  /** By process: what the answer in the making has said so far. */
  readonly saying: Map<string, () => string>;
}

export type Answer = Exclude<Folded, { readonly kind: "aborted" }>;

export interface Answered {
  readonly answer: Answer;
  readonly model: Model;
  /** What was reserved for it: to be settled once it is charged. */
  readonly reserved: Reservation | null;
  /** It was put aside as often as is worth it. */
  readonly exhausted?: true;
}

/** A run, and how long it has been at work. */
export interface Working extends RunPlace {
  readonly shift: Shift;
}

interface Asking extends Working {
  readonly turn: number;
  readonly pauses: number;
  readonly models: readonly [Model, ...Model[]];
  /** How often the turn was asked so far, whoever was. */
  attempt: number;
  /** Whether what the last answer used is charged already. */
  isCharged: boolean;
  reserved: Reservation | null;
  /** A server said that the window is full, and room was made for it. */
  madeRoom: boolean;
}

interface Failed {
  readonly answer: Extract<Answer, { readonly kind: "failure" }>;
  readonly model: Model;
  readonly verdict: Verdict;
}

/** Null: aborted or fenced, asked to step aside, or put aside. */
export async function askModels(ports: AskPorts, place: Working, turn: number): Promise<Answered | null> {
  const { row, run } = place;
  const models = await ports.modelsOf(row, run);
  const earlier = turn === run.turn + 1 ? run.retrying : null;
  const pauses = earlier?.pauses ?? 0;
  const attempt = 1 + (earlier?.failed ?? 0) + pauses;
  const asking: Asking = { ...place, turn, pauses, models, attempt, madeRoom: false, isCharged: false, reserved: null };
  // Who began it had a key; a message that comes without one is told so at once.
  if (models[0].missing !== null && run.resumed) return await putAside(ports, asking, models[0], models[0].missing);
  // What is used up buys no summary either.
  if (await ports.budgets.holdsBack(row)) return null;
  const full = await ports.room.before(place, models);
  if (place.signal.aborted) return null;
  if (full !== null)
    return { answer: { kind: "failure", failure: full, text: "", thinking: "" }, model: models[0], reserved: null };
  let first: Failed | null = null;
  const from = Math.max(
    0,
    models.findIndex(({ name }) => name === earlier?.model),
  );
  for (const [index, model] of models.entries()) {
    if (index < from) continue;
    const other = models[index + 1];
    const told = await askModel(ports, asking, { model, hasOther: other !== undefined, earlier });
    if (told === null) return null;
    if ("kind" in told) return { answer: told, model, reserved: asking.reserved };
    first ??= told;
    if (told.verdict.next !== "other" || other === undefined) break;
    const { failure } = told.answer;
    const reason = `${failure.message}; trying ${other.name} instead`;
    await again(ports, asking, model, {
      class: failure.class,
      reason,
      until: null,
      putAside: false,
      fallbackModel: other.name,
    });
  }
  return first === null ? null : await unanswered(ports, asking, first);
}

interface One {
  readonly model: Model;
  readonly hasOther: boolean;
  readonly earlier: Retrying | null;
}

/** One model, as often as it is worth it. */
async function askModel(ports: AskPorts, asking: Asking, one: One): Promise<Answer | Failed | null> {
  const { model, hasOther } = one;
  const mine = one.earlier?.model === model.name ? one.earlier : null;
  if (mine?.waitsFor?.kind === "model") {
    if (!(await waited(ports, asking, mine.waitsFor.until))) return null;
    if (!(await keep(ports, asking, { ...mine, waitsFor: null }))) return null;
  }
  for (let failed = (mine?.failed ?? 0) + 1; ; failed++) {
    const answer = await askedWithRoom(ports, asking, model);
    if (answer === null) return null;
    if (answer.kind === "turn" || isThere(answer.failure)) ports.outages().answered(asking.row, model.name);
    if (answer.kind === "turn") return answer;
    const stand = { failed, pauses: asking.pauses, hasOther };
    const verdict = verdictOn(answer.failure, stand, ports.random);
    if (verdict.next !== "again") return { answer, model, verdict };
    const waitsFor = nextTry(ports, model, answer.failure, verdict.ms);
    const key = laneOf(model);
    if (key !== null && answer.failure.class === "throttle") ports.lanes.park(key, waitsFor.until);
    await again(ports, asking, model, { ...waitsFor, putAside: false });
    const retrying = { model: model.name, failed, pauses: asking.pauses };
    if (!(await keep(ports, asking, { ...retrying, waitsFor }))) return null;
    if (!(await waited(ports, asking, waitsFor.until))) return null;
    if (!(await keep(ports, asking, { ...retrying, waitsFor: null }))) return null;
  }
}

/** Where its server says that the window is full, asked once more with less history: what does not fit then is something else. */
async function askedWithRoom(ports: AskPorts, asking: Asking, model: Model): Promise<Answer | null> {
  const answer = await asked(ports, asking, model);
  if (answer?.kind !== "failure" || answer.failure.class !== "overflow" || asking.madeRoom) return answer;
  asking.madeRoom = true;
  const hasRoom = await ports.room.afterOverflow(asking, asking.models);
  if (asking.signal.aborted) return null;
  if (!hasRoom) return answer;
  const reason = `${answer.failure.message}; older history is told in short now`;
  await again(ports, asking, model, { class: "overflow", reason, until: null, putAside: false });
  return await asked(ports, asking, model);
}

/** One call, for which something was reserved: what it used is charged before that is given back. */
async function asked(ports: AskPorts, asking: Asking, model: Model): Promise<Answer | null> {
  const leave = await turnFor(ports, asking, model);
  if (leave === null) return null;
  try {
    return await askedNow(ports, asking, model);
  } finally {
    leave();
  }
}

async function askedNow(ports: AskPorts, asking: Asking, model: Model): Promise<Answer | null> {
  const { budgets, costs } = ports;
  const { row, signal } = asking;
  ports.active(row.pid);
  const request = await requestOf(ports, asking, model);
  const most = async () => costs.most(model, request, (await ports.boundsOf(row, asking.run.runId)).outputTokens);
  const reserved = await budgets.reserve(row, { most, signal });
  if (reserved === "held") return null;
  let isKept = false;
  try {
    const answer = await called(ports, asking, model, request);
    isKept = answer.kind === "turn" && !signal.aborted;
    asking.reserved = isKept ? reserved : null;
    asking.isCharged = answer.usage !== undefined;
    if (!isKept && answer.usage !== undefined) await waste(ports, asking, model, answer.usage);
    return signal.aborted || answer.kind === "aborted" ? null : answer;
  } finally {
    if (!isKept) await budgets.settle(reserved);
  }
}

async function called(
  ports: AskPorts,
  { row, run, signal, turn }: Asking,
  model: Model,
  request: ModelRequest,
): Promise<Folded> {
  const { clock, ledger } = ports;
  const onDelta = ports.wantsDeltas(row.pid)
    ? (kind: "text" | "thinking", text: string) =>
        ledger.emit(row, { name: "chat.delta", run: run.runId, turn, kind, text })
    : null;
  const onBegin = (said: () => string) => void ports.saying.set(row.pid, said);
  const onLife = lifeOf(ports, row, model);
  const [at, from] = [clock.now(), clock.mono()];
  const asking = modelTurn({ provider: model.provider, request, signal, clock, onDelta, onBegin, onLife });
  const answer = notEmpty(await asking.finally(() => ports.saying.delete(row.pid)));
  await ports.log(row.pid, { model: model.name, at, ms: clock.mono() - from, answer });
  return answer;
}

/** At the first piece whoever waits for the provider hears of it. */
function lifeOf({ outages, active }: AskPorts, row: ProcessRow, model: Model): () => void {
  let isThere = false;
  return () => {
    active(row.pid);
    if (!isThere) outages().answered(row, model.name);
    isThere = true;
  };
}

/** Nothing of the answer was kept, and it has its price all the same. */
async function waste(
  { store, ledger, clock, costs }: AskPorts,
  { row, run, shift }: Asking,
  { name, rate }: Model,
  used: Reported,
): Promise<void> {
  const cost = charged(rate, used);
  costs.note(name, cost);
  await store.waste(row.pid, { runId: run.runId, model: name, ...cost, ms: shift.lap(), now: clock.now() });
  await ledger.publish(row);
}

/** Nobody answers now. What the model that was meant said decides what comes of it. */
async function unanswered(ports: AskPorts, asking: Asking, first: Failed): Promise<Answered | null> {
  const { answer, model } = first;
  const stand = { failed: Number.POSITIVE_INFINITY, pauses: asking.pauses, hasOther: false };
  const verdict = first.verdict.next === "other" ? verdictOn(answer.failure, stand, ports.random) : first.verdict;
  if (verdict.next === "key" && model.missing === null) {
    const reason = `${model.name}: ${answer.failure.message}; gsv auth provider ${model.provider.name} keeps another key`;
    await again(ports, asking, model, { class: answer.failure.class, reason, until: null, putAside: true });
    return await putAside(ports, asking, model, reason);
  }
  const isExhausted = verdict.next === "over" && verdict.exhausted;
  if (verdict.next !== "later" && !isExhausted) return { answer, model, reserved: null };
  const { waitsFor, isLook } = ports.outages().failed(asking.row, model.name, answer.failure);
  // A try beside the looks, which a person asked for, takes none of them away.
  if (isExhausted && isLook) {
    const failure = { ...answer.failure, message: exhaustedText(answer.failure.message) };
    return { answer: { ...answer, failure }, model, reserved: null, exhausted: true };
  }
  await again(ports, asking, model, { ...waitsFor, putAside: true });
  const counts = verdict.next === "later" && verdict.counts;
  const pauses = counts ? (isLook ? asking.pauses + 1 : Math.max(1, asking.pauses)) : asking.pauses;
  if (await keep(ports, asking, { model: model.name, failed: 0, pauses, waitsFor }, true))
    ports.outages().waits(asking.row, waitsFor);
  return null;
}

async function putAside(ports: AskPorts, asking: Asking, model: Model, reason: string): Promise<null> {
  const waitsFor = { kind: "credential", reason } as const;
  const { row, run } = asking;
  // An instant that an earlier kernel waited for is waited for once there is a key.
  const isKept = model.missing !== null && run.retrying !== null;
  const retrying = { model: model.name, failed: 0, pauses: asking.pauses, waitsFor };
  if (!isKept && !(await keep(ports, asking, retrying, true))) return null;
  if (isKept) await ports.store.pause(row.pid, waitsFor, { now: ports.clock.now() });
  if (isKept) await ports.ledger.publish(row);
  ports.held().forKey(row, run.runId, model);
  return null;
}

function nextTry({ clock }: AskPorts, { name }: Model, failure: Failure, ms: number) {
  const until = clock.now() + ms;
  return { kind: "model", model: name, class: failure.class, reason: failure.message, until } satisfies WaitsFor;
}

/** The turn is said anew: what was shown of it counts for nothing. */
async function again(
  ports: AskPorts,
  asking: Asking,
  model: Model,
  why: Pick<SignalOf<"chat.restart">, "class" | "reason" | "until" | "putAside" | "fallbackModel">,
): Promise<void> {
  const { row, run, turn } = asking;
  if (!asking.isCharged) await waste(ports, asking, model, NO_USAGE);
  const attempt = ++asking.attempt;
  ports.ledger.emit(row, { name: "chat.restart", run: run.runId, turn, attempt, ...why });
}

// A history may not hold an assistant's turn that says and does nothing.
function notEmpty(answer: Folded): Folded {
  if (answer.kind !== "turn" || answer.text.trim() !== "" || answer.calls.length > 0) return answer;
  const failure: Failure =
    answer.stop === "refusal"
      ? { class: "content", message: "the model will not answer this" }
      : { class: "protocol", message: "the model's answer is empty" };
  return { ...answer, kind: "failure", failure };
}
