// Runs signal watches: hears events, stores each event that meets a watch, and carries out the action of the watch. A watch does not fire on
// events that it caused. The next kernel repeats unfinished actions.

import { LIMITS } from "../../abi/config/limits.ts";
import { messageOf, SysError } from "../../abi/errno.ts";
import type { Caller } from "../../abi/identity.ts";
import { uuidv7 } from "../../abi/ids.ts";
import { both, type Cause, HOPS_MAX, NO_CAUSE } from "../../abi/process/cause.ts";
import { SIGNAL_NAMES, type Signal, wantsName } from "../../abi/signal.ts";
import type { Sys } from "../../abi/sys.ts";
import { UNWATCHED } from "../../abi/watch.ts";
import type { Bus } from "../../kernel/bus.ts";
import type { Clock } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Serials } from "../../lib/serial.ts";
import type { Firing, WatchRow } from "../../store/kernel/due/watches.ts";
import type { ProcessRow } from "../../store/kernel/processes/processes.ts";
import type { KernelStore } from "../../store/kernel/sqlite.ts";
import { StoreUnavailable } from "../../store/open.ts";
import type { ProcessStore } from "../../store/process/verbs.ts";
import type { ShellAnswer, ShellOutput } from "../../syscalls/run/shell-service.ts";
import type { Notifier } from "../notifier.ts";
import { eventIdOf, eventOf, eventText } from "./event.ts";
import { type Condition, conditionOf } from "./where.ts";

export interface WatchesPorts {
  readonly kernel: Pick<KernelStore, "watches" | "processes">;
  readonly store: Pick<ProcessStore, "causeOf" | "endsSince">;
  readonly bus: Pick<Bus, "listen">;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
  readonly notifier: Pick<Notifier, "add">;
  readonly onFault: (error: unknown) => void;
  /** The account that made the watch, with the rights that it has now. */
  readonly creatorOf: (row: WatchRow) => Promise<Caller>;
  readonly sysFor: (caller: Caller) => Sys;
}

const PER_MINUTE_MAX = 60;
const LOOK_MS = 60_000;
const LINE_CHARS_MAX = 200;

export class Watches {
  private readonly hearing = new Map<string, () => void>();
  private readonly leaving = new AbortController();
  /** One step at a time for each watch. */
  private readonly steps: Serials<string>;

  constructor(private readonly ports: WatchesPorts) {
    this.steps = new Serials(ports.onFault);
  }

  /** Starts all watches. Call it before the first run begins. */
  async begin(): Promise<void> {
    const { kernel, clock } = this.ports;
    for (const row of await kernel.watches.active(clock.now())) this.hear(row);
  }

  /** Repeats the unfinished actions of an earlier kernel. After a crash, also fires on ends of runs that the kernel missed. */
  async catchUp({ afterCrash }: { readonly afterCrash: boolean }): Promise<void> {
    const { kernel, clock } = this.ports;
    for (const firing of await kernel.watches.unfinished()) this.steps.run(firing.watchId, () => this.act(firing));
    if (!afterCrash) return;
    for (const row of await kernel.watches.active(clock.now()))
      if (wantsName({ names: [row.signal] }, "chat.complete")) await this.hearEnds(row);
  }

  private async hearEnds(row: WatchRow): Promise<void> {
    const condition = conditionIn(row);
    const since = row.lastAt ?? row.createdAt;
    for (const { pid, parentPid: parent, label, lastActiveAt } of await this.processesOf(row)) {
      if (lastActiveAt === null || lastActiveAt < since) continue;
      for (const { at, runId: run, ...end } of await this.ports.store.endsSince(pid, since))
        this.happened(
          row,
          { name: "chat.complete", pid, uid: row.ownerUid, parent, at, run, queued: 0, label, ...end },
          condition,
        );
    }
  }

  private async processesOf({ pid, ownerUid }: WatchRow): Promise<readonly ProcessRow[]> {
    const { processes } = this.ports.kernel;
    if (pid === null) return await processes.list({ ownerUid, limit: LIMITS.processesPerOwnerMax });
    const row = await processes.get(pid);
    return row === null ? [] : [row];
  }

  get isBusy(): boolean {
    return !this.steps.isIdle;
  }

  stop(): void {
    for (const stop of this.hearing.values()) stop();
    this.hearing.clear();
    this.leaving.abort();
  }

  settled(): Promise<void> {
    return this.steps.settled();
  }

  forget(id: string): void {
    this.hearing.get(id)?.();
    this.hearing.delete(id);
  }

  /** Replaces the listener of the watch, if it has one. */
  hear(row: WatchRow): void {
    this.forget(row.id);
    const condition = conditionIn(row);
    const names = SIGNAL_NAMES.filter((name) => wantsName({ names: [row.signal] }, name) && !UNWATCHED.includes(name));
    const filter = { names, ...(row.pid !== null && { pid: row.pid }) };
    const stop = this.ports.bus.listen({
      ...{ uid: row.ownerUid, clientId: null, filter },
      hear: (signal) => {
        // Root's listeners hear everything.
        if (signal.uid === row.ownerUid) this.happened(row, signal, condition);
      },
    });
    this.hearing.set(row.id, stop);
  }

