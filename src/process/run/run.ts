// The loop of a run: turn after turn until it ends, stops or is fenced. A process has at most one loop. Fenced means that another request
// has changed the process: the loop must stop at once.

import { uuidv7 } from "../../abi/ids.ts";
import { FAILED_NOTE, normaliseText } from "../../abi/process/message.ts";
import { charged } from "../../abi/process/money.ts";
import type { RunEnd, RunStatus } from "../../abi/process/process.ts";
import type { Failure, FailureClass } from "../../abi/stream.ts";
import type { Model } from "../../kernel/models/model.ts";
import type { Folded } from "../../providers/fold.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { Claimed, TurnCommit } from "../../store/process/verbs.ts";
import type { Restarter } from "../faults/restart.ts";
import { endSignals, type SignalBody } from "../life/ledger.ts";
import { Stopwatch } from "../limits/costs.ts";
import { storable } from "./arguments.ts";
import { type ActiveRun, type AskPorts, askModels } from "./ask-model.ts";
import type { CurrentRun } from "./current-run.ts";
import type { OfferedTools } from "./offered-tools.ts";
import { EXHAUSTED } from "./retry-plan.ts";
import type { ToolCalls } from "./tool-calls.ts";

export interface RunPorts extends AskPorts {
  readonly toolCalls: ToolCalls;
  readonly offered: OfferedTools;
  readonly restarter: Restarter;
  readonly resetContext: (row: ProcessRow, run: Claimed) => Promise<void>;
  /** Called when a run ends, to end what it left running. */
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
  model: "error",
  server: "error",
  config: "error",
  request: "error",
  protocol: "error",
  content: "error",
};

type Turned = Extract<Folded, { readonly kind: "turn" }>;

export async function carryOn(ports: RunPorts, place: CurrentRun): Promise<void> {
  const { store, ledger, clock } = ports;
  const { row, run } = place;
  const stopwatch = new Stopwatch(clock);
  await ports.resetContext(row, run);
  for (let turn = run.turn; ; turn++) {
    if ((await ports.toolCalls.runAll(place)) === "left" || place.signal.aborted) return;
    // Messages enter after tool calls only: a message that waits before the first turn gets its own run.
    const point = await store.boundary(row.pid, run.epoch, { runId: run.runId, enter: turn > 0, now: clock.now() });
    await ledger.publish(row);
    if (point.ok && point.value.entered.length > 0) {
      const messages = point.value.entered.map(({ runId, id }) => ({ run: runId, seq: id }));
      ledger.emit(row, { name: "chat.entered", run: run.runId, messages });
    }
    if (!point.ok || point.value.leave || place.leaving.aborted) return;
    if (turn >= (await ports.boundsOf(row, run.runId)).turnsMax) {
      const error = `stopped after ${turn} model calls; send a message to continue, or raise run.maxTurns`;
      return await finish(ports, place, { status: "limit", reason: "turns", error });
    }
    const asked = await askModels(ports, { ...place, stopwatch }, turn + 1);
    if (asked === null) return;
    const { answer, model, reserved, exhausted } = asked;
    try {
      if (answer.kind === "failure") return await failedTurn(ports, place, failed(answer.failure, exhausted));
      if ((await commit(ports, { ...place, stopwatch }, answer, model)) === "over") return;
    } finally {
      await ports.budgets.settle(reserved);
    }
  }
}

/** Protocol failures may restart the run by its restart rule. */
async function failedTurn(ports: RunPorts, place: CurrentRun, end: ReturnType<typeof failed>): Promise<void> {
  const { row, run } = place;
  const fault = { epoch: run.epoch, runId: run.runId, reason: end.error };
  if (end.reason === "model.protocol" && (await ports.restarter.after(row, fault))) return;
  await finish(ports, place, end);
}

async function commit(ports: RunPorts, place: ActiveRun, answer: Turned, model: Model): Promise<"goes on" | "over"> {
  const { store, ledger, clock, random, offered, costs } = ports;
  const { row, run, stopwatch } = place;
  const now = clock.now();
  const cost = charged(model.rate, answer.usage);
  costs.note(model.name, cost);
  const calls: TurnCommit["calls"] = storable(answer.calls).map((call) => {
    const syscall = offered.syscallOf(row.pid, call.name);
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
    ms: stopwatch.lap(),
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
  { row, run }: CurrentRun,
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

function failed(failure: Failure, exhausted?: true): { status: RunStatus; reason: string; error: string } {
  if (exhausted) return { status: "error", reason: EXHAUSTED, error: normaliseText(failure.message) };
  return { status: STATUS_OF[failure.class], reason: `model.${failure.class}`, error: normaliseText(failure.message) };
}
