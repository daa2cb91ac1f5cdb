// The steps of the model store that are more than a few lines: admission, claim, turn, approvals, abort, cut, seal, recovery.

import { LIMITS } from "../../src/abi/config/limits.ts";
import { type Approval, addUsage, type RunEnd } from "../../src/abi/process/process.ts";
import type { Hold } from "../../src/store/process/head.ts";
import type {
  Aborting,
  Admission,
  Admitted,
  Boundary,
  Claimed,
  Closing,
  Cut,
  ProcessStore,
  Refusal,
  TurnCommit,
  TurnCommitted,
} from "../../src/store/process/verbs.ts";
import type { ModelProcess } from "./model-process.ts";
import type { ModelQueued } from "./model-rows.ts";

export function admit(process: ModelProcess, message: Admission): Admitted | Refusal {
  if (process.closing?.reason === "kill") return "no-process";
  const waking = process.queue.filter(({ wakes }) => wakes);
  const chars = waking.reduce((sum, row) => sum + row.text.length, message.text.length);
  if (message.wakes && (waking.length >= LIMITS.queueRowsMax || chars > LIMITS.queueBytesMax)) return "full";
  const renewed = renew(process, message);
  const replaced = current(process).filter((row) => row.source !== null && row.source === message.source);
  process.queue = process.queue.filter((row) => !replaced.includes(row));
  const ends = process.endUnstarted(replaced, "event.replaced");
  const notices = message.wakes ? [] : current(process).filter(({ wakes, runId }) => !wakes && runId === null);
  const old = notices.slice(0, Math.max(0, notices.length - LIMITS.noticesMax + 1));
  process.queue = process.queue.filter((row) => !old.includes(row));
  const busy = process.currentRun !== null || process.queued > 0;
  process.queue.push({ ...message, id: ++process.queuedEver, generation: process.generation });
  if (message.wakes) process.lastActiveAt = message.now;
  const superseded = message.urgent ? abort(process, process.currentRun, "user.superseded", message.now).ends : [];
  return {
    runId: message.runId,
    queued: busy && !message.urgent,
    ends: [...ends, ...superseded],
    ...(renewed ? { renewed } : {}),
  };
}

/** After a silence a message begins a new history; what waits quietly goes with it. */
function renew(process: ModelProcess, { kind, renew: wish, media = [], now }: Admission): boolean {
  const last = process.messages.at(-1)?.message;
  const isAtRest = process.closing === null && process.currentRun === null && process.queued === 0 && !process.broken;
  if (kind !== "user" || wish === undefined || last === undefined || !isAtRest || last.timestamp >= wish.before)
    return false;
  const quiet = current(process);
  const { archiveId, requestKey } = wish;
  cut(process, { reason: "reset", archive: true, archiveId, requestKey, media: media.map(({ id }) => id) }, now);
  for (const row of quiet) row.generation = process.generation;
  return true;
}

export function claim(process: ModelProcess, now: number): Claimed | null {
  if (process.closing !== null || process.broken) return null;
  if (process.stopped || process.paused !== null) {
    process.rest();
    return null;
  }
  const run = process.currentRun === null ? undefined : process.runs.get(process.currentRun);
  if (run !== undefined) {
    if (process.openApproval !== null) return null;
    process.epoch++;
    settle(process, run.runId, now);
    process.active = "running";
    const { runId, turn, generation, model } = run;
    return {
      epoch: process.epoch,
      runId,
      turn,
      generation,
      model,
      resumed: true,
      retrying: process.retrying,
      entered: [],
    };
  }
  const rows = rowsToEnter(current(process));
  const runId = rows.at(-1)?.runId ?? null;
  if (runId === null) return null;
  process.epoch++;
  process.currentRun = runId;
  process.lastActiveAt = now;
  process.active = "running";
  const model = rows.at(-1)?.model || null;
  process.addRun(runId, { model });
  const entered = process.enter(rows, runId);
  return {
    epoch: process.epoch,
    runId,
    turn: 0,
    generation: process.generation,
    model,
    resumed: false,
    retrying: null,
    entered,
  };
}

function current(process: ModelProcess): ModelQueued[] {
  return process.queue.filter((row) => row.generation === process.generation);
}

