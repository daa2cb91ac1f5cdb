// The spans by which processes are taken up again, looked after and ended.

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Taken up again after a fault: so often, 5, 15 and 45 seconds later; so long without one begins the count anew. */
export const RESTARTS_MAX = 3;
export const RESTART_BASE_MS = 5 * SECOND;
export const STABLE_MS = 10 * MINUTE;

/** A run may be moved to so many times its usual time, and is warned of its end so long before. */
export const TIMEOUT_CAP = 4;
export const TIMEOUT_WARNING_MS = MINUTE;

/** Where messages of a session may come from, where whoever sent them can start it again and is no other channel. */
const SOURCES_AT_HAND: readonly string[] = ["cli", "web", "agent"];

/** A process that has no session is one of a terminal. */
export function isAtHand(source: string | null): boolean {
  return source === null || SOURCES_AT_HAND.includes(source);
}
