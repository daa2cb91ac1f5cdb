// The loop of a process: claim, then turn after turn until the run ends, steps aside or belongs to somebody else. At most one loop runs a
// process; what it knows beyond the store is only what is in flight. Fenced means stop at once: someone else has decided.

import { type RandomBytes, uuidv7 } from "../abi/ids.ts";
import { LIMITS } from "../abi/limits.ts";
import { FAILED_NOTE, type Message, normaliseText } from "../abi/message.ts";
import { NO_USAGE, type RunEnd, type RunStatus } from "../abi/process.ts";
import { systemText } from "../abi/prompt.ts";
import type { Failure, FailureClass, ModelRequest } from "../abi/stream.ts";
import type { Model } from "../kernel/models.ts";
import type { Clock } from "../lib/clock.ts";
import type { Folded } from "../providers/fold.ts";
import type { ProcessRow } from "../store/kernel/processes.ts";
import type { Claimed, ProcessStore, TurnCommit } from "../store/process/verbs.ts";
import { storable } from "./arguments.ts";
import type { Room } from "./compaction/room.ts";
import { endSignals, type Ledger, type SignalBody } from "./ledger.ts";
import type { Assembled } from "./prompt.ts";
import { billOf } from "./prompt-bill.ts";
import { mayStandIn, Tries } from "./retry.ts";
import type { RunPlace, ToolCalls } from "./toolcalls.ts";
import { modelTurn } from "./turn.ts";

export interface RunPorts {
  readonly store: ProcessStore;
  readonly ledger: Ledger;
  readonly toolCalls: ToolCalls;
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The one that is meant, then those that stand in for it. */
  readonly modelsOf: (row: ProcessRow, run: Claimed) => Promise<readonly [Model, ...Model[]]>;
  /** Until there is a key for it. */
  readonly holdFor: (row: ProcessRow, model: Model) => Promise<void>;
  readonly promptOf: (row: ProcessRow) => Promise<Assembled>;
  /** For history in the window of the model. */
  readonly room: Room;
  readonly wantsDeltas: (pid: string) => boolean;
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
    const asked = await askModels(ports, place, turn + 1);
    if (asked === null) return;
    const { answer, model } = asked;
    if (answer.kind === "failure") return await finish(ports, place, failed(answer.failure));
    if ((await commit(ports, place, answer, model)) === "over") return;
  }
}

type Answer = Exclude<Folded, { readonly kind: "aborted" }>;

interface Asking extends RunPlace {
  readonly turn: number;
  readonly models: readonly [Model, ...Model[]];
  /** How often the turn was asked so far, whoever was. */
  attempt: number;
  /** A provider said that the window is full, and room was made for it. */
  madeRoom: boolean;
}

// Null: aborted, by whoever fenced the run or by a kernel that leaves; or held until there is a key.
async function askModels(
  ports: RunPorts,
  place: RunPlace,
  turn: number,
): Promise<{ readonly answer: Answer; readonly model: string } | null> {
  const { row, run } = place;
  const models = await ports.modelsOf(row, run);
  // Who began it had one; a message that comes without a key is told so at once.
  if (models[0].missing !== null && run.resumed) {
    await ports.holdFor(row, models[0]);
    return null;
  }
  const full = await ports.room.before(place, models);
  if (place.signal.aborted) return null;
  if (full !== null)
    return { answer: { kind: "failure", failure: full, text: "", thinking: "" }, model: models[0].name };
  const asking: Asking = { ...place, turn, models, attempt: 1, madeRoom: false };
  for (const [index, model] of models.entries()) {
    const answer = await askModel(ports, asking, model);
    if (answer === null) return null;
    const next = models[index + 1];
    if (answer.kind === "turn" || next === undefined || !mayStandIn(answer.failure))
      return { answer, model: model.name };
    await again(ports, asking, { model: model.name, reason: `${answer.failure.message}; ${next.name} stands in` });
  }
  return null;
}

/** One model, as often as it is worth it. */
async function askModel(ports: RunPorts, asking: Asking, { provider, model, name }: Model): Promise<Answer | null> {
  const { clock, ledger } = ports;
  const { row, run, signal, turn } = asking;
  const tries = new Tries(ports.random);
  for (;;) {
    const request = await requestOf(ports, asking, model);
    const onDelta = ports.wantsDeltas(row.pid)
      ? (kind: "text" | "thinking", text: string) =>
          ledger.emit(row, { name: "chat.delta", run: run.runId, turn, kind, text })
      : null;
    const answer = notEmpty(await modelTurn({ provider, request, signal, clock, onDelta }));
    if (signal.aborted || answer.kind === "aborted") return null;
    if (answer.kind === "failure" && (await madeRoom(ports, asking, answer.failure))) {
      await again(ports, asking, { model: name, reason: `${answer.failure.message}; older history was summarised` });
      continue;
    }
    const waitMs = answer.kind === "turn" ? null : tries.after(answer.failure);
    if (answer.kind === "turn" || waitMs === null) return answer;
    const reason = answer.failure.message;
    await again(ports, asking, { model: name, reason });
    const until = new Date(clock.now() + waitMs).toISOString();
    ledger.expect(row, { kind: "model", reason: `${name} is asked again at ${until}: ${reason}` }, signal);
    await clock.sleep(waitMs, signal);
    ledger.expect(row, null, signal);
    if (signal.aborted) return null;
  }
}

/** Once a turn: what does not fit then is more than history. */
async function madeRoom({ room }: RunPorts, asking: Asking, failure: Failure): Promise<boolean> {
  if (failure.class !== "overflow" || asking.madeRoom) return false;
  asking.madeRoom = true;
  return await room.afterOverflow(asking, asking.models);
}

/** The turn is said anew: what was shown of it counts for nothing. */
async function again(
  { store, clock, ledger }: RunPorts,
  asking: Asking,
  { model, reason }: { readonly model: string; readonly reason: string },
): Promise<void> {
  const { row, run, turn } = asking;
  await store.waste(row.pid, { runId: run.runId, model, usage: NO_USAGE, now: clock.now() });
  ledger.emit(row, { name: "chat.restart", run: run.runId, turn, attempt: ++asking.attempt, reason });
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

async function requestOf(ports: RunPorts, { row, run, turn }: Asking, model: string): Promise<ModelRequest> {
  const { store, clock } = ports;
  const { home, ...prompt } = await ports.promptOf(row);
  const messages = await store.context(row.pid);
  const tools = ports.toolCalls.specs();
  const bill = billOf({ ...prompt, tools, messages });
  await store.keepPrompt(row.pid, { runId: run.runId, turn, model, ...prompt, bill, now: clock.now() });
  const earlier = () => messagesBefore(store, row.pid, firstOf(messages));
  const about = { pid: row.pid, home, cwd: row.cwd };
  return { model, system: systemText(prompt), messages, tools, about, earlier };
}

/** Where a summary stands first, it has the higher number. */
function firstOf(messages: readonly Message[]): number {
  return messages.reduce((first, { id }) => Math.min(first, id), messages[0]?.id ?? 0);
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

async function commit(ports: RunPorts, place: RunPlace, answer: Turned, model: string): Promise<"goes on" | "over"> {
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
    ...(answer.seal === undefined ? {} : { seal: answer.seal }),
    calls,
    model,
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