/** Up to the newest interrupting message, else up to the first that starts a run. */
function rowsToEnter(rows: readonly ModelQueued[]): ModelQueued[] {
  const urgent = rows.findLastIndex((row) => row.urgent);
  const last = urgent === -1 ? rows.findIndex((row) => row.wakes) : urgent;
  return rows.slice(0, last + 1);
}

function settle(process: ModelProcess, runId: string, now: number): void {
  for (const call of process.allOpenCalls(runId)) {
    if (call.status !== "dispatched") continue;
    if (call.repeat === "read") call.status = "approved";
    else if (call.repeat === "resume") call.status = wasAllowed(process, call.dispatchId) ? "approved" : "registered";
    else process.endCall(call, "unknown", "", now);
  }
}

function wasAllowed({ asked }: ModelProcess, dispatchId: string): boolean {
  return asked.some((each) => each.dispatchId === dispatchId && each.approval.decision === "approve");
}

export function commitTurn(process: ModelProcess, turn: TurnCommit): TurnCommitted | Refusal {
  const run = process.runs.get(turn.runId);
  if (run === undefined || process.currentRun !== turn.runId) return "fenced";
  const { runId, generation } = { runId: turn.runId, generation: process.generation };
  const toolCalls = turn.calls.map((call) => ({ id: call.callId, name: call.tool, args: call.args }));
  const content = {
    text: turn.text,
    ...(turn.thinking === null ? {} : { thinking: turn.thinking }),
    ...(turn.seal === undefined ? {} : { seal: turn.seal }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
  const { id: seq } = process.enterMessage({ role: "assistant", runId, timestamp: turn.now, content });
  for (const call of turn.calls) process.calls.push({ ...call, runId, generation, status: "registered" });
  run.turn++;
  run.deaths = 0;
  run.usage = addUsage(run.usage, turn.usage);
  process.usage.add({ ...turn, turn: run.turn, wasted: false });
  process.retrying = null;
  process.lastActiveAt = turn.now;
  if (turn.finish === null) return { seq, turn: run.turn, ends: [] };
  process.cancelCalls(runId, turn.now);
  return { seq, turn: run.turn, ends: process.finish(runId, { ...turn.finish, text: turn.text }, turn.now) };
}

type Given<V extends keyof ProcessStore, N extends number> = Parameters<ProcessStore[V]>[N];

export function ask(process: ModelProcess, request: Given<"ask", 2>): Approval | Refusal {
  const call = process.openCall(request.dispatchId);
  if (call === null || process.currentRun === null) return "fenced";
  call.status = "asking";
  const { approvalId: id, now: createdAt, dispatchId, kind, why, about: shown, hash, expiresAt } = request;
  const { pid, currentRun: runId, generation } = process;
  const about = { id, kind, pid, runId, tool: call.tool, call: call.call ?? "", args: call.args, why, about: shown };
  const undecided = { decision: null, by: null, decidedAt: null, said: null, edited: false };
  const approval: Approval = { ...about, hash, expiresAt, createdAt, ...undecided };
  process.asked.push({ approval, dispatchId, generation });
  process.rest();
  process.tellAsked(approval);
  return approval;
}

export function answer(process: ModelProcess, given: Given<"answer", 1>): Approval | null {
  const asked = process.asked.findLast(({ approval }) => approval.id === given.approvalId);
  if (asked === undefined || asked.approval.decision !== null) return asked?.approval ?? null;
  const call = process.openCall(asked.dispatchId);
  const { instead, decision } = given;
  const more = { said: given.said ?? null, edited: instead !== undefined, ...instead };
  const approval = process.decide(asked, { ...more, decision, by: given.by, decidedAt: given.now });
  if (call !== null && decision === "approve") Object.assign(call, { status: "approved", args: approval.args });
  else if (call !== null) process.endCall(call, decision === "deny" ? "denied" : "completed", "", given.now);
  process.rest();
  return approval;
}

export function boundary(process: ModelProcess, runId: string, enter: boolean): Boundary | Refusal {
  if (process.currentRun !== runId) return "fenced";
  const leave = process.stopped || process.paused !== null;
  if (leave) process.rest();
  if (leave || !enter) return { entered: [], leave };
  if (process.active === "waiting_tool") process.active = "running";
  return { entered: process.enter(current(process), runId), leave };
}

export function abort(process: ModelProcess, runId: string | null, reason: string, now: number): Aborting {
  if (runId === null)
    return { aborted: false, runId, interruptedToolCalls: 0, ends: [], withdrawn: [], nextRunId: null };
  process.epoch++;
  const withdrawn = process.withdraw(now);
  const interruptedToolCalls = process.cancelCalls(runId, now);
  const ends = process.finish(runId, { status: "aborted", reason, text: null, error: null }, now);
  const nextRunId = current(process).find((row) => row.wakes)?.runId ?? null;
  return { aborted: true, runId, interruptedToolCalls, ends, withdrawn, nextRunId };
}

export function takeBack(process: ModelProcess, runId: string): Aborting {
  const row = current(process).find((each) => each.runId === runId && each.kind === "user");
  if (row === undefined) return abort(process, null, "", 0);
  process.queue = process.queue.filter((each) => each !== row);
  const ends = process.endUnstarted([row], "user.withdrawn");
  return { aborted: true, runId, isWaiting: true, interruptedToolCalls: 0, ends, withdrawn: [], nextRunId: null };
}

export function cut(
  process: ModelProcess,
  asked: Omit<Closing, "cutSeq" | "generation" | "startedAt">,
  now: number,
): Cut {
  const aborted = abort(process, process.currentRun, `process.${asked.reason}`, now);
  process.epoch++;
  const queued = process.endUnstarted(current(process), `process.${asked.reason}`);
  process.lastRun = queued.at(-1)?.runId ?? process.lastRun;
  const ends = [...aborted.ends, ...queued];
  const closing = { ...asked, cutSeq: process.nextSeq - 1, generation: process.generation, startedAt: now };
  process.closing = closing;
  process.generation++;
  process.paused = null;
  process.broken = false;
  process.rest();
  return { closing, ends, withdrawn: aborted.withdrawn };
}

export function seal(process: ModelProcess, { cutSeq, generation }: Closing): void {
  process.context.known = [];
  process.messages = process.messages.filter(({ message }) => message.id > cutSeq);
  process.segments = process.segments.filter(({ summarySeq }) => summarySeq > cutSeq);
  process.context.rewinds = process.context.rewinds.filter(({ noteSeq }) => noteSeq > cutSeq);
  process.queue = process.queue.filter((row) => row.generation > generation);
  process.calls = process.calls.filter((call) => call.generation > generation);
  process.asked = process.asked.filter((asked) => asked.generation > generation);
  for (const run of process.runs.values())
    if (run.generation <= generation) Object.assign(run, { text: null, error: null });
  process.closing = null;
  process.broken = false;
  process.rest();
}

/** A later kernel takes the process over; a run that saw too many kernels die is given up. */
export function recover(process: ModelProcess, now: number, crashed: boolean): readonly RunEnd[] {
  const waits = process.active === "running" && process.retrying !== null && process.retrying.waitsFor !== null;
  const carried = process.active !== null && !waits;
  process.rest();
  const run = process.currentRun === null ? undefined : process.runs.get(process.currentRun);
  if (run === undefined || process.broken || !carried || !crashed) return [];
  run.deaths++;
  if (run.deaths < LIMITS.runDeathsMax) return [];
  process.epoch++;
  process.withdraw(now);
  process.cancelCalls(run.runId, now);
  return process.finish(run.runId, { status: "error", reason: "kernel.deaths", error: "given up", text: null }, now);
}

/** Requests are kept for a day, and with each new one the old ones go. */
export function remember(
  process: ModelProcess,
  key: string,
  request: { readonly body: string; readonly answer: object; readonly at: number },
): void {
  for (const [old, { at }] of process.requests)
    if (at < request.at - LIMITS.requestsKeptMs) process.requests.delete(old);
  process.requests.set(key, request);
}

export function hold(process: ModelProcess, { stopped, now, why, atOnce }: Hold): void {
  if (process.stopped !== stopped || why === undefined) process.stoppedWhy = stopped ? (why ?? null) : null;
  if (process.stopped !== stopped) {
    process.stopped = stopped;
    process.lastActiveAt = now;
    if (process.active === null) process.rest();
  }
  if (!stopped || !atOnce) return;
  process.epoch++;
  process.active = null;
}
