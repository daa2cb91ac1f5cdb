// Asks a model for one turn: retries it, makes room in its window, falls back to other models, and puts the run aside if nothing helps now.
// The number of tries and the instant of the next one are stored before each wait, so the next kernel waits for the same instant.

import type { RandomBytes } from "../../abi/ids.ts";
import { charged, type Reported } from "../../abi/process/money.ts";
import { NO_USAGE, type Retrying, type WaitsFor } from "../../abi/process/process.ts";
import type { SignalOf } from "../../abi/signal.ts";
import type { Failure, ModelRequest } from "../../abi/stream.ts";
import type { Model } from "../../kernel/models/model.ts";
import { providerOf } from "../../kernel/models/outages.ts";
import type { Folded } from "../../providers/fold.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { Claimed } from "../../store/process/verbs.ts";
import { exhaustedText, type Outages } from "../faults/outage.ts";
import type { PausedRuns } from "../faults/paused-runs.ts";
import type { Room } from "../history/compaction/room.ts";
import type { Ledger } from "../life/ledger.ts";
import type { Budgets, Reservation } from "../limits/budgets.ts";
import type { Costs, Stopwatch } from "../limits/costs.ts";
import type { SenderCredits } from "../limits/sender-credits.ts";
import type { CurrentRun } from "./current-run.ts";
import type { AskedModel } from "./model-calls.ts";
import { type RequestPorts, requestOf } from "./model-request.ts";
import { modelTurn, usable } from "./model-turn.ts";
import { keep, laneOf, turnFor, type WaitPorts, waited } from "./pacing.ts";
import { isReachable, type Verdict, verdictOn } from "./retry-plan.ts";

export interface AskPorts extends RequestPorts, WaitPorts {
  readonly ledger: Ledger;
  readonly random: RandomBytes;
  readonly budgets: Budgets;
  readonly credits: Pick<SenderCredits, "holdsBack">;
  readonly costs: Costs;
  readonly boundsOf: (
    row: ProcessRow,
    runId: string,
  ) => Promise<{
    readonly turnsMax: number;
    readonly outputTokens: number;
    readonly parallel: number;
  }>;
  readonly retries: number;
  /** The chosen model, then its fallbacks. */
  readonly modelsOf: (row: ProcessRow, run: Claimed) => Promise<readonly [Model, ...Model[]]>;
  readonly pausedRuns: () => PausedRuns;
  readonly outages: () => Outages;
  /** Tells the run's timeout that it makes progress. */
  readonly active: (pid: string, untilMs?: number) => void;
  readonly room: Room;
  readonly wantsDeltas: (pid: string) => boolean;
  readonly log: (pid: string, asked: AskedModel) => Promise<void>;
  readonly answering: Map<string, () => string>;
}

export type Answer = Exclude<Folded, { readonly kind: "aborted" }>;
type Failed = Extract<Answer, { readonly kind: "failure" }>;

export interface Answered {
  readonly answer: Answer;
  readonly model: Model;
  /** Reserved for this answer: settle it once the answer is charged. */
  readonly reserved: Reservation | null;
  /** The run was paused as often as allowed. */
  readonly exhausted?: true;
}

export interface ActiveRun extends CurrentRun {
  readonly stopwatch: Stopwatch;
}

const MISSING = { model: "model", server: "address" } as const;

interface Asking extends ActiveRun {
  readonly turn: number;
  /** Number of pauses of the run for this turn. */
  readonly pauses: number;
  readonly models: readonly [Model, ...Model[]];
  /** How often the turn was asked, of any model. */
  attempt: number;
  isCharged: boolean;
  reserved: Reservation | null;
  /** History was shortened because a server reported a full window. */
  madeRoom: boolean;
}

