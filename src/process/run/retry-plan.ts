// Decides what happens after a failed model call. gsv drops a failed answer and asks for the turn again from the last commit: the same model
// if the cause is temporary, a fallback if the cause is the server or the account. If neither helps now, the run is paused. All other
// failures end the run. Pure.

import type { Failure, FailureClass } from "../../abi/stream.ts";
import { modelRetryMs } from "../../lib/backoff.ts";

export type Verdict =
  /** Retry the same model within the run, after this time. `of` is the number of attempts at most. */
  | { readonly next: "retry"; readonly ms: number; readonly of: number }
  /** Ask the fallback model. */
  | { readonly next: "fallback" }
  /** Pause the run until gsv tries the provider again. `counts` is false if the server is not at fault. */
  | { readonly next: "pause"; readonly counts: boolean }
  /** Pause the run until a person sets another key, model or address. */
  | { readonly next: "ask-person" }
  /** End the run. `exhausted`: it was paused as often as allowed. */
  | { readonly next: "end"; readonly exhausted: boolean };

export interface Tries {
  /** Failures of this model in this turn, including this one. */
  readonly failed: number;
  /** How often the run was paused in this turn. */
  readonly pauses: number;
  readonly retries: number;
  readonly hasFallback: boolean;
}

/** Retries per model and turn. For an overloaded server the setting counts: 14 retries take about five minutes; most overloads end sooner. */
const RETRIES_MAX: { readonly [C in FailureClass]?: number } = { network: 3, timeout: 3, protocol: 2 };
const OVERLOADS: readonly FailureClass[] = ["outage", "throttle"];
const RETRIES_MAX_WITH_FALLBACK = 3;

/** Longest wait within a run, without and with a fallback. */
const WAIT_MS_MAX = 10 * 60 * 1000;
const WAIT_MS_MAX_WITH_FALLBACK = 30 * 1000;
/** Tries for a paused run, and the reason of its end after them. */
export const PROBES_MAX = 10;
export const EXHAUSTED = "auto_resume_exhausted";

/** Failures that end without a change by a person. */
const TEMPORARY: readonly FailureClass[] = ["outage", "network", "timeout", "throttle"];
/** Failures of the server or the account: another model may work. */
const FALLBACK_MAY_HELP: readonly FailureClass[] = [
  ...TEMPORARY,
  "quota",
  "auth",
  "model",
  "server",
  "config",
  "protocol",
];

/** Failures that another key, model or address fixes. */
const NEEDS_PERSON: readonly FailureClass[] = ["auth", "model", "server"];

export function verdictOn(failure: Failure, stand: Tries, random: (length: number) => Uint8Array): Verdict {
  const { class: failureClass, retryAfterMs = 0 } = failure;
  const { failed, pauses, retries, hasFallback } = stand;
  const isTemporary = TEMPORARY.includes(failureClass);
  // After a pause, one try is enough.
  const own = OVERLOADS.includes(failureClass) ? retries : (RETRIES_MAX[failureClass] ?? 0);
  const most = Math.min(own, hasFallback ? RETRIES_MAX_WITH_FALLBACK : Number.POSITIVE_INFINITY);
  const triesMax = pauses > 0 && isTemporary && failureClass !== "throttle" ? 0 : most;
  if (failed <= triesMax && retryAfterMs <= (hasFallback ? WAIT_MS_MAX_WITH_FALLBACK : WAIT_MS_MAX)) {
    return { next: "retry", ms: Math.max(retryAfterMs, modelRetryMs(failed, random)), of: triesMax + 1 };
  }
  if (hasFallback && FALLBACK_MAY_HELP.includes(failureClass)) return { next: "fallback" };
  if (failure.isOffline) return { next: "pause", counts: false };
  if (isTemporary && pauses < PROBES_MAX) return { next: "pause", counts: true };
  return NEEDS_PERSON.includes(failureClass) ? { next: "ask-person" } : { next: "end", exhausted: isTemporary };
}

/** True if the provider itself answered. */
export function isReachable({ class: failureClass }: Failure): boolean {
  return !TEMPORARY.includes(failureClass);
}
