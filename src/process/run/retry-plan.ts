// Decides what happens after a failed model call. Nothing of a failed answer is kept, so the turn is asked again from the last commit: of
// the same model if the cause passes by itself, of a fallback if the cause is the server or the account, later if neither helps now. All
// other failures end the run. Pure.

import type { Failure, FailureClass } from "../../abi/stream.ts";
import { modelRetryMs } from "../../lib/backoff.ts";

export type Verdict =
  /** Retry the same model within the run, after this time. `of` is the number of attempts at most. */
  | { readonly next: "again"; readonly ms: number; readonly of: number }
  /** Ask the fallback model. */
  | { readonly next: "other" }
  /** Put the run aside until the provider is tried again. `counts` is false if the server is not at fault. */
  | { readonly next: "later"; readonly counts: boolean }
  /** Put the run aside until a person sets another key, model or address. */
  | { readonly next: "person" }
  /** End the run. `exhausted`: it was paused as often as allowed. */
  | { readonly next: "over"; readonly exhausted: boolean };

export interface Tries {
  /** Failures of this model in this turn, including this one. */
  readonly failed: number;
  /** How often the run was put aside in this turn. */
  readonly pauses: number;
  readonly retries: number;
  readonly hasOther: boolean;
}

/** Retries per model and turn. An overloaded server gets those of the setting: 14 take about five minutes, and most overloads end sooner. */
const AGAIN_MAX: { readonly [C in FailureClass]?: number } = { network: 3, timeout: 3, protocol: 2 };
const OVERLOADS: readonly FailureClass[] = ["outage", "throttle"];
const AGAIN_MAX_BESIDE = 3;

/** Longest wait within a run, without and with a fallback. */
const WAIT_MS_MAX = 10 * 60 * 1000;
const WAIT_MS_MAX_BESIDE = 30 * 1000;
/** Tries for a run that is put aside, and the reason of its end after them. */
export const PROBES_MAX = 10;
export const EXHAUSTED = "auto_resume_exhausted";

/** Failures that pass by themselves, but not soon. */
const PASSES: readonly FailureClass[] = ["outage", "network", "timeout", "throttle"];
/** Failures of the server or the account: another model may work. */
const ELSEWHERE: readonly FailureClass[] = [...PASSES, "quota", "auth", "model", "server", "config", "protocol"];

/** Failures that another key, model or address fixes. */
const PERSON: readonly FailureClass[] = ["auth", "model", "server"];

export function verdictOn(failure: Failure, stand: Tries, random: (length: number) => Uint8Array): Verdict {
  const { class: failureClass, retryAfterMs = 0 } = failure;
  const { failed, pauses, retries, hasOther } = stand;
  const passes = PASSES.includes(failureClass);
  // After minutes of waiting, one try is enough.
  const own = OVERLOADS.includes(failureClass) ? retries : (AGAIN_MAX[failureClass] ?? 0);
  const most = Math.min(own, hasOther ? AGAIN_MAX_BESIDE : Number.POSITIVE_INFINITY);
  const triesMax = pauses > 0 && passes && failureClass !== "throttle" ? 0 : most;
  if (failed <= triesMax && retryAfterMs <= (hasOther ? WAIT_MS_MAX_BESIDE : WAIT_MS_MAX)) {
    return { next: "again", ms: Math.max(retryAfterMs, modelRetryMs(failed, random)), of: triesMax + 1 };
  }
  if (hasOther && ELSEWHERE.includes(failureClass)) return { next: "other" };
  if (failure.isOffline) return { next: "later", counts: false };
  if (passes && pauses < PROBES_MAX) return { next: "later", counts: true };
  return PERSON.includes(failureClass) ? { next: "person" } : { next: "over", exhausted: passes };
}

/** True if the provider itself answered. */
export function isReachable({ class: failureClass }: Failure): boolean {
  return !PASSES.includes(failureClass);
}