/** Null if the run was aborted, fenced, drained or paused. */
export async function askModels(ports: AskPorts, place: ActiveRun, turn: number): Promise<Answered | null> {
  const { row, run } = place;
  const models = await ports.modelsOf(row, run);
  const earlier = turn === run.turn + 1 ? run.retrying : null;
  const pauses = earlier?.pauses ?? 0;
  const attempt = 1 + (earlier?.failed ?? 0) + pauses;
  const asking: Asking = { ...place, turn, pauses, models, attempt, madeRoom: false, isCharged: false, reserved: null };
  const [{ missing }] = models;
  if (missing !== null && (run.resumed || models.length === 1))
    return await pauseFor(ports, asking, models[0], { kind: "credential", reason: missing });
  // Before making room: a summary costs money, too.
  if ((await ports.budgets.holdsBack(row)) || (await ports.credits.holdsBack(row))) return null;
  const full = await ports.room.before(place, models);
  if (place.signal.aborted) return null;
  if (full !== null)
    return { answer: { kind: "failure", failure: full, text: "", thinking: "" }, model: models[0], reserved: null };
  return await askInTurn(ports, asking, earlier);
}

/** Asks the models one after the other, each with its retries. */
async function askInTurn(ports: AskPorts, asking: Asking, earlier: Retrying | null): Promise<Answered | null> {
  const { models, pauses } = asking;
  let at = Math.max(
    0,
    models.findIndex(({ name }) => name === earlier?.model),
  );
  const resumed = earlier?.model === models[at]?.name ? earlier : null;
  if (!(await waitOut(ports, asking, resumed))) return null;
  let failed = (resumed?.failed ?? 0) + 1;
  let first: { readonly answer: Failed; readonly model: Model; readonly verdict: Verdict } | null = null;
  for (let model = models[at]; model !== undefined; ) {
    const answer = await askOnce(ports, asking, model);
    if (answer === null) return null;
    if (answer.kind === "turn") {
      ports.outages().answered(asking.row, model.name);
      return { answer, model, reserved: asking.reserved };
    }
    const madeRoom = await makeRoom(ports, asking, model, answer);
    if (madeRoom === "aborted") return null;
    if (madeRoom) continue;
    if (isReachable(answer.failure)) ports.outages().answered(asking.row, model.name);
    const other = models[at + 1];
    const verdict = verdictOn(
      answer.failure,
      { failed, pauses, retries: ports.retries, hasFallback: other !== undefined },
      ports.random,
    );
    if (verdict.next === "retry") {
      const retry = { model, failed, failure: answer.failure, ms: verdict.ms, of: verdict.of };
      if (!(await waitToRetry(ports, asking, retry))) return null;
      failed++;
      continue;
    }
    first ??= { answer, model, verdict };
    if (verdict.next !== "fallback" || other === undefined) break;
    await fallBack(ports, asking, { from: model, to: other, failure: answer.failure });
    [model, at, failed] = [other, at + 1, 1];
  }
  return first === null ? null : await unanswered(ports, asking, first);
}

/** Waits for the instant that an earlier kernel stored. False if the run must stop. */
async function waitOut(ports: AskPorts, asking: Asking, resumed: Retrying | null): Promise<boolean> {
  if (resumed?.waitsFor?.kind !== "model") return true;
  if (!(await waited(ports, asking, resumed.waitsFor.until))) return false;
  return await keep(ports, asking, { ...resumed, waitsFor: null });
}

/** True: ask the same model again, older history is shorter now. Once per turn: after that the failure has another cause. */
async function makeRoom(
  ports: AskPorts,
  asking: Asking,
  model: Model,
  { failure }: Failed,
): Promise<boolean | "aborted"> {
  if (failure.class !== "overflow" || asking.madeRoom) return false;
  asking.madeRoom = true;
  const hasRoom = await ports.room.afterOverflow(asking, asking.models);
  if (asking.signal.aborted) return "aborted";
  if (!hasRoom) return false;
  const reason = `${failure.message}; older history is summarised now`;
  await restartTurn(ports, asking, model, { class: "overflow", reason, until: null, putAside: false });
  return true;
}

