// Notifications of gsv's own: requests that no client shows, ends of long runs, budgets that are used up, schedules that failed.

import { ROOT_UID } from "../abi/identity.ts";
import { isInit } from "../abi/ids.ts";
import type { Level } from "../abi/notification.ts";
import type { RunStatus } from "../abi/process/process.ts";
import type { Signal, SignalOf } from "../abi/signal.ts";
import type { Bus } from "../kernel/bus.ts";
import type { Clock } from "../lib/clock.ts";
import type { ScheduleRow } from "../store/kernel/due/schedules.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { lineOf, type Notifier } from "./notifier.ts";
import type { End } from "./starts.ts";

export interface OwnNewsPorts {
  readonly kernel: Pick<KernelStore, "notifications" | "processes">;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly notifier: Notifier;
  /** When a run began that an earlier kernel started; null if it is gone. */
  readonly began: (pid: string, run: string) => Promise<number | null>;
}

const LONG_RUN_MS = 60_000;
const LINE_CHARS_MAX = 200;
const READ_KEPT_MS = 7 * 86_400_000;
const NAMES = ["chat.hil", "chat.hil_closed", "chat.start", "chat.complete", "process.state", "process.exit"] as const;
type Heard = SignalOf<(typeof NAMES)[number]>;

const ENDS: { readonly [S in RunStatus]: readonly [level: Level, text: string] | null } = {
  ok: ["success", "is done"],
  error: ["error", "failed"],
  limit: ["warning", "reached a limit"],
  unavailable: ["warning", "could not reach its model"],
  blocked: ["warning", "was blocked"],
  // A person did it.
  aborted: null,
};

/** Returns what stops it. */
export function announceOwnNews({ kernel, bus, clock, notifier, began }: OwnNewsPorts): () => void {
  /** Starts of the open runs. */
  const runs = new Map<string, number>();
  /** Processes whose budget is used up. */
  const spent = new Set<string>();

  function hear(signal: Heard): void {
    switch (signal.name) {
      case "chat.hil":
        if (!bus.isAnyoneThere(signal.uid) && !bus.isFollowed(signal)) notifier.addLater(() => asked(signal));
        return;
      case "chat.hil_closed":
        notifier.addLater(() => closed(signal));
        return;
      case "chat.start":
        if (!runs.has(signal.run)) runs.set(signal.run, signal.at);
        return;
      case "chat.complete": {
        const since = runs.get(signal.run);
        runs.delete(signal.run);
        if (signal.mergedInto !== null || bus.isFollowed(signal)) return;
        const isShort = (at: number | null) => at === null || signal.at - at < LONG_RUN_MS;
        if (since === undefined)
          notifier.addLater(async () => isShort(await began(signal.pid, signal.run)) || (await ended(signal)));
        else if (!isShort(since)) notifier.addLater(() => ended(signal));
        return;
      }
      case "process.state": {
        const isSpent = signal.state === "paused" && signal.waitsFor?.kind === "limit";
        if (isSpent && !spent.has(signal.pid)) notifier.addLater(() => usedUp(signal));
        if (isSpent) spent.add(signal.pid);
        else spent.delete(signal.pid);
        return;
      }
      case "process.exit":
        spent.delete(signal.pid);
    }
  }

  async function asked({ pid, uid, kind, id, why }: SignalOf<"chat.hil">): Promise<void> {
    const isApproval = kind === "approval";
    const open = { command: "open" as const, on: pid };
    await notifier.add(
      uid,
      {
        ...{
          title: isApproval ? `${pid} needs your approval` : `${pid} asks a question`,
          body: why === "" ? null : why,
        },
        ...{ level: "warning", source: { kind, pid, id } },
        actions: isApproval ? [{ command: "approve", on: id }, open] : [open],
      },
      () => ({ once: true }),
    );
  }

  async function closed({ uid, id }: SignalOf<"chat.hil_closed">): Promise<void> {
    const ids = await kernel.notifications.about(uid, id);
    if (ids.length === 0) return;
    const now = clock.now();
    await kernel.notifications.read({ uid, ids, now, expiresAt: now + READ_KEPT_MS });
    await notifier.updated(uid);
  }

  async function ended({ pid, uid, status, text, error }: SignalOf<"chat.complete">): Promise<void> {
    const row = await kernel.processes.get(pid);
    // A task of a task reports to it, and a schedule's task to its schedule.
    if (row === null || row.profile === "cron" || (row.parentPid !== null && !isInit(row.parentPid))) return;
    const [level, what] = ENDS[status] ?? [null];
    if (level === null) return;
    const line = lineOf((status === "ok" ? text : (error ?? text)) ?? "", LINE_CHARS_MAX);
    const open = { command: "open" as const, on: pid };
    await notifier.add(uid, {
      ...{ title: `${pid} ${what}`, body: line === "" ? null : line, level },
      ...{ source: { kind: "run", pid }, actions: [open] },
    });
  }

  async function usedUp({ pid, uid, waitsFor }: SignalOf<"process.state">): Promise<void> {
    await notifier.add(
      uid,
      {
        ...{ title: `${pid} has used up its budget`, body: waitsFor?.kind === "limit" ? waitsFor.reason : null },
        ...{ level: "warning", source: { kind: "budget", pid }, actions: [{ command: "open", on: pid }] },
      },
      () => ({ once: true }),
    );
  }

  return bus.listen({
    ...{ uid: ROOT_UID, clientId: null, filter: { names: NAMES } },
    hear: (signal: Signal) => hear(signal as Heard),
  });
}

/** Call it after each failure of a schedule. Repeated failures add nothing until the first is read. */
export function announceFailure(notifier: Notifier, schedule: ScheduleRow, end: End, pausedWhy: string | null): void {
  const { name, ownerUid } = schedule;
  const body = [end.error, pausedWhy === null ? null : `paused: ${pausedWhy}`].filter((line) => line !== null);
  const open = end.result.pid === undefined ? [] : [{ command: "open" as const, on: end.result.pid }];
  notifier.addLater(() =>
    notifier.add(
      ownerUid,
      {
        title: pausedWhy === null ? `schedule ${name} failed` : `schedule ${name} failed and is paused`,
        ...{ body: body.length === 0 ? null : body.join("\n"), level: "error" },
        ...{ source: { kind: "schedule", schedule: name }, actions: [{ command: "retry", on: name }, ...open] },
      },
      () => ({ once: pausedWhy === null }),
    ),
  );
}
