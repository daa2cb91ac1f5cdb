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

/** How much of a key varies from partner to partner. */
export const DM_SCOPES = ["main", "per-peer", "per-channel-peer", "per-account-channel-peer"] as const;
export type DmScope = (typeof DM_SCOPES)[number];

/** What may be set for a session. */
export const SESSION_PATHS = [
  "label",
  "model.provider",
  "model.id",
  "thinkingLevel",
  "systemPrompt",
  "maxTokens",
  "resetPolicy.mode",
  "resetPolicy.atHour",
  "resetPolicy.idleMinutes",
] as const;
export type SessionPath = (typeof SESSION_PATHS)[number];

/** How a person's own session on the command line is called, which is their init. */
export const MAIN_SESSION_KEY = "agent:main:cli:dm:main";

/** Stands for the key that session.defaultKey names, if none is given. */
export const DEFAULT_SESSION = "default";

/** The agent that a key means where it names nobody else: the owner's personal one. */
export const MAIN_AGENT = "main";

/** How much a model thinks, as ai.reasoning says it. */
export const THINKING = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
export type Thinking = (typeof THINKING)[number];

const OTHER_NAMES: { readonly [name: string]: Thinking } = {
  none: "off",
  "0": "off",
  min: "minimal",
  "1": "minimal",
  "2": "low",
  med: "medium",
  "3": "medium",
  "4": "high",
  max: "xhigh",
  "5": "xhigh",
};

/** By any of its names; null where there is no such level. */
export function thinkingNamed(name: string): Thinking | null {
  const wanted = name.toLowerCase();
  return (
    THINKING.find((level) => level === wanted) ?? (Object.hasOwn(OTHER_NAMES, wanted) ? OTHER_NAMES[wanted]! : null)
  );
}

/** Who writes in a session of another channel, in that channel's spelling; null at a terminal. */
export function senderOf(session: {
  readonly key?: string | null;
  readonly source?: string;
  readonly sender?: string | null;
}): string | null {
  const { key, source, sender } = session;
  const channel = source ?? key?.split(":")[2];
  if (channel === "cli") return null;
  const at = key?.lastIndexOf(":dm:") ?? -1;
  return sender ?? (at === -1 ? null : (key?.slice(at + 4) ?? null));
}
