// When a model that failed is asked again. Nothing of a failed answer was carried out or kept, so the same turn is asked from the last
// commit. What passes by itself is tried a few times, what the server sets a time for is waited for, and then another model may stand in.
// Everything else is told at once.

import type { Failure, FailureClass } from "../abi/stream.ts";
import { quickTryMs } from "../lib/backoff.ts";

/** How often one model is asked again for one turn. */
const AGAIN_MAX: { readonly [C in FailureClass]?: number } = {
  outage: 3,
  network: 3,
  timeout: 3,
  throttle: 6,
  protocol: 2,
};

/** A server that wants more time than this is not waited for within a run. */
const WAIT_MS_MAX = 10 * 60 * 1000;

/** What lies with the server or the account and not with the request: another model may do better. */
const ELSEWHERE: readonly FailureClass[] = ["outage", "network", "timeout", "throttle", "quota", "auth", "config"];

export function mayStandIn(failure: Failure): boolean {
  return ELSEWHERE.includes(failure.class);
}

/** The tries of one model for one turn. */
export class Tries {
  private failed = 0;

  constructor(private readonly random: (length: number) => Uint8Array) {}

  /** How long to wait before it is asked again; null when it is not. */
  after({ class: failureClass, retryAfterMs = 0 }: Failure): number | null {
    this.failed++;
    if (this.failed > (AGAIN_MAX[failureClass] ?? 0) || retryAfterMs > WAIT_MS_MAX) return null;
    return Math.max(retryAfterMs, quickTryMs(this.failed, this.random));
  }
}
