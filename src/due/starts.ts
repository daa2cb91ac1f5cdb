// Starts what an occurrence stands for, and follows it to its end. Every call has a request id made from the occurrence: after a crash the
// same call finds what it began, and nothing runs twice.

import { messageOf, SysError } from "../abi/errno.ts";
import type { Caller } from "../abi/identity.ts";
import { initPid } from "../abi/ids.ts";
import { microsOf } from "../abi/process/money.ts";
import type { OccurrenceResult, OccurrenceState } from "../abi/schedule.ts";
import type { Sys } from "../abi/sys.ts";
import type { Callers } from "../kernel/accounts/accounts.ts";
import type { OccurrenceRow } from "../store/kernel/due/occurrences.ts";
import type { Creator, ScheduleRow } from "../store/kernel/due/schedules.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import type { ShellAnswer, ShellOutput } from "../syscalls/run/shell-service.ts";
import type { Answered, Sent, Spawned, WaitResult } from "../syscalls/services.ts";

export interface StartPorts {
  readonly kernel: Pick<KernelStore, "accounts" | "processes" | "occurrences">;
  readonly callers: Callers;
  readonly sysFor: (uid: number, caller: () => Promise<Caller>) => Sys;
  /** Delivers an event to a process that the caller may send messages to. The same key again gives the same run. */
  readonly deliver: (caller: Caller, event: ScheduleEvent) => Promise<string>;
}

export interface ScheduleEvent {
  readonly pid: string;
  readonly text: string;
  readonly requestKey: string;
}

/** What the end of an occurrence says. */
export interface End {
  readonly state: OccurrenceState;
  readonly error: string | null;
  readonly result: OccurrenceResult;
}

interface Waited {
  readonly results: readonly WaitResult[];
}

const LINE_CHARS_MAX = 200;
const OUTPUT_CHARS_MAX = 16 * 1024;
const LOOK_MS = 60_000;

/** The creator, with the rights that it has now. */
export async function creatorOf(
  { kernel, callers }: Pick<StartPorts, "kernel" | "callers">,
  { uid, pid, dropped = [] }: Creator,
  ownerUid: number,
): Promise<Caller> {
  if (pid === undefined) {
    const account = await kernel.accounts.byUid(uid);
    return await callers.person(uid, account?.home ?? "/");
  }
  const creator = await kernel.processes.get(pid);
  const row = creator ?? (await kernel.processes.get(initPid(ownerUid)));
  if (row === null) throw new SysError("ESRCH", `the agent that added it is gone: ${pid}`);
  // Also without what it has dropped since.
  const without = [...new Set([...dropped, ...(creator?.dropped ?? [])])];
  return await callers.process({ ...row, uid, ownerUid, dropped: without });
}

export class Starts {
  constructor(private readonly ports: StartPorts) {}

  /** Stored as the result before the end is waited for. */
  async start(schedule: ScheduleRow, { id }: OccurrenceRow): Promise<OccurrenceResult> {
    const sys = await this.sysOf(schedule);
    const { target, name } = schedule;
    const options = { requestId: `sched:${id}` };
    switch (target.kind) {
      case "message": {
        const { pid, text: message } = target;
        const sent = await sys.call<Sent | Answered>("proc.send", { pid, message }, options);
        if (sent.runId === null) return { pid, line: firstLine(sent.response) };
        return { pid, runId: sent.runId };
      }
      case "event": {
        const { creator, ownerUid } = schedule;
        const caller = await creatorOf(this.ports, creator, ownerUid);
        const text = `schedule.event: the schedule ${name} is due:\n${target.text}`;
        const event = { pid: target.pid, text, requestKey: `${caller.uid}:${options.requestId}` };
        return { pid: target.pid, runId: await this.ports.deliver(caller, event) };
      }
      case "task": {
        const { kind: _, text: prompt, policy, ...more } = target;
        await this.endPrevious(sys, schedule, id);
        const wanted = { ...more, label: name, profile: "cron" };
        if (policy === undefined) {
          const { pid, runId } = await sys.call<Spawned>("proc.spawn", { ...wanted, prompt }, options);
          return { pid, ...(runId !== null && { runId }) };
        }
        // The occurrence names its process before the first call is judged: the policy is found by it.
        const { pid } = await sys.call<Spawned>("proc.spawn", wanted, options);
        await this.ports.kernel.occurrences.assigned(id, { pid });
        const first = { requestId: `${options.requestId}:prompt` };
        const { runId } = await sys.call<Sent>("proc.send", { pid, message: prompt }, first);
        return { pid, runId };
      }
      case "exec": {
        const { text: script, target: place, cwd } = target;
        if (cwd !== undefined && place === "gsv") await refuseNoDirectory(sys, cwd);
        const wanted = { id, script, target: place, waitMs: 0, ...(cwd !== undefined && { cwd }) };
        await sys.call<ShellAnswer>("shell.run", wanted, options);
        return {};
      }
    }
  }

