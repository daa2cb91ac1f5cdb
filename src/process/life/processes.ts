// The processes service: spawn, send, abort, reset, kill, signal, wait. Each is one verb of the store under the caller's request key, then
// the ledger. The same key again gives the same answer.

import { LIMITS } from "../../abi/config/limits.ts";
import { KeyReused, messageOf, SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { initPid, isInit, uuidv7 } from "../../abi/ids.ts";
import type { MediaRef } from "../../abi/process/message.ts";
import type { RunEnd } from "../../abi/process/process.ts";
import { visibleProcess } from "../../kernel/registry.ts";
import { cutToFit } from "../../lib/text/fitting.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { Admission, Outcome, Refusal } from "../../store/process/verbs.ts";
import type { CallContext } from "../../syscalls/define.ts";
import { noSuchProcess } from "../../syscalls/parse.ts";
import type { Closed, Processes, SendRequest, Sent, Signalled } from "../../syscalls/services.ts";
import { refuseDamaged } from "../faults/damaged.ts";
import { mayRetry, type PausedRuns } from "../faults/paused-runs.ts";
import { causeFrom, keyOf, originOf, routeTo } from "../run/request.ts";
import { type CloseRequest, type Closer, closedAs } from "./closing.ts";
import type { Control } from "./control.ts";
import { endSignals } from "./ledger.ts";
import { thinking } from "./own-settings.ts";
import { type SpawnPorts, spawn } from "./spawn.ts";
import { beginWait, waitFor } from "./waiting.ts";

export interface ProcessesPorts extends SpawnPorts {
  readonly closer: Closer;
  readonly pausedRuns: PausedRuns;
  readonly control: Control;
  readonly termMs: number;
  /** Media of a process by id. Throws for unknown ids. */
  readonly mediaRefs: (row: ProcessRow, ids: readonly string[]) => Promise<readonly MediaRef[]>;
  /** The message begins a new history if the last one is older than this instant; null for never. */
  readonly renewsBefore: (row: ProcessRow, now: number) => Promise<number | null>;
}

export function processesService(ports: ProcessesPorts): Processes {
  const { kernel, store, ledger, runners, closer, clock } = ports;
  const visible = (caller: Caller, pid: string) => visibleProcess(kernel, caller, pid);

  async function close(
    context: CallContext,
    row: ProcessRow,
    wish: Pick<CloseRequest, "reason" | "archive" | "restore">,
  ): Promise<Closed> {
    const request: CloseRequest = {
      ...wish,
      archiveId: uuidv7(clock.now(), ports.random),
      requestKey: keyOf(context),
      uid: context.caller.uid,
      onRepeat: () => context.onRepeat?.("answered"),
    };
    if (context.caller.pid === row.pid) return closeAfterTurn(row, request);
    return await (wish.reason === "kill" ? closer.kill(row, request) : closer.reset(row, request));
  }

  // A process that ends itself must not be fenced during the call that asks for it.
  function closeAfterTurn(row: ProcessRow, request: CloseRequest): Closed {
    runners.askToLeave(row.pid);
    void runners
      .quiet(row.pid, ports.termMs)
      .then(() => (request.reason === "kill" ? closer.kill(row, request) : closer.reset(row, request)))
      .catch((error: unknown) => ports.log(`${row.pid} did not ${request.reason} itself: ${messageOf(error)}`));
    return { ...closedAs(row.pid, null), pending: true };
  }

  async function kill(context: CallContext, pid: string, archive: boolean): Promise<Closed> {
    const same = await sameKill(context, pid);
    if (same !== null) return same;
    const row = await visible(context.caller, pid);
    refuseInit(row);
    return await close(context, row, { reason: "kill", archive });
  }

  // A repeated request finds the first answer, or waits for it, also after a kernel restart.
  async function sameKill(context: CallContext, pid: string): Promise<Closed | null> {
    const key = keyOf(context);
    // Read the row first: it disappears in the transaction that stores the answer.
    const row = await kernel.processes.get(pid);
    const known = await kernel.requests.answered(context.caller.uid, key, pid);
    if (known?.sameBody) {
      context.onRepeat?.("answered");
      return known.answer as Closed;
    }
    if (known !== null) throw refused(pid, "conflict");
    const begun = row?.phase === "killing" ? (row.step as unknown as CloseRequest | null) : null;
    return row !== null && begun?.requestKey === key ? await closer.kill(row, begun) : null;
  }

  async function terminate(context: CallContext, row: ProcessRow): Promise<Signalled> {
    refuseInit(row);
    runners.askToLeave(row.pid);
    await runners.quiet(row.pid, ports.termMs);
    try {
      return { pid: row.pid, signal: "TERM", state: null, closed: await kill(context, row.pid, true) };
    } catch (error) {
      // Not ended: continue what stepped aside.
      ports.control.continueRun(row.pid);
      throw error;
    }
  }

  async function abort(context: CallContext, row: ProcessRow, runId: string | null) {
    const wish = { runId, requestKey: keyOf(context) };
    return noticed(context, row.pid, await ports.control.abort(row, wish));
  }

  return {
    spawn: (context, request) => spawn(ports, context, request),

    send: (context, request) => send(ports, context, request),

    async label({ caller }, { pid, label }) {
      await kernel.processes.set((await visible(caller, pid)).pid, { label });
      return { pid, label };
    },

    async abort(context, { pid, runId }) {
      const done = await abort(context, await visible(context.caller, pid), runId ?? null);
      const { aborted, runId: ended, interruptedToolCalls, nextRunId: continuedQueuedRunId } = done;
      return { pid, aborted, runId: ended, interruptedToolCalls, continuedQueuedRunId };
    },

    async reset(context, { pid, restore }) {
      const row = await visible(context.caller, pid);
      const wish = { reason: "reset", archive: true } as const;
      return await close(context, row, restore === undefined ? wish : { ...wish, restore });
    },

    kill: (context, { pid, archive }) => kill(context, pid, archive),

    async signal(context, { pid, signal }) {
      // A repeated TERM or KILL gets the first answer, not a missing process.
      if (signal === "KILL") return { pid, signal, state: null, closed: await kill(context, pid, true) };
      const same = signal === "TERM" ? await sameKill(context, pid) : null;
      if (same !== null) return { pid, signal, state: null, closed: same };
      const row = await visible(context.caller, pid);
      switch (signal) {
        case "STOP":
          return { pid, signal, state: taken(pid, await ports.control.stop(row)).state };
        case "CONT":
          return { pid, signal, state: taken(pid, await ports.control.resume(row)).state };
        case "TERM":
          return await terminate(context, row);
        case "INT":
          await abort(context, row, null);
          return { pid, signal, state: (await store.projection(pid)).state };
        default:
          return { pid, signal, state: row.state };
      }
    },

    async wait({ caller, signal }, { pids, run, wait }) {
      if (run !== undefined && pids.length > 1)
        throw new SysError("EINVAL", "a run belongs to one process: name one pid");
      const waiting = { kernel, store, ledger };
      const begun = await Promise.all(pids.map((pid) => beginWait(waiting, caller, pid)));
      const results = await Promise.all(
        begun.map((row) => ("exit" in row ? row : waitFor(waiting, row, { run: run ?? null, wait }, signal))),
      );
      const bytesMax = Math.floor(LIMITS.answerBytesMax / results.length);
      return results.map((result) => {
        const shown = cutToFit(result, bytesMax);
        return shown === result ? result : { ...shown, inPart: shown.text !== result.text };
      });
    },
  };
}

async function send(ports: ProcessesPorts, context: CallContext, request: SendRequest): Promise<Sent> {
  const { kernel, store, ledger, runners, clock } = ports;
  const { caller } = context;
  const pid = request.pid ?? initPid(caller.ownerUid);
  const row = await visibleProcess(kernel, caller, pid);
  const now = clock.now();
  const runId = uuidv7(now, ports.random);
  const before = await ports.renewsBefore(row, now);
  const cause = await causeFrom(store, context);
  const renewal = { archiveId: uuidv7(now, ports.random), requestKey: `${keyOf(context)}:renew` };
  const message: Admission = {
    kind: "user",
    runId,
    wakes: true,
    urgent: request.interrupt === true,
    text: request.message,
    origin: { ...originOf(context), ...(cause !== null && { cause }) },
    model: await ports.modelFor(context, row, request.model),
    source: null,
    requestKey: keyOf(context),
    now,
    renew: before === null ? undefined : { before, ...renewal },
    ...(request.media === undefined || request.media.length === 0
      ? {}
      : { media: await ports.mediaRefs(row, request.media) }),
  };
  return await ledger.write(row, async () => {
    const head = await store.head(pid);
    refuseDamaged(pid, head, "take messages");
    // A person's message resumes what the kernel stopped.
    const lifts = head.stoppedWhy !== null && caller.kind === "person";
    // A paused run gives way to a message for another model; a message for the same model retries it now.
    const isPaused = mayRetry(head.paused) && caller.kind !== "process";
    if (isPaused && head.currentModel !== (message.model ?? null)) await makeRoom(ports, context, row);
    const admitted = noticed(context, pid, await store.admit(pid, message));
    if (admitted.ends.length > 0) runners.interrupt(pid);
    // The cut is stored. Archive now, or the next kernel does; the message waits for that.
    if (admitted.renewed)
      ports.closer
        .renew(row)
        .catch((error: unknown) => ports.log(`the old history of ${pid} is not archived yet: ${messageOf(error)}`));
    const taking = admitted.runId ?? runId;
    if (lifts) taken(pid, await ports.control.lift(pid));
    const offer = ports.offers.from(context);
    ports.offers.bind({ runId: taking, pid }, offer);
    if (request.thinking !== undefined) ports.offers.bindRun(taking, thinking(offer, request.thinking));
    await routeTo(ports, context, { runId: taking, pid });
    // The message is stored: wake the process even if publishing fails.
    try {
      await ledger.publish(row, endSignals(admitted.ends, (await store.projection(pid)).queued));
    } finally {
      if (isPaused) await ports.pausedRuns.resume(row);
      else runners.wake(pid);
    }
    const renewed = admitted.renewed ? { renewed: true as const } : {};
    return { pid, parent: row.parentPid, runId: taking, status: "started", queued: admitted.queued, ...renewed };
  });
}

async function makeRoom({ store, ledger, clock }: ProcessesPorts, context: CallContext, row: ProcessRow) {
  const requestKey = `${keyOf(context)}:room`;
  const options = { runId: null, reason: "user.superseded", requestKey, now: clock.now() };
  await ledger.publish(row, endSignals(takenOnce(row.pid, await store.abort(row.pid, options)).ends));
}

/** Takes the outcome of a call, and tells a client that it is an earlier one. */
function noticed<T extends { readonly ends: readonly RunEnd[] }>(
  { onRepeat }: CallContext,
  pid: string,
  outcome: Outcome<T>,
): T {
  if (outcome.ok && outcome.replay) onRepeat?.("answered");
  return takenOnce(pid, outcome);
}

export function taken<T>(pid: string, outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw refused(pid, outcome.why);
}

/** A replay must not end runs that started after the first call. */
function takenOnce<T extends { readonly ends: readonly RunEnd[] }>(pid: string, outcome: Outcome<T>): T {
  const value = taken(pid, outcome);
  return outcome.ok && outcome.replay ? { ...value, ends: [] } : value;
}

function refused(pid: string, why: Refusal): SysError {
  switch (why) {
    case "conflict":
      return new KeyReused("this request id was used for something else");
    case "full":
      return new SysError(
        "EAGAIN",
        `not saved: the queue of ${pid} is full (${LIMITS.queueRowsMax} messages or 16 MiB)`,
        ["wait until some of them are answered"],
      );
    case "no-process":
      return noSuchProcess(pid);
    case "fenced":
      return new SysError("EAGAIN", "not saved: another kernel has taken over", ["try again"]);
  }
}

function refuseInit(row: ProcessRow): void {
  if (!isInit(row.pid)) return;
  throw new SysError("EPERM", `${row.pid} is an init process and cannot be killed`, [
    `to archive its history and start over: gsv proc reset --pid ${row.pid}`,
  ]);
}
