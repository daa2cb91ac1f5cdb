// The loop of a process: claim, then turn after turn until the run ends, steps aside or belongs to somebody else. At most one loop runs a
// process; what it knows beyond the store is only what is in flight. Fenced means stop at once: someone else has decided.

import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import { LIMITS } from "../abi/limits.ts";
import { FAILED_NOTE, type Message, normaliseText } from "../abi/message.ts";
import { NO_USAGE, type RunEnd, type RunStatus } from "../abi/process.ts";
import type { Failure, FailureClass, ModelRequest, Provider } from "../abi/stream.ts";
import { quickTryMs } from "../lib/backoff.ts";
import type { Clock } from "../lib/clock.ts";
import type { Folded } from "../providers/fold.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import type { Claimed, ProcessStore, TurnCommit } from "../store/process/verbs.ts";
import { storable } from "./arguments.ts";
import { endSignals, type Ledger, type SignalBody } from "./ledger.ts";
import type { RunPlace, ToolCalls } from "./toolcalls.ts";
import { modelTurn } from "./turn.ts";

export interface RunPorts {
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly toolCalls: ToolCalls;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly modelOf: (row: ProcessRow, run: Claimed) => Promise<{ readonly provider: Provider; readonly model: string }>;
  readonly promptOf: (row: ProcessRow) => Promise<ModelRequest["about"] & { readonly system: string }>;
  readonly wantsDeltas: (pid: string) => boolean;
  /** A run of the process is over: what it left running ends. */
  readonly runOver: (pid: string) => void;
}

/** Failures that may pass by themselves: the turn is asked again, since nothing of it was carried out. */
const PASSING: readonly FailureClass[] = ["outage", "network", "timeout", "protocol"];
const TRIES_MAX = 3;

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
  for (let turn = run.turn; ; turn++) {
    if ((await ports.toolCalls.runAll(place)) === "left" || place.signal.aborted) return;
    // Only after tools: what waits when a run begins has a run of its own to come.
    const point = await store.boundary(row.pid, run.epoch, { runId: run.runId, enter: turn > 0, now: clock.now() });
    await ledger.publish(row);
    if (!point.ok || point.value.leave || place.leaveWanted()) return;
    if (turn >= LIMITS.turnsPerRunMax) {
      return await finish(ports, place, {
        status: "limit",
        reason: "turns",
        error: `stopped after ${turn} turns in one run`,
      });
    }
    const answer = await askModel(ports, place, turn + 1);
    if (answer === null) return;
    if (answer.kind === "failure") return await finish(ports, place, failed(answer.failure));
    if ((await commit(ports, place, answer)) === "over") return;
  }
}

// Null: aborted, by whoever fenced the run or by a kernel that leaves.
async function askModel(
  ports: RunPorts,
  place: RunPlace,
  turn: number,
): Promise<Exclude<Folded, { kind: "aborted" }> | null> {
  const { clock, ledger, store } = ports;
  const { row, run, signal } = place;
  const { provider, model } = await ports.modelOf(row, run);
  for (let attempt = 1; ; attempt++) {
    const request = await requestOf(ports, row, model);
    const onDelta = ports.wantsDeltas(row.pid)
      ? (kind: "text" | "thinking", text: string) =>
          ledger.emit(row, { name: "chat.delta", run: run.runId, turn, kind, text })
      : null;
    const answer = notEmpty(await modelTurn({ provider, request, signal, clock, onDelta }));
    if (signal.aborted || answer.kind === "aborted") return null;
    if (answer.kind === "turn" || attempt >= TRIES_MAX || !PASSING.includes(answer.failure.class)) return answer;
    await store.waste(row.pid, { runId: run.runId, model, usage: NO_USAGE, now: clock.now() });
    ledger.emit(row, {
      name: "chat.restart",
      run: run.runId,
      turn,
      attempt: attempt + 1,
      reason: answer.failure.message,
    });
    await clock.sleep(answer.failure.retryAfterMs ?? quickTryMs(attempt, ports.random), signal);
    if (signal.aborted) return null;
  }
}

// A history may not hold an assistant's turn that says and does nothing.
function notEmpty(answer: Folded): Folded {
  if (answer.kind !== "turn" || answer.text !== "" || answer.calls.length > 0) return answer;
  return { ...answer, kind: "failure", failure: { class: "protocol", message: "the model's answer is empty" } };
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

async function commit(ports: RunPorts, place: RunPlace, answer: Turned): Promise<"goes on" | "over"> {
  const { store, ledger, clock, random, toolCalls } = ports;
  const { row, run } = place;
  const now = clock.now();
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
    calls,
    model: run.model ?? "offline",
    usage: answer.usage,
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