  private happened(row: WatchRow, signal: Signal, condition: Condition | null): void {
    const { clock, random } = this.ports;
    if (row.expiresAt <= clock.now()) {
      this.forget(row.id);
      return;
    }
    const id = eventIdOf(signal) ?? uuidv7(clock.now(), random);
    const event = eventOf(signal, { id, watch: row.key, state: row.state });
    if (condition !== null && !condition(event)) return;
    this.steps.run(row.id, async () => {
      const cause = await this.causeOf(row, signal);
      if (cause === null || this.leaving.signal.aborted) return;
      const firing: Firing = { watchId: row.id, event, cause, attempts: 0 };
      const { watches } = this.ports.kernel;
      const isNew = await watches.claim(firing, { now: clock.now(), perMinuteMax: PER_MINUTE_MAX });
      if (isNew) await this.act(firing);
      if (!isNew || row.once) this.forgetUnlessActive(row, await watches.get(row.id));
    });
  }

  private forgetUnlessActive({ id }: WatchRow, now: WatchRow | null): void {
    if (now?.status !== "active") this.forget(id);
  }

  /** What the action counts as caused by; null if the watch caused the event itself, or too many steps led to it. */
  private async causeOf({ id }: WatchRow, signal: Signal): Promise<Cause | null> {
    const { hops, watches } = await this.causeOfEvent(signal);
    if (watches.includes(id) || hops >= HOPS_MAX) return null;
    return { hops: hops + 1, watches: [...watches, id] };
  }

  private async causeOfEvent(signal: Signal): Promise<Cause> {
    if (signal.name === "notification.created") {
      const { source } = signal;
      if (source?.kind === "watch") return { hops: 1, watches: [source.id] };
      return source !== null && "pid" in source && source.pid !== undefined
        ? await this.causeOfRun(source.pid)
        : NO_CAUSE;
    }
    const own = await this.causeOfRun(signal.pid, "run" in signal ? signal.run : undefined);
    // A run of the parent started or ended the child.
    const isFamily = signal.name === "process.spawn" || signal.name === "process.exit";
    return isFamily && signal.parent !== null ? both(own, await this.causeOfRun(signal.parent)) : own;
  }

  private async causeOfRun(pid: string, run?: string): Promise<Cause> {
    return (await this.ports.kernel.processes.get(pid)) === null ? NO_CAUSE : await this.ports.store.causeOf(pid, run);
  }

  private async act(firing: Firing): Promise<void> {
    const { kernel, clock, creatorOf } = this.ports;
    const row = await kernel.watches.get(firing.watchId);
    if (row === null || this.leaving.signal.aborted) return;
    await kernel.watches.begun(firing);
    let error: string | null = null;
    try {
      const caller = { ...(await creatorOf(row)), cause: firing.cause };
      await this.carryOut(row, firing, caller);
    } catch (fault) {
      // The next kernel repeats it.
      if (this.leaving.signal.aborted || fault instanceof StoreUnavailable) return;
      if (!(fault instanceof SysError)) this.ports.onFault(fault);
      error = messageOf(fault);
    }
    if (!this.leaving.signal.aborted) await kernel.watches.finish(firing, { error, now: clock.now() });
  }

  private async carryOut(row: WatchRow, { event, attempts }: Firing, caller: Caller): Promise<void> {
    const { action, id } = row;
    const sys = this.ports.sysFor(caller);
    const requestId = `watch:${sha256Hex(`${id} ${event.id}`).slice(0, 32)}`;
    switch (action.kind) {
      case "send":
        await sys.call("proc.send", { pid: action.pid, message: eventText(action.text, event) }, { requestId });
        return;
      case "exec":
        return await this.run(sys, action.text, { event, requestId: `${requestId}:${attempts}` });
      case "notify": {
        const source = { kind: "watch", id, event: event.id } as const;
        const body = `${event.name} of ${event.pid}`;
        await this.ports.notifier.add(row.ownerUid, { title: action.text, body, level: "info", source }, () => ({
          once: true,
        }));
      }
    }
  }

  /** A command in gsv's shell, with the event on stdin. */
  private async run(
    sys: Sys,
    script: string,
    { event, requestId }: { readonly event: object; readonly requestId: string },
  ): Promise<void> {
    const { clock, random } = this.ports;
    const { signal } = this.leaving;
    const id = uuidv7(clock.now(), random);
    const stdin = Buffer.from(`${JSON.stringify(event)}\n`).toString("base64");
    const begun = await sys.call<ShellAnswer>(
      "shell.run",
      { id, script, target: "gsv", stdin, waitMs: 0 },
      { requestId },
    );
    let [text, from, exit] = ["", 0, begun.over ? begun.exit : null];
    while (exit === null) {
      const output = await sys.call<ShellOutput>("shell.output", { id, from, waitMs: LOOK_MS }, { signal });
      for (const { bytes } of output.pieces)
        if (text.length < LINE_CHARS_MAX) text += Buffer.from(bytes, "base64").toString();
      from = output.next;
      if (output.ended) exit = output.exit;
    }
    if (exit === 0) return;
    const line = text.trim().split("\n", 1)[0]?.slice(0, LINE_CHARS_MAX).toWellFormed() ?? "";
    throw new SysError("EIO", `exit status ${exit}${line === "" ? "" : `: ${line}`}`);
  }
}

function conditionIn({ where }: WatchRow): Condition | null {
  return where === null ? null : conditionOf(where);
}
