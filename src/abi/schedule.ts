// Schedules: when something starts, what it is, and what became of each start.

import type { Policy } from "./policy.ts";

/** When a schedule is due. Instants in ms since the epoch. */
export type Timing =
  | { readonly kind: "at"; readonly at: number }
  | { readonly kind: "every"; readonly everyMs: number; readonly anchor: number }
  | { readonly kind: "cron"; readonly expr: string; readonly zone: string };

/** What a schedule starts. */
export type ScheduleTarget =
  | { readonly kind: "message"; readonly pid: string; readonly text: string }
  /** A message of gsv itself, which starts a run. */
  | { readonly kind: "event"; readonly pid: string; readonly text: string }
  | {
      readonly kind: "task";
      readonly text: string;
      readonly model?: string;
      readonly budget?: string;
      readonly workspace?: string;
      readonly cwd?: string;
      /** The account that the task runs as. */
      readonly as?: string;
      /** Set by a person: what the task may do without an approval. A scheduled task cannot ask for one. */
      readonly policy?: Policy;
    }
  | { readonly kind: "exec"; readonly text: string; readonly target: "gsv" | "host"; readonly cwd?: string };

/** What happens when the previous occurrence has not ended. */
export const OVERLAPS = ["skip", "queue", "replace"] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** How many occurrences run that were missed while no kernel was there. */
export const CATCH_UPS = ["one", "none", "all"] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

/** With catch-up `all`. */
export const CATCH_UP_MAX = 24;
export const INTERVAL_MS_MIN = 1000;

export interface ScheduleRules {
  readonly overlap: Overlap;
  readonly catchUp: CatchUp;
  readonly jitterMs: number;
  /** Failures in a row that pause it; 0 for never. */
  readonly failuresMax: number;
}

/**
 * `claimed`: committed, not started yet. `queued`: waits for the previous occurrence. `running` and `blocked`: what it started has not ended.
 * The others are final. `unknown`: a kernel died at the wrong moment, and nobody knows what became of it.
 */
export type OccurrenceState =
  | "claimed"
  | "queued"
  | "running"
  | "blocked"
  | "ok"
  | "error"
  | "aborted"
  | "limit"
  | "unavailable"
  | "skipped"
  | "unknown";

/** Final states that count towards the failures in a row. */
export const FAILURES: readonly OccurrenceState[] = ["error", "limit", "unavailable", "unknown"];

/** What an occurrence started, and its answer. */
export interface OccurrenceResult {
  readonly pid?: string;
  readonly runId?: string;
  /** First line of the answer, or of the output. */
  readonly line?: string;
  readonly costMicros?: number;
  readonly exit?: number;
  /** Earlier occurrences that were missed and did not run. */
  readonly missed?: number;
}

export interface Occurrence {
  readonly id: string;
  readonly schedule: string;
  readonly scheduledAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly state: OccurrenceState;
  /** Why it failed, or what it waits for. */
  readonly error: string | null;
  readonly result: OccurrenceResult;
}

export interface ScheduleInfo {
  readonly name: string;
  readonly owner: string;
  readonly creator: string;
  readonly timing: Timing;
  readonly target: ScheduleTarget;
  readonly rules: ScheduleRules;
  readonly enabled: boolean;
  /** Why it is paused. */
  readonly pausedWhy: string | null;
  readonly nextAt: number | null;
  readonly last: Pick<Occurrence, "scheduledAt" | "startedAt" | "finishedAt" | "state" | "error" | "result"> | null;
  readonly runs: number;
  readonly costMicros: number;
  readonly createdAt: number;
  /** The cron file that it belongs to. */
  readonly file: string | null;
}

/**
 * Something that happens by itself: an occurrence, an announcement, the end of an open request, the next try of a paused run, the deadline
 * of a call between processes.
 */
export interface DueItem {
  readonly kind: "schedule" | "notification" | "request" | "run" | "call";
  /** The schedule, the title, the request with its process, the process, or the call with its two processes. */
  readonly what: string;
  readonly at: number;
}
