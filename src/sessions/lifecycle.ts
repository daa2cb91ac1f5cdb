// Starts, resumes and stops sessions. A start replaces the current run. A resume continues it, with the end of the conversation if the
// model's context was not kept. A stop aborts the run and stops the process.

import { SysError } from "../abi/errno.ts";
import { isUuid, type RandomBytes, uuidv7 } from "../abi/ids.ts";
import { INVOCATION_DEPTH_MAX, TURNS_BEFORE_RESET } from "../abi/process/lifecycle.ts";
import type { ContextResets } from "../process/history/context-reset.ts";
import type { Control } from "../process/life/control.ts";
import { endSignals, type LedgerPorts } from "../process/life/ledger.ts";
import { keyOf } from "../process/run/request.ts";
import type { ProcessRow } from "../store/kernel/processes/processes.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ProcessStore } from "../store/process/verbs.ts";
import type { CallContext } from "../syscalls/define.ts";
import type { Processes } from "../syscalls/services.ts";
import type { SessionAbout, SessionBegun, SessionLife } from "../syscalls/session/session-service.ts";
import { conversationAt, conversationFor, nameOf, sessionNamed } from "./addresses.ts";
import type { OpenOptions, Routed, Routes } from "./routes.ts";

export interface LifePorts extends LedgerPorts {
  readonly kernel: KernelStore;
  readonly control: Control;
  readonly contextResets: ContextResets;
  readonly processes: Pick<Processes, "send" | "reset">;
  readonly wake: (pid: string) => void;
  readonly random: RandomBytes;
}

const STOPPED = "its session was stopped";
const INTERRUPTED = "This session was interrupted. Continue from where it stopped.";

export function sessionLife(ports: LifePorts, routes: Routes): SessionLife {
  const { kernel, store, control, contextResets } = ports;
  return {
    async start(context, { key, prompt, depth = 0, unattended = false, ...about }) {
      if (depth > INVOCATION_DEPTH_MAX)
        throw new SysError("ELIMIT", `sessions may start each other ${INVOCATION_DEPTH_MAX} deep, not ${depth}`);
      const routed = await openedAt(kernel, routes, context, { key, about, unattended });
      const { session, row } = routed;
      const head = await store.head(row.pid);
      const replaced = head.currentRun !== null;
      if (replaced) await replace(ports, context, row);
      if (head.stopped) await control.resume(row);
      const text = prompt ?? session.initialPrompt;
      return { ...begun(routed, text === "" ? null : await sendPrompt(ports, context, row, text)), replaced };
    },

    async resume(context, { key, prompt, ...about }) {
      const routed = await openedAt(kernel, routes, context, { key, about });
      const { row } = routed;
      if (routed.isNew) await restore(ports, context, routed);
      const head = await store.head(row.pid);
      const isRunning = head.currentRun !== null && !head.stopped && head.paused === null;
      if (prompt === undefined)
        return begun(routed, isRunning ? head.currentRun : await continueRun(ports, context, routed));
      const isLong = isRunning && (await turnsOf(store, row.pid)) >= TURNS_BEFORE_RESET;
      if (isLong) await replace(ports, context, row);
      if (isLong || head.currentRun === null) contextResets.ask(row.pid);
      if (head.stopped) await control.resume(row);
      return { ...begun(routed, await sendPrompt(ports, context, row, prompt)), replaced: isLong };
    },

    async stop(context, key) {
      const session = await sessionNamed(kernel, context.caller, key);
      const row = session.pid === null ? null : await kernel.processes.get(session.pid);
      const named = { key: nameOf(session), pid: row?.pid ?? null };
      if (row === null || row.phase !== "live") return { ...named, stopped: false };
      const { currentRun, queued, stopped } = await store.head(row.pid);
      if (stopped || (currentRun === null && queued === 0)) return { ...named, stopped: false };
      await control.stop(row, { why: STOPPED });
      await control.abort(row, { runId: null, requestKey: `${keyOf(context)}:stop` });
      return { ...named, stopped: true };
    },
  };
}

/** Opens the conversation that session.dmScope chooses for a key, or the session with an id. */
export async function openedAt(
  kernel: KernelStore,
  routes: Routes,
  context: CallContext,
  {
    key: written,
    about = {},
    ...options
  }: OpenOptions & { readonly key: string; readonly about?: SessionAbout | undefined },
): Promise<Routed & { readonly sender?: string }> {
  if (isUuid(written)) {
    const found = await conversationFor(kernel, context.caller, written, about);
    return await routes.open(context, found ?? written, { ...options, about, ...(found !== null && { id: written }) });
  }
  const { key, ...by } = await conversationAt(kernel, context.caller, written);
  return { ...(await routes.open(context, key, { ...options, about, as: written })), ...by };
}

function begun({ session, row }: Routed, runId: string | null): SessionBegun {
  return { key: nameOf(session), id: session.id, pid: row.pid, runId, replaced: false };
}

async function sendPrompt({ processes }: LifePorts, context: CallContext, { pid }: ProcessRow, message: string) {
  const sent = await processes.send({ ...context, requestId: `${context.requestId}:prompt` }, { pid, message });
  return sent.runId;
}

async function replace({ control }: LifePorts, context: CallContext, row: ProcessRow): Promise<void> {
  await control.abort(row, { runId: null, requestKey: `${keyOf(context)}:replaced`, reason: "user.superseded" });
}

async function turnsOf(store: ProcessStore, pid: string): Promise<number> {
  const { rows } = await store.contextShape(pid);
  return rows.filter(({ role }) => role === "user").length + (await store.projection(pid)).queued;
}

/** Without a prompt: continues the paused run, else sends the first prompt, else continues the conversation. */
async function continueRun(ports: LifePorts, context: CallContext, { session, row }: Routed): Promise<string | null> {
  const { store, ledger, control, contextResets, clock, random, wake } = ports;
  const { currentRun, stopped } = await store.head(row.pid);
  if (stopped || currentRun !== null) await control.resume(row);
  if (currentRun !== null) return currentRun;
  if ((await store.history(row.pid, { limit: 1 })).messages.length === 0)
    return session.initialPrompt === "" ? null : await sendPrompt(ports, context, row, session.initialPrompt);
  const now = clock.now();
  const runId = uuidv7(now, random);
  contextResets.ask(row.pid, { hasNews: false });
  await ledger.write(row, async () => {
    const admitted = await store.admit(row.pid, {
      kind: "event",
      runId,
      wakes: true,
      urgent: false,
      text: INTERRUPTED,
      origin: { kind: "kernel" },
      source: `session:${session.id}`,
      requestKey: `${keyOf(context)}:resume`,
      now,
    });
    await ledger.publish(row, admitted.ok ? endSignals(admitted.value.ends) : []);
  });
  wake(row.pid);
  return runId;
}

/** Restores the last archived conversation into a new process. */
async function restore(
  { kernel, processes }: LifePorts,
  context: CallContext,
  { session, row }: Routed,
): Promise<void> {
  const [, before] = await kernel.sessions.generations(session.id, 2);
  const archive = before?.closingId == null ? null : await kernel.archives.get(before.closingId);
  if (archive === null) return;
  const own = { ...context, requestId: `${context.requestId}:restore` };
  await processes.reset(own, { pid: row.pid, restore: archive.id });
}
