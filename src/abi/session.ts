// What sessions are to everyone: their keys' default, when one starts anew by itself, how much of a key varies from partner to partner.

export const RESET_MODES = ["manual", "daily", "idle"] as const;
export type ResetMode = (typeof RESET_MODES)[number];

export interface ResetPolicy {
  readonly mode: ResetMode;
  /** Of a daily reset: the hour, in the time zone of the home. */
  readonly atHour: number;
  /** Of an idle reset. */
  readonly idleMinutes: number;
}

/** How a person's own session on the command line is called, which is their init. */
export const MAIN_SESSION_KEY = "agent:main:cli:dm:main";

/** The agent that a key means where it names nobody else: the owner's personal one. */
export const MAIN_AGENT = "main";
