// Sessions: default keys, automatic resets, and how keys differ by partner.

export const RESET_MODES = ["manual", "daily", "idle"] as const;
export type ResetMode = (typeof RESET_MODES)[number];

export interface ResetPolicy {
  readonly mode: ResetMode;
  /** Hour of a daily reset, in the time zone of the home. */
  readonly atHour: number;
  /** Idle time before a reset. */
  readonly idleMinutes: number;
}

/** Which parts of a key differ by partner. */
export const DM_SCOPES = ["main", "per-peer", "per-channel-peer", "per-account-channel-peer"] as const;
export type DmScope = (typeof DM_SCOPES)[number];

/** The settings of a session. */
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

/** The key of a person's own command line session, whose process is their init. */
export const MAIN_SESSION_KEY = "agent:main:cli:dm:main";

/** Stands for the key in session.defaultKey. */
export const DEFAULT_SESSION = "default";

/** In keys: the owner's personal agent. */
export const MAIN_AGENT = "main";

/** Values of ai.reasoning. */
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

/** Accepts all names of a level; null if unknown. */
export function thinkingNamed(name: string): Thinking | null {
  const wanted = name.toLowerCase();
  return (
    THINKING.find((level) => level === wanted) ?? (Object.hasOwn(OTHER_NAMES, wanted) ? OTHER_NAMES[wanted]! : null)
  );
}

/** The sender in a session of another channel, in that channel's spelling; null at a terminal. */
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
