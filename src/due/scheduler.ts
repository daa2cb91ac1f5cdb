// Runs schedules: starts claimed occurrences, follows them, and gives every one an end.

import { messageOf } from "../abi/errno.ts";
import type { OccurrenceResult } from "../abi/schedule.ts";
import type { DueQueue } from "../lib/alarm.ts";
import { type Clock, TimeSlice } from "../lib/clock.ts";
import type { ClaimOf } from "../store/kernel/due/due.ts";
import type { OccurrenceRow } from "../store/kernel/due/occurrences.ts";
import type { ScheduleRow } from "../store/kernel/due/schedules.ts";
import type { KernelStore } from "../store/kernel/sqlite.ts";
import { StoreUnavailable } from "../store/open.ts";
import { type End, failedEnd, type Starts } from "./starts.ts";
import { nextAfter } from "./timetable.ts";

export interface SchedulerPorts {
  readonly queue: Pick<DueQueue, "onJump">;
  /** Called after schedules have changed. */
  readonly arm: () => Promise<void>;
  readonly kernel: Pick<KernelStore, "schedules" | "occurrences">;
  readonly starts: Pick<Starts, "start" | "follow" | "stop">;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  /** True once after the rules of time zones changed: with another gsv. */
  readonly zoneRulesChanged: () => Promise<boolean>;
  /** Called after the end is stored. */
  readonly ended: (schedule: ScheduleRow, end: End, pausedWhy: string | null) => void;
}

/** A clock that is set back by less runs nothing twice: its schedules wait for the time that they have reached. */
const FAR_MS = 24 * 60 * 60 * 1000;
const COMMANDS_MAX = 4;
/** Half the time for which request ids are kept: until then, a start can be repeated. */
const START_KNOWN_MS = 12 * 60 * 60 * 1000;
const ONE_SHOTS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