  /** Waits for the end. `blocked` hears what it waits for, if only a person can end that. */
  async follow(
    schedule: ScheduleRow,
    { id, result }: Pick<OccurrenceRow, "id" | "result">,
    { signal, blocked }: { readonly signal: AbortSignal; readonly blocked: (why: string) => Promise<void> },
  ): Promise<End> {
    const sys = await this.sysOf(schedule);
    if (schedule.target.kind === "exec") return await this.followCommand(sys, id, signal);
    const { pid, runId: run } = result;
    if (pid === undefined || run === undefined) return { state: "ok", error: null, result: {} };
    const wait = async (isPatient: boolean) =>
      (await sys.call<Waited>("proc.wait", { pids: [pid], run, wait: isPatient }, { signal })).results[0];
    let ended = await wait(false);
    if (ended?.status === "held") {
      await blocked(heldText(ended));
      ended = await wait(true);
    }
    if (ended === undefined) throw new SysError("EIO", `no answer of ${pid}`);
    return endOf(ended);
  }

  /** Ends what still runs, so that the next occurrence replaces it. */
  async stop(schedule: ScheduleRow, { id, result }: OccurrenceRow): Promise<void> {
    const sys = await this.sysOf(schedule);
    const options = { requestId: `sched:${id}:stop` };
    if (schedule.target.kind === "exec") await sys.call("shell.stop", { id }, options);
    else if (result.pid !== undefined && result.runId !== undefined)
      await sys.call("proc.abort", { pid: result.pid, runId: result.runId }, options);
  }

  private async sysOf({ creator, ownerUid }: ScheduleRow): Promise<Sys> {
    // Checked once here, for a clear error, and again by every call.
    await creatorOf(this.ports, creator, ownerUid);
    return this.ports.sysFor(ownerUid, () => creatorOf(this.ports, creator, ownerUid));
  }

  /** A schedule keeps one task: the last one, unless somebody has gone on talking to it. */
  private async endPrevious(sys: Sys, schedule: ScheduleRow, id: string): Promise<void> {
    const before = await this.ports.kernel.occurrences.history({ scheduleId: schedule.id, limit: PREVIOUS_LOOKED_AT });
    for (const { result, finishedAt } of before) {
      if (finishedAt === null || result.pid === undefined || result.runId === undefined) continue;
      if (!result.pid.startsWith("task:") || (await this.ports.kernel.processes.get(result.pid)) === null) continue;
      const { results } = await sys.call<Waited>("proc.wait", { pids: [result.pid], wait: false });
      if (results[0]?.runId !== result.runId) continue;
      await sys
        .call("proc.kill", { pid: result.pid }, { requestId: `sched:${id}:${result.pid}` })
        .catch((error: unknown) => {
          if (!(error instanceof SysError)) throw error;
        });
    }
  }

  private async followCommand(sys: Sys, id: string, signal: AbortSignal): Promise<End> {
    let [from, text] = [0, ""];
    for (;;) {
      const wanted = { id, from, waitMs: LOOK_MS };
      const output = await sys.call<ShellOutput>("shell.output", wanted, { signal });
      for (const { bytes } of output.pieces)
        if (text.length < OUTPUT_CHARS_MAX) text += Buffer.from(bytes, "base64").toString();
      from = output.next;
      if (!output.ended) continue;
      const { exit } = output;
      if (exit === null) continue;
      const line = firstLine(text);
      const result = { exit, ...(line !== undefined && { line }) };
      if (exit === 0) return { state: "ok", error: null, result };
      return { state: "error", error: `exit status ${exit}${line === undefined ? "" : `: ${line}`}`, result };
    }
  }
}

/** The shell would start in `/` instead. */
async function refuseNoDirectory(sys: Sys, path: string): Promise<void> {
  const { kind } = await sys.call<{ kind: string }>("fs.stat", { path });
  if (kind !== "directory") throw new SysError("ENOTDIR", `${path} is not a directory`);
}

const PREVIOUS_LOOKED_AT = 3;

/** The end of an occurrence that could not be started or followed. */
export function failedEnd(error: unknown): End {
  return { state: "error", error: messageOf(error), result: {} };
}

function endOf({ status, text, error, usage }: WaitResult): End {
  const line = firstLine(text);
  const costMicros = usage === null ? 0 : microsOf(usage.costUsd);
  const result = { ...(line !== undefined && { line }), ...(costMicros > 0 && { costMicros }) };
  switch (status) {
    case "ok":
      return { state: "ok", error: null, result };
    case "killed":
      return { state: "aborted", error: error ?? "the process was killed", result };
    case "aborted":
    case "limit":
    case "unavailable":
      return { state: status, error, result };
    default:
      return { state: "error", error: error ?? `ended as ${status}`, result };
  }
}

function heldText({ waitsFor }: WaitResult): string {
  if (waitsFor === null) return "waits";
  if (waitsFor.kind === "approval" || waitsFor.kind === "question")
    return `waits for ${waitsFor.kind} ${waitsFor.id}: ${waitsFor.summary}`;
  return waitsFor.reason;
}

function firstLine(text: string | null): string | undefined {
  const line = text
    ?.split("\n")
    .find((each) => each.trim() !== "")
    ?.trim();
  return line === undefined ? undefined : line.slice(0, LINE_CHARS_MAX).toWellFormed();
}
