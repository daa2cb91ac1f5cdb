// What becomes of a turn that a model did not answer. Nothing of a failed answer was carried out or kept, so the same turn is asked from
// the last commit: of the same model where that passes by itself, of one that stands in where it lies with the server or the account, and
// later where neither helps now. Everything else is told at once. Pure.

import type { Failure, FailureClass } from "../../abi/stream.ts";
import { quickTryMs } from "../../lib/backoff.ts";

export type Verdict =
  /** The same model, by a run that waits so long. */
  | { readonly next: "again"; readonly ms: number }
  /** The one that stands in for it. */
  | { readonly next: "other" }
  /** The run is put aside until the provider is looked at again; what is not the server's fault is not counted. */
  | { readonly next: "later"; readonly counts: boolean }
  /** The run is put aside until there is another key. */
  | { readonly next: "key" }
  /** `exhausted`: it was put aside as often as is worth it. */
  | { readonly next: "over"; readonly exhausted: boolean };

export interface Stand {
  /** How often this model failed at this turn, this time included. */
  readonly failed: number;
  /** How often the run was put aside for this turn. */
  readonly pauses: number;
  /** There is a model that could stand in. */
  readonly hasOther: boolean;
}

/** How often one model is asked again for one turn. */
const AGAIN_MAX: { readonly [C in FailureClass]?: number } = {
  outage: 3,
  network: 3,
  timeout: 3,
  throttle: 6,
  protocol: 2,
};

/** A server that wants more time than this is not waited for within a run, and for less than that where another stands in. */
const WAIT_MS_MAX = 10 * 60 * 1000;
const WAIT_MS_MAX_BESIDE = 30 * 1000;
/** How often a run that is put aside is tried, and the reason of its end after that. */
export const LOOKS_MAX = 10;
export const EXHAUSTED = "auto_resume_exhausted";

/** What passes by itself, but not soon. */
const PASSES: readonly FailureClass[] = ["outage", "network", "timeout", "throttle"];
/** What lies with the server or the account and not with the request: another model may do better. */
const ELSEWHERE: readonly FailureClass[] = [...PASSES, "quota", "auth", "config", "protocol"];

export function verdictOn(failure: Failure, stand: Stand, random: (length: number) => Uint8Array): Verdict {
  const { class: failureClass, retryAfterMs = 0 } = failure;
  const { failed, pauses, hasOther } = stand;
  const passes = PASSES.includes(failureClass);
  // Whoever waited for minutes has been patient enough to be told by one try.
  const triesMax = pauses > 0 && passes && failureClass !== "throttle" ? 0 : (AGAIN_MAX[failureClass] ?? 0);
  if (failed <= triesMax && retryAfterMs <= (hasOther ? WAIT_MS_MAX_BESIDE : WAIT_MS_MAX)) {
    return { next: "again", ms: Math.max(retryAfterMs, quickTryMs(failed, random)) };
  }
  if (hasOther && ELSEWHERE.includes(failureClass)) return { next: "other" };
  if (failure.isOffline) return { next: "later", counts: false };
  if (passes && pauses < LOOKS_MAX) return { next: "later", counts: true };
  return failureClass === "auth" ? { next: "key" } : { next: "over", exhausted: passes };
}

/** Whether the provider was there to give this answer. */
export function isThere({ class: failureClass }: Failure): boolean {
  return !PASSES.includes(failureClass);
}