export class Scheduler {
  private readonly leaving = new AbortController();
  private readonly starting = new Set<Promise<void>>();
  private commands = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly ports: SchedulerPorts) {
    ports.queue.onJump(() => {
      if (!this.leaving.signal.aborted) this.track(this.replan().then(ports.arm));
    });
  }

  /** Takes up what an earlier kernel left open. */
  async begin(): Promise<void> {
    const { kernel, clock } = this.ports;
    await kernel.schedules.sweep(clock.now() - ONE_SHOTS_KEPT_MS);
    await this.replan();
    for (const row of await kernel.occurrences.open()) this.track(this.takeUp(row));
    if (await this.ports.zoneRulesChanged()) this.track(this.replanCrons().then(this.ports.arm));
  }

  /** A clock that was wrong by more than a day leaves no schedule waiting for its return. */
  private async replan(): Promise<void> {
    const { kernel, clock } = this.ports;
    const now = clock.now();
    for (const { id, timing, rules } of await kernel.schedules.ahead(now + FAR_MS)) {
      const timed = { id, rules, timing: timing.kind === "every" ? { ...timing, anchor: now } : timing };
      await kernel.schedules.change(id, { timing: timed.timing, next: nextAfter(timed, now) }, now);
    }
  }

  private async replanCrons(): Promise<void> {
    const { kernel, clock } = this.ports;
    const now = clock.now();
    const slice = new TimeSlice();
    for (const schedule of await kernel.schedules.crons(now)) {
      const next = nextAfter(schedule, now);
      if (next.nominalAt !== schedule.nominalAt) await kernel.schedules.change(schedule.id, { next }, now);
      await slice.step();
    }
  }

  /** Resolves when all claimed occurrences have started. */
  async claimed(claims: readonly ClaimOf<"schedule">[]): Promise<void> {
    await Promise.all(claims.flatMap(({ occurrences }) => occurrences).map((row) => this.begun(row)));
  }

  /** Starts an occurrence that a person asked for. */
  startNow(schedule: ScheduleRow, row: OccurrenceRow): void {
    this.track(this.carryOut(schedule, row));
  }

  get isBusy(): boolean {
    return this.starting.size > 0 || this.commands > 0;
  }

  /** Starts nothing more. What runs is followed by the next kernel. */
  stop(): void {
    this.leaving.abort();
    for (const go of this.waiting.splice(0)) go();
  }

  /** Resolves when no start is in flight. */
  async settled(): Promise<void> {
    await Promise.all(this.starting);
  }

  /** Resolves when the occurrence has started. */
  private async begun(row: OccurrenceRow): Promise<void> {
    const schedule = await this.ports.kernel.schedules.get(row.scheduleId);
    if (schedule === null) return;
    if (row.state === "queued" && schedule.rules.overlap === "replace") return await this.replace(schedule, row);
    if (row.state !== "claimed") return;
    const { promise: started, resolve } = Promise.withResolvers<void>();
    this.track(this.carryOut(schedule, row, resolve).finally(resolve));
    await started;
  }

  private async replace(schedule: ScheduleRow, by: OccurrenceRow): Promise<void> {
    const { kernel, clock } = this.ports;
    for (const row of await kernel.occurrences.open()) {
      if (row.scheduleId !== schedule.id || row.id === by.id) continue;
      if (row.state !== "queued") await this.ports.starts.stop(schedule, row).catch(this.ports.onFault);
      else
        await kernel.occurrences.finish(row.id, {
          ...{ state: "skipped", error: "replaced by the next occurrence", result: {}, now: clock.now() },
        });
    }
  }

  private track(work: Promise<void>): void {
    const tracked = work.catch(this.ports.onFault).finally(() => this.starting.delete(tracked));
    this.starting.add(tracked);
  }

  private async carryOut(schedule: ScheduleRow, row: OccurrenceRow, started = () => {}): Promise<void> {
    const isCommand = schedule.target.kind === "exec";
    // A command waits for its turn as `claimed`; nothing else waits for it.
    if (isCommand) started();
    if (isCommand) await this.turn();
    try {
      if (this.leaving.signal.aborted) return;
      const { kernel, clock } = this.ports;
      let result: OccurrenceResult;
      try {
        result = await this.ports.starts.start(schedule, row);
      } catch (error) {
        // The next kernel repeats the start.
        if (this.leaving.signal.aborted || error instanceof StoreUnavailable) throw error;
        return await this.end(schedule, row, failedEnd(error));
      }
      await kernel.occurrences.started(row.id, clock.now(), result);
      started();
      const follows = this.follow(schedule, { ...row, result: { ...row.result, ...result } });
      if (isCommand) await follows;
      else this.follows(follows);
    } finally {
      if (isCommand) this.free();
    }
  }

  /** Follows without being waited for: a run may take days. */
  private follows(work: Promise<void>): void {
    work.catch(this.ports.onFault);
  }

  private async follow(schedule: ScheduleRow, row: OccurrenceRow): Promise<void> {
    const { kernel, starts } = this.ports;
    const { signal } = this.leaving;
    let end: End;
    try {
      const blocked = (why: string) => kernel.occurrences.blocked(row.id, why);
      end = await starts.follow(schedule, row, { signal, blocked });
    } catch (error) {
      // A command in gsv's shell ends with its kernel; one on the host may outlive it.
      const isLost = schedule.target.kind === "exec";
      const why = `gsv ended while it ran: ${messageOf(error)}`;
      end = isLost ? { state: "unknown", error: why, result: {} } : failedEnd(error);
    }
    // A kernel that leaves ends its own waits and scripts: the next one finds out.
    if (!signal.aborted) await this.end(schedule, row, end);
  }

  private async end(schedule: ScheduleRow, row: OccurrenceRow, end: End): Promise<void> {
    const { kernel, clock, ended } = this.ports;
    const { next, pausedWhy } = await kernel.occurrences.finish(row.id, { ...end, now: clock.now() });
    ended(schedule, end, pausedWhy);
    if (pausedWhy !== null) await this.ports.arm();
    const latest = next === null ? null : await kernel.schedules.get(next.scheduleId);
    if (next !== null && latest !== null) this.startNow(latest, next);
  }

  /** An occurrence of an earlier kernel. */
  private async takeUp(row: OccurrenceRow): Promise<void> {
    const { kernel, clock } = this.ports;
    const schedule = await kernel.schedules.get(row.scheduleId);
    if (schedule === null) return;
    if (row.state === "queued") return;
    if (row.state !== "claimed") return this.follows(this.follow(schedule, row));
    if (clock.now() - claimedAt(row) <= START_KNOWN_MS) return await this.carryOut(schedule, row);
    await this.end(schedule, row, { state: "unknown", error: "gsv ended before the start was recorded", result: {} });
  }

  private async turn(): Promise<void> {
    if (this.commands < COMMANDS_MAX) this.commands++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** The turn passes on to the next in line. */
  private free(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.commands--;
    else next();
  }
}

/** The instant in its id. */
function claimedAt({ id }: OccurrenceRow): number {
  return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}
