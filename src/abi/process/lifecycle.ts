// Times and counts for restarts, timeouts and the end of processes.

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Restarts after an internal error: three, after 5, 15 and 45 seconds. A time without errors resets the count. */
export const RESTARTS_MAX = 3;
export const RESTART_BASE_MS = 5 * SECOND;
export const STABLE_MS = 10 * MINUTE;

/** A run's time may be extended up to this factor. The warning comes this long before its end. */
export const TIMEOUT_CAP = 4;
export const TIMEOUT_WARNING_MS = MINUTE;

/** Message sources without a channel: the sender can restart the session. */
const SOURCES_AT_HAND: readonly string[] = ["cli", "web", "agent"];

/** Processes without a session belong to a terminal. */
export function isAtHand(source: string | null): boolean {
  return source === null || SOURCES_AT_HAND.includes(source);
}

/** How often state of removed sessions is cleaned up. */
export const ORPHAN_SWEEP_MS = 5 * MINUTE;

/** After this many messages to a running process, a manager compacts its history. */
export const TURNS_BEFORE_RESET = 8;
/** Maximum depth of processes that a manager starts from processes. */
export const INVOCATION_DEPTH_MAX = 3;

/** How long a request waits for a person who is not at a terminal: on a page, and in another channel. */
export const APPROVAL_MS = 55 * SECOND;
export const CHANNEL_APPROVAL_MS = 120 * SECOND;
export const QUESTION_MS = { usual: 120 * SECOND, min: 60 * SECOND, max: 600 * SECOND } as const;

/** Setting that counts failed tries of an unfinished reset or kill, as JSON {failed, error}. gsv doctor shows it. */
export function closingFailuresKey(pid: string): string {
  return `processes/${pid}/closing`;
}