interface Retry {
  readonly model: Model;
  readonly failed: number;
  readonly failure: Failure;
  readonly ms: number;
  readonly of: number;
}

/** Stores the next try and waits for it. False if the run must stop. */
async function waitToRetry(
  ports: AskPorts,
  asking: Asking,
  { model, failed, failure, ms, of }: Retry,
): Promise<boolean> {
  const until = ports.clock.now() + ms;
  const { class: failureClass, message: reason } = failure;
  const next = { next: failed + 1, of };
  const about = { model: model.name, class: failureClass, reason, until, attempt: next };
  const waitsFor = { kind: "model", ...about } satisfies WaitsFor;
  const lane = laneOf(model);
  if (lane !== null && failureClass === "throttle") ports.lanes.park(lane, until);
  await restartTurn(ports, asking, model, { class: failureClass, reason, until, putAside: false, retry: next });
  const retrying = { model: model.name, failed, pauses: asking.pauses };
  if (!(await keep(ports, asking, { ...retrying, waitsFor }))) return false;
  if (!(await waited(ports, asking, until))) return false;
  return await keep(ports, asking, { ...retrying, waitsFor: null });
}

async function fallBack(
  ports: AskPorts,
  asking: Asking,
  { from, to, failure }: { readonly from: Model; readonly to: Model; readonly failure: Failure },
): Promise<void> {
  const reason = `${failure.message.split(". ", 1)[0]}; trying ${to.name} instead`;
  const about = { class: failure.class, reason, until: null, putAside: false } as const;
  await restartTurn(ports, asking, from, { ...about, fallbackModel: to.name });
}

