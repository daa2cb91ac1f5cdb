// Calls between processes. A call is stored before its message is sent, followed to the end of the run that answers, and ends once: by the
// reply, at its deadline, or with one of its processes. The next kernel resumes open calls.

import { messageOf, SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { initPid } from "../../abi/ids.ts";
import type { Sys } from "../../abi/sys.ts";
import { KERNEL_LEAVES } from "../../abi/sys.ts";
import type { Bus } from "../../kernel/bus.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ClaimOf } from "../../store/kernel/due/due.ts";
import type { IpcEnd, IpcRow } from "../../store/kernel/due/ipc.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { Sent, WaitResult } from "../../syscalls/services.ts";

export interface CallsPorts {
  /** Called after a deadline was stored; without one, after a call has ended. */
  readonly due: (at: number | null) => void;
  readonly kernel: Pick<KernelStore, "ipc">;
  readonly bus: Pick<Bus, "emit" | "listen">;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  readonly sysFor: (caller: Caller) => Sys;
  readonly owner: (uid: number) => Promise<Caller>;
  /** The caller of a call that an earlier kernel began; null if it is gone. */
  readonly callerOf: (row: IpcRow) => Promise<Caller | null>;
  /** Stores an event for a process. Repeated under the same key, it changes nothing. */
  readonly note: (pid: string, note: IpcNote) => Promise<void>;
  /** Removes the queued message of a call from its process. A run that has begun goes on. */
  readonly withdraw: (pid: string, runId: string, requestKey: string) => Promise<void>;
}

export interface IpcNote {
  readonly key: string;
  readonly from: string;
  /** The run that answered, or was to answer. */
  readonly run: string | null;
  readonly text: string;
  /** Starts a run; otherwise the event comes with the next message. */
  readonly wakes: boolean;
}

const KEPT_MS = 24 * 60 * 60 * 1000;
const NOTE_CHARS_MAX = 4000;

export class Calls {
  private readonly leaving = new AbortController();
  private readonly waiters = new Map<string, { readonly pid: string | null; readonly over: (row: IpcRow) => void }>();
  private readonly followed = new Map<string, Promise<void>>();
  private readonly working = new Set<Promise<void>>();
  private readonly stopListening: () => void;

  constructor(private readonly ports: CallsPorts) {
    this.stopListening = ports.bus.listen({
      ...{ uid: 0, clientId: null, filter: { names: ["chat.complete", "process.exit"] } },
      hear: (signal) => {
        if (signal.name === "chat.complete") this.track(ports.kernel.ipc.detach(signal.pid, signal.run));
        else if (signal.name === "process.exit") this.track(this.cancel(signal.pid));
      },
    });
  }

  /** Resumes the open calls of an earlier kernel. */
  async begin(): Promise<void> {
    const { kernel, clock } = this.ports;
    await kernel.ipc.sweep(clock.now() - KEPT_MS);
    for (const row of await kernel.ipc.unsettled()) this.track(this.resume(row));
  }

  /** Whether the process does nothing but wait for a reply. */
  isWaiting(pid: string): boolean {
    return [...this.waiters.values()].some((waiter) => waiter.pid === pid);
  }

  /** Ends no call: the next kernel resumes them. */
  stop(): void {
    this.stopListening();
    this.leaving.abort();
  }

  async settled(): Promise<void> {
    while (this.working.size > 0) await Promise.all(this.working);
  }

  /** Resolves once the other process has the message. The reply comes as a message. The row must be stored already. */
  async begun(row: IpcRow, sys: Sys): Promise<string | null> {
    this.ports.due(row.deadlineAt);
    if (row.status === "open") await this.follow(row, sys);
    return (await this.ports.kernel.ipc.get(row.id))?.targetRunId ?? null;
  }

  /** The row must be stored already. Resolves with the ended row. */
  async carryOut(row: IpcRow, sys: Sys, signal: AbortSignal): Promise<IpcRow> {
    const ended = Promise.withResolvers<IpcRow>();
    const cut = () => ended.reject(new SysError("ECANCELED", `call ${row.id} is no longer waited for`));
    this.waiters.set(row.id, { pid: row.sourcePid, over: ended.resolve });
    if (signal.aborted) cut();
    signal.addEventListener("abort", cut, { once: true });
    try {
      this.ports.due(row.deadlineAt);
      const [over] = await Promise.all([ended.promise, this.follow(row, sys)]);
      return over;
    } catch (error) {
      // A person aborted the run: the reply comes with the next message of the process.
      if (signal.aborted && signal.reason !== KERNEL_LEAVES && row.sourcePid !== null && row.sourceRunId !== null)
        await this.ports.kernel.ipc.detach(row.sourcePid, row.sourceRunId);
      throw error;
    } finally {
      signal.removeEventListener("abort", cut);
      this.waiters.delete(row.id);
    }
  }

  /** Resolves once the other process has the message. Rejects if it cannot take it. */
  private follow(row: IpcRow, sys: Sys): Promise<void> {
    const begun = this.followed.get(row.id) ?? this.sendAndFollow(row, sys);
    this.followed.set(row.id, begun);
    return begun;
  }

  private async sendAndFollow(row: IpcRow, sys: Sys): Promise<void> {
    const { kernel } = this.ports;
    try {
      const run = row.targetRunId ?? (await this.sent(sys, row));
      await kernel.ipc.sent(row.id, run);
      this.track(this.toEnd({ ...row, targetRunId: run }).finally(() => this.followed.delete(row.id)));
    } catch (error) {
      this.followed.delete(row.id);
      if (error instanceof SysError && !this.leaving.signal.aborted) await kernel.ipc.remove(row.id);
      throw error;
    }
  }

  /** The request id makes a repetition harmless. */
  private async sent(sys: Sys, { id, targetPid: pid, message }: IpcRow): Promise<string> {
    const { runId } = await sys.call<Sent>("proc.send", { pid, message }, { requestId: `ipc:${id}` });
    return runId;
  }

  private async toEnd(row: IpcRow): Promise<void> {
    const { signal } = this.leaving;
    const { sysFor, owner } = this.ports;
    let end: IpcEnd;
    try {
      const wanted = { pids: [row.targetPid], run: row.targetRunId, wait: true };
      const sys = sysFor(await owner(row.ownerUid));
      const { results } = await sys.call<{ readonly results: readonly WaitResult[] }>("proc.wait", wanted, { signal });
      end = endOf(results[0]);
    } catch (error) {
      if (signal.aborted || error instanceof StoreUnavailable) return;
      end = { status: "failed", response: null, error: messageOf(error) };
    }
    if (!signal.aborted) await this.end(row, end);
  }

  private async end({ id }: IpcRow, end: IpcEnd): Promise<void> {
    const over = await this.ports.kernel.ipc.finish(id, end, this.ports.clock.now());
    this.ports.due(null);
    if (over !== null) await this.announce(over);
  }

  /** After the end is stored. */
  private async announce(row: IpcRow): Promise<void> {
    const { bus, clock } = this.ports;
    const { id, sourcePid, ownerUid: uid, targetPid: target, status, error } = row;
    const base = { pid: sourcePid ?? initPid(uid), uid, parent: null, at: clock.now(), call: id, target };
    if (status === "timeout") bus.emit({ ...base, name: "ipc.timeout" });
    else if (status !== "cancelled") bus.emit({ ...base, name: "ipc.reply", ok: status === "replied", error });
    this.waiters.get(id)?.over(row);
    await this.settle(row);
  }

  /** What remains to do after the end of a call. The next kernel repeats it. */
  private async settle(row: IpcRow): Promise<void> {
    const { kernel, clock, withdraw } = this.ports;
    const { id, status, targetPid, targetRunId } = row;
    if (status === "timeout" && targetRunId !== null) await withdraw(targetPid, targetRunId, `ipc:${id}:withdraw`);
    if (!this.waiters.has(id)) await this.handOver(row);
    if (status === "timeout" || row.replyAs !== "result") await kernel.ipc.delivered(id, clock.now());
  }

  private async handOver(row: IpcRow): Promise<void> {
    const { id, sourcePid, targetPid: from, targetRunId: run, status, replyAs } = row;
    if (replyAs === "result" || sourcePid === null || status === "cancelled") return;
    const wakes = replyAs === "message";
    await this.ports.note(sourcePid, { key: `ipc:${id}:reply`, from, run, text: noteText(row), wakes });
  }

  /** The claims ended these calls at their deadlines. */
  async claimed(claims: readonly ClaimOf<"call">[]): Promise<void> {
    for (const { row } of claims) await this.announce(row);
  }

  private async cancel(pid: string): Promise<void> {
    for (const row of await this.ports.kernel.ipc.cancel(pid, this.ports.clock.now())) await this.announce(row);
  }

  private async resume(row: IpcRow): Promise<void> {
    if (row.status !== "open") return await this.settle(row);
    const caller = await this.ports.callerOf(row);
    if (caller === null) return await this.end(row, { status: "cancelled", response: null, error: null });
    await this.follow(row, this.ports.sysFor(caller)).catch((error: unknown) => {
      // Not sent: a repeated call gets the error; otherwise the deadline ends this one.
      if (!(error instanceof SysError || error instanceof StoreUnavailable)) throw error;
    });
  }

  private track(work: Promise<void>): void {
    const tracked = work.catch(this.ports.onFault).finally(() => this.working.delete(tracked));
    this.working.add(tracked);
  }
}

function endOf(result: WaitResult | undefined): IpcEnd {
  if (result?.status === "ok") return { status: "replied", response: result.text ?? "", error: null };
  const why = result?.error ?? (result === undefined ? "no answer" : (END_TEXT[result.status] ?? result.status));
  return { status: "failed", response: null, error: why };
}

const END_TEXT: { readonly [status: string]: string } = { killed: "it was killed", aborted: "its run was aborted" };

/** For a process whose call no longer waits. */
function noteText({ id, targetPid, status, response, error }: IpcRow): string {
  if (status === "timeout") return `Call ${id}: no reply of ${targetPid} by its deadline.`;
  if (status === "failed") return `Call ${id}: ${targetPid} did not answer: ${error}`;
  const text = response ?? "";
  const cut = text.length > NOTE_CHARS_MAX ? `${text.slice(0, NOTE_CHARS_MAX).toWellFormed()}…` : text;
  return `Call ${id}: the reply of ${targetPid}:\n${cut}`;
}
