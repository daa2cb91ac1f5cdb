// Sessions: addresses of processes, and the conversations of each.

import type { Caller } from "../../abi/identity.ts";
import type { State } from "../../abi/process/process.ts";
import type { ResetPolicy } from "../../abi/process/session.ts";
import type { CallContext } from "../define.ts";
import type { CompactResult } from "../proc/history-service.ts";

/** The status for others: `running` for every reason that keeps a run open. */
export type SessionStatus = "idle" | "running" | "paused" | "stopped" | "error";

export interface SessionLine {
  readonly key: string;
  /** Never changes, unlike `sessionId`. */
  readonly id: string;
  readonly status: SessionStatus;
  /** The conversation it is in; null before the first. */
  readonly sessionId: string | null;
  readonly pid: string | null;
  readonly label: string | null;
  readonly state: State;
  /** The process was running when the last kernel ended, and no kernel runs. */
  readonly interrupted?: true;
  readonly lastActiveAt: number;
  readonly details?: SessionDetails;
}

/** What the session was made with, and what it has used in all conversations. */
export interface SessionDetails {
  readonly source: string;
  readonly agent: string | null;
  readonly project: string | null;
  readonly name: string;
  readonly workDir: string | null;
  readonly initialPrompt: string;
  readonly councilLaunchId: string | null;
  readonly councilRole: string | null;
  readonly turns: number;
  readonly costUsd: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SessionTokens {
  readonly input: number;
  readonly output: number;
  readonly total: number;
}

export interface SessionSettings {
  readonly model: { readonly provider: string | null; readonly id: string | null };
  readonly thinkingLevel: string | null;
  readonly maxTokens: number | null;
  readonly systemPrompt: string | null;
}

export interface SessionInfo extends SessionLine {
  readonly owner: string;
  readonly messages: number;
  /** Number of these messages that the model gets only as a summary. */
  readonly summarized: number;
  readonly tokens: SessionTokens;
  /** Values set for this session only. */
  readonly settings: SessionSettings;
  readonly resetPolicy: ResetPolicy;
  readonly previousSessions: number;
  readonly createdAt: number;
}

export interface SessionStats {
  readonly key: string;
  readonly sessionId: string | null;
  readonly messages: number;
  readonly tokens: SessionTokens;
  readonly costUsd: number;
  readonly uptimeMs: number;
}

export interface Conversation {
  readonly sessionId: string;
  readonly pid: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The conversation it continues. */
  readonly restoredFrom: string | null;
  readonly messages: number | null;
  readonly archiveId: string | null;
  /** A path: `/agents/…`. */
  readonly archivedTo: string | null;
}

export interface SessionHistory {
  readonly key: string;
  readonly current: Conversation | null;
  readonly previous: readonly Conversation[];
  /** Total number. */
  readonly count: number;
}

export interface SessionReset {
  readonly key: string;
  readonly pid: string;
  readonly oldSessionId: string | null;
  readonly newSessionId: string | null;
  readonly archivedMessages: number;
  readonly tokens: number;
  readonly archivedTo: string | null;
  /** The process reset itself: the reset follows its turn. */
  readonly pending?: true;
}

export interface SessionRestored extends SessionReset {
  readonly restoredFrom: string;
  /** Messages of the restored conversation. */
  readonly messages: number;
}

/** A row of `session_messages`. */
export interface SessionMessage {
  readonly id: number;
  readonly sessionId: string;
  readonly role: "user" | "assistant" | "system";
  readonly content: string;
  readonly timestamp: number;
}

export interface SessionAddress {
  readonly key: string;
  /** Null before the first message. */
  readonly pid: string | null;
}

export interface SessionOpened {
  readonly key: string;
  readonly pid: string;
  /** The key as written, if session.dmScope maps its sender to another session. */
  readonly sender?: string;
}

export interface SessionParty {
  readonly agent?: string;
  readonly channel: string;
  readonly account: string;
  readonly peer: string;
}

export interface SessionChangeRequest {
  readonly key: string;
  readonly path: string;
  readonly value: string;
  /** Makes the session if the key was never used. */
  readonly create?: boolean;
}

export interface SessionChanged {
  readonly key: string;
  readonly path: string;
  readonly value: unknown;
  /** A side effect of the change. */
  readonly note?: string;
}

/** Reads; needs no kernel. A key is a session key, `main`, or a session id. */
export interface SessionViews {
  /** Most recently active first. */
  list(
    caller: Caller,
    query: { readonly limit: number; readonly details?: boolean },
  ): Promise<{ readonly sessions: readonly SessionLine[] }>;
  get(caller: Caller, key: string, details?: boolean): Promise<SessionInfo>;
  stats(caller: Caller, key: string): Promise<SessionStats>;
  history(caller: Caller, key: string): Promise<SessionHistory>;
  /** Messages of the current conversation. `next` is null at the end. */
  messages(
    caller: Caller,
    query: { readonly key: string; readonly after: number; readonly limit: number },
  ): Promise<{ readonly messages: readonly SessionMessage[]; readonly next: number | null }>;
  /** The session that messages of this party go to. */
  route(caller: Caller, party: SessionParty): Promise<SessionAddress>;
}

/** Properties of a new session without a key, or with a key that does not contain them. */
export interface SessionAbout {
  readonly source?: string;
  readonly sender?: string;
  readonly agent?: string;
  readonly project?: string;
  readonly name?: string;
  readonly workDir?: string;
  readonly initialPrompt?: string;
}

export interface SessionBegun {
  readonly key: string;
  readonly id: string;
  readonly pid: string;
  /** null if there is nothing to do. */
  readonly runId: string | null;
  /** A run was ended to start this one. */
  readonly replaced: boolean;
}

export interface SessionStopped {
  readonly key: string;
  readonly pid: string | null;
  readonly stopped: boolean;
}

export interface SessionRemoved {
  readonly key: string;
  readonly id: string;
  /** Where the history is kept; null if nothing was archived. */
  readonly archivedTo: string | null;
}

export interface SessionStart extends SessionAbout {
  readonly key: string;
  readonly prompt?: string;
  /** Number of sessions that started each other before it. */
  readonly depth?: number;
  readonly unattended?: boolean;
}

export interface SessionLife {
  start(context: CallContext, request: SessionStart): Promise<SessionBegun>;
  resume(context: CallContext, request: SessionAbout & Pick<SessionStart, "key" | "prompt">): Promise<SessionBegun>;
  stop(context: CallContext, key: string): Promise<SessionStopped>;
}

export interface Sessions extends SessionViews, SessionLife {
  /** The process of a key; created if there is none. */
  open(context: CallContext, key: string, about?: SessionAbout): Promise<SessionOpened>;
  reset(context: CallContext, key: string): Promise<SessionReset>;
  compact(
    context: CallContext,
    request: { readonly key: string; readonly keep: number },
  ): Promise<CompactResult & { readonly key: string }>;
  set(context: CallContext, request: SessionChangeRequest): Promise<SessionChanged>;
  /** Ends the process and forgets the session; the archive stays. */
  remove(context: CallContext, key: string): Promise<SessionRemoved>;
  /** Archives the current conversation of the session and continues an archived one. */
  restore(context: CallContext, id: string): Promise<SessionRestored>;
}
