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

/** What is remembered of sessions that are gone is looked for so often. */
export const ORPHAN_SWEEP_MS = 5 * MINUTE;

/** After so many messages to a process that runs, a manager has it go on with its history in short. */
export const TURNS_BEFORE_RESET = 8;
/** How deep processes that start each other through a manager may lie. */
export const INVOCATION_DEPTH_MAX = 3;

/** How long a request waits for a person who is not at a terminal: of a page, and of another channel. */
export const APPROVAL_MS = 55 * SECOND;
export const CHANNEL_APPROVAL_MS = 120 * SECOND;
export const QUESTION_MS = { usual: 120 * SECOND, min: 60 * SECOND, max: 600 * SECOND } as const;
