// The service behind sched.*, as types.

import type { Caller } from "../../abi/identity.ts";
import type { CatchUp, DueItem, Occurrence, Overlap, ScheduleInfo, Timing } from "../../abi/schedule.ts";
import type { CallContext } from "../define.ts";

/** What a schedule starts, as words of a command line. */
export interface WantedTarget {
  /** The message, the prompt of a new task, or the command. */
  readonly text?: string;
  readonly pid?: string;
  readonly new?: boolean;
  readonly event?: boolean;
  readonly exec?: boolean;
  readonly host?: boolean;
  readonly model?: string;
  readonly budget?: string;
  readonly workspace?: string;
  readonly cwd?: string;
  readonly as?: string;
  /** JSON, or `none`. */
  readonly policy?: string;
}

export interface WantedRules {
  readonly overlap?: Overlap;
  readonly catchUp?: CatchUp;
  /** Such as `30s`. */
  readonly jitter?: string;
  readonly pauseAfter?: number;
}

export interface ScheduleRequest extends WantedTarget, WantedRules {
  readonly when: string;
  readonly name?: string;
  readonly tz?: string;
}

export interface ScheduleUpdate extends WantedTarget, WantedRules {
  readonly schedule: string;
  readonly when?: string;
  readonly name?: string;
  readonly tz?: string;
  /** False pauses it. */
  readonly enabled?: boolean;
}

export interface ShownSchedule extends ScheduleInfo {
  /** The next five instants. */
  readonly next: readonly number[];
}

export interface AddedSchedule extends ShownSchedule {
  /** When it is far away: gsv must run then. */
  readonly note: string | null;
}

export interface Instants {
  readonly timing: Timing;
  readonly next: readonly number[];
}

export interface Schedules {
  list(
    caller: Caller,
    query: { readonly after?: string; readonly limit: number },
  ): Promise<{ readonly schedules: readonly ScheduleInfo[]; readonly next: string | null }>;
  get(caller: Caller, name: string): Promise<ShownSchedule>;
  /** Of the account, the earliest first. */
  due(caller: Caller, query: { readonly limit: number }): Promise<{ readonly due: readonly DueItem[] }>;
  /** Of a schedule, or of a time as `add` takes it. */
  next(context: CallContext, asked: { readonly when: string; readonly tz?: string }): Promise<Instants>;
  /** Newest first; of all schedules if none is named. */
  history(
    caller: Caller,
    query: { readonly schedule?: string; readonly limit: number },
  ): Promise<{ readonly occurrences: readonly Occurrence[] }>;
  add(context: CallContext, request: ScheduleRequest): Promise<AddedSchedule>;
  update(context: CallContext, request: ScheduleUpdate): Promise<AddedSchedule>;
  remove(context: CallContext, name: string): Promise<{ readonly name: string }>;
  /** Starts it now, besides its times. */
  run(context: CallContext, name: string): Promise<Occurrence>;
}
