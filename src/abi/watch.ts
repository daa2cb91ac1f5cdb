// Signal watches: when an event happens, a message, a command or a notification follows, until the watch expires.

import type { SignalName } from "./signal.ts";

export type WatchAction =
  | { readonly kind: "send"; readonly pid: string; readonly text: string }
  | { readonly kind: "exec"; readonly text: string }
  | { readonly kind: "notify"; readonly text: string };

/** `fired`: a watch for one event has fired. `failed`: the watch has stopped; the error says why. */
export type WatchStatus = "active" | "fired" | "failed";

export interface Watch {
  readonly key: string;
  /** A name of an event, or a family such as `chat.*`. */
  readonly signal: string;
  readonly pid: string | null;
  readonly where: string | null;
  readonly once: boolean;
  readonly action: WatchAction;
  readonly status: WatchStatus;
  /** How often it has fired. */
  readonly fired: number;
  readonly lastAt: number | null;
  /** Of the last action. */
  readonly error: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What the action gets: the message has it as JSON, the command on stdin. */
export interface WatchedEvent {
  /** The same for a repetition. */
  readonly id: string;
  readonly watch: string;
  readonly name: SignalName;
  readonly pid: string;
  readonly run?: string;
  readonly at: number;
  readonly data: { readonly [key: string]: unknown };
  readonly state?: object;
}

export const WATCH_TTL_MS = { usual: 86_400_000, min: 1000, max: 30 * 86_400_000 } as const;

/** Parts of texts, dropped signals and the progress of a move are no events. */
export const UNWATCHED: readonly SignalName[] = ["chat.delta", "resync", "storage.progress"];