/** One request: waits for its lane, reserves its cost, charges the usage, and then releases the rest. */
async function askOnce(ports: AskPorts, asking: Asking, model: Model): Promise<Answer | null> {
  const { budgets, costs } = ports;
  const { row, run, signal } = asking;
  const leaveLane = await turnFor(ports, asking, model);
  if (leaveLane === null) return null;
  let reserved: Reservation | null = null;
  let isKept = false;
  try {
    ports.active(row.pid);
    const request = await requestOf(ports, asking, model);
    const most = async () => costs.most(model, request, (await ports.boundsOf(row, run.runId)).outputTokens);
    const allowed = await budgets.reserve(row, { most, signal });
    if (allowed === "paused") return null;
    reserved = allowed;
    const answer = await called(ports, asking, model, request);
    isKept = answer.kind === "turn" && !signal.aborted;
    asking.reserved = isKept ? reserved : null;
    asking.isCharged = answer.usage !== undefined;
    if (!isKept && answer.usage !== undefined) await waste(ports, asking, model, answer.usage);
    return signal.aborted || answer.kind === "aborted" ? null : answer;
  } finally {
    if (!isKept) await budgets.settle(reserved);
    leaveLane();
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
  const onBegin = (said: () => string) => void ports.answering.set(row.pid, said);
  const onLife = lifeOf(ports, row, model);
  const [at, from] = [clock.now(), clock.mono()];
  const asking = modelTurn({ provider: model.provider, request, signal, clock, onDelta, onBegin, onLife });
  const answer = usable(await asking.finally(() => ports.answering.delete(row.pid)), model);
  await ports.log(row.pid, { model: model.name, at, ms: clock.mono() - from, answer });
  return answer;
}

/** The first piece of an answer ends an outage of the provider. */
function lifeOf({ outages, active }: AskPorts, row: ProcessRow, model: Model): () => void {
  let isAnswering = false;
  return () => {
    active(row.pid);
    if (!isAnswering) outages().answered(row, model.name);
    isAnswering = true;
  };
}

/** Charges an answer that is not kept. */
async function waste(
  { store, ledger, clock, costs }: AskPorts,
  { row, run, stopwatch }: Asking,
  { name, rate }: Model,
  used: Reported,
): Promise<void> {
  const cost = charged(rate, used);
  costs.note(name, cost);
  await store.waste(row.pid, { runId: run.runId, model: name, ...cost, ms: stopwatch.lap(), now: clock.now() });
  await ledger.publish(row);
}

/** No candidate answered. The failure of the first one decides what happens to the run. */
async function unanswered(
  ports: AskPorts,
  asking: Asking,
  first: { readonly answer: Failed; readonly model: Model; readonly verdict: Verdict },
): Promise<Answered | null> {
  const { answer, model } = first;
  const tries = { failed: Number.POSITIVE_INFINITY, pauses: asking.pauses, retries: 0, hasFallback: false };
  const verdict = first.verdict.next === "fallback" ? verdictOn(answer.failure, tries, ports.random) : first.verdict;
  if (verdict.next === "ask-person") {
    const { class: failureClass, message: reason } = answer.failure;
    await restartTurn(ports, asking, model, { class: failureClass, reason, until: null, putAside: true });
    const missing = failureClass === "model" || failureClass === "server" ? { missing: MISSING[failureClass] } : {};
    return await pauseFor(ports, asking, model, { kind: "credential", reason, ...missing });
  }
  const isExhausted = verdict.next === "end" && verdict.exhausted;
  if (verdict.next !== "pause" && !isExhausted) return { answer, model, reserved: null };
  const { waitsFor, isProbe } = ports.outages().failed(asking.row, model.name, answer.failure);
  // Only automatic tries count, not those that a person asked for.
  if (isExhausted && isProbe) {
    const failure = { ...answer.failure, message: exhaustedText(answer.failure.message) };
    return { answer: { ...answer, failure }, model, reserved: null, exhausted: true };
  }
  await restartTurn(ports, asking, model, { ...waitsFor, putAside: true });
  const counts = verdict.next === "pause" && verdict.counts;
  const pauses = counts ? (isProbe ? asking.pauses + 1 : Math.max(1, asking.pauses)) : asking.pauses;
  if (await keep(ports, asking, { model: model.name, failed: 0, pauses, waitsFor }, true))
    ports.outages().waits(asking.row, waitsFor);
  return null;
}

async function pauseFor(
  ports: AskPorts,
  asking: Asking,
  model: Model,
  why: Extract<WaitsFor, { readonly kind: "credential" }>,
): Promise<null> {
  const waitsFor = { ...why, provider: providerOf(model.name) };
  const { row, run } = asking;
  const needs = await ports.pausedRuns().needsOf(row, model, why.missing ?? "key");
  // Keep the stored instant: the run waits for it again once there is a key.
  const isKept = model.missing !== null && run.retrying !== null;
  const retrying = { model: model.name, failed: 0, pauses: asking.pauses, waitsFor };
  if (!isKept && !(await keep(ports, asking, retrying, true))) return null;
  if (isKept) await ports.store.pause(row.pid, waitsFor, { now: ports.clock.now() });
  if (isKept) await ports.ledger.publish(row);
  ports.pausedRuns().waitForPerson(row, run.runId, model, needs);
  return null;
}

/** Clients must drop what they show of the turn: it starts again. */
async function restartTurn(
  ports: AskPorts,
  asking: Asking,
  model: Model,
  why: Pick<SignalOf<"chat.restart">, "class" | "reason" | "until" | "putAside" | "retry" | "fallbackModel">,
): Promise<void> {
  const { row, run, turn } = asking;
  if (!asking.isCharged) await waste(ports, asking, model, NO_USAGE);
  const attempt = ++asking.attempt;
  const { class: failureClass, reason, until, putAside: isPaused, retry, fallbackModel } = why;
  const about = { class: failureClass, reason, until, putAside: isPaused };
  const more = {
    ...(retry === undefined ? {} : { retry }),
    ...(fallbackModel === undefined ? {} : { fallbackModel }),
  };
  ports.ledger.emit(row, { name: "chat.restart", run: run.runId, turn, attempt, ...about, ...more });
}
