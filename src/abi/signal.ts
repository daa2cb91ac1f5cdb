// Signals from the kernel to clients, sent after the commit. Only chat.delta is lossy and never stored.
// `seq` is a durable message number, never a counter of signals: a client that was away asks for history after it.

import type { Level, NotificationAction, NotificationSource } from "./notification.ts";
import type { Mode } from "./policy.ts";
import type { ApprovalAbout, Attempt, DecisionWord, RunEnd, State, WaitsFor } from "./process/process.ts";
import type { CompactionCause } from "./process/segment.ts";
import type { OccurrenceState } from "./schedule.ts";
import type { FailureClass } from "./stream.ts";

interface SignalBase {
  readonly pid: string;
  /** The owner. Only the owner's and root's clients get the signal. */
  readonly uid: number;
  readonly parent: string | null;
  readonly at: number;
}

interface RunSignal extends SignalBase {
  readonly run: string;
}

/** A summary replaces older history. */
export interface Compacted {
  readonly segment: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** The message that holds the summary. */
  readonly seq: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The model that wrote the summary; null if none could. */
  readonly model: string | null;
  readonly cause: CompactionCause;
}

export interface MoveProgress {
  readonly files: number;
  readonly filesTotal: number;
  readonly bytes: number;
  readonly bytesTotal: number;
}

export type Signal =
  | (RunSignal & { readonly name: "chat.start"; readonly model: string; readonly seq: number })
  /** Queued messages have entered the run between two turns. Each has its own run id, which ends with this run. */
  | (RunSignal & {
      readonly name: "chat.entered";
      readonly messages: readonly { readonly run: string | null; readonly seq: number }[];
    })
  | (RunSignal & {
      readonly name: "chat.delta";
      readonly turn: number;
      readonly kind: "text" | "thinking";
      readonly text: string;
    })
  | (RunSignal & {
      readonly name: "chat.text";
      readonly turn: number;
      readonly seq: number;
      readonly text: string;
      readonly thinking?: string;
    })
  | (RunSignal & {
      readonly name: "chat.tool_call";
      readonly callId: string;
      readonly tool: string;
      readonly call: string;
      readonly args: object;
    })
  /** How far a running call is. Never stored. */
  | (RunSignal & { readonly name: "chat.tool_progress"; readonly callId: string; readonly text: string })
  | (RunSignal & {
      readonly name: "chat.tool_result";
      readonly callId: string;
      readonly tool: string;
      readonly call: string;
      readonly ok: boolean;
      readonly seq: number;
      readonly output: string;
    })
  | (RunSignal & {
      readonly name: "chat.hil";
      readonly kind: "approval" | "question";
      readonly id: string;
      readonly tool: string;
      readonly call: string;
      readonly args: object;
      readonly why: string;
      /** Target, reasons and changes of the call. */
      readonly about: ApprovalAbout | null;
      /** An answer may include it to apply to exactly this request. */
      readonly hash: string;
      /** Of the process. */
      readonly label: string | null;
      readonly expiresAt: number | null;
    })
  | (RunSignal & {
      readonly name: "chat.hil_closed";
      readonly id: string;
      readonly decision: DecisionWord;
      readonly by: string;
    })
  | (RunSignal & {
      readonly name: "chat.restart";
      readonly turn: number;
      readonly attempt: number;
      readonly reason: string;
      /** The failure; null after a kernel restart. */
      readonly class: FailureClass | null;
      /** Time of the retry; null if immediate, or if the run is paused (see the state). */
      readonly until: number | null;
      readonly putAside: boolean;
      /** The number of the retry and of the last one, of this model. */
      readonly retry?: Attempt;
      /** The fallback model used from now on. */
      readonly fallbackModel?: string;
    })
  | (RunSignal &
      Omit<RunEnd, "runId"> & {
        readonly name: "chat.complete";
        readonly queued: number;
        readonly label: string | null;
      })
  /** A compaction has started, and a run waits for it. */
  | (RunSignal & { readonly name: "chat.compacting"; readonly cause: CompactionCause })
  | (RunSignal & Compacted & { readonly name: "chat.compacted" })
  /** A compaction that was requested, not started by a run. */
  | (SignalBase & Compacted & { readonly name: "process.compacted" })
  | (SignalBase & { readonly name: "process.spawn"; readonly label: string | null })
  | (SignalBase & {
      readonly name: "process.state";
      readonly state: State;
      readonly queued: number;
      readonly waitsFor: WaitsFor | null;
    })
  | (SignalBase & { readonly name: "process.mode"; readonly mode: Mode })
  /** A budget of the process is nearly used up. `of` is its process; null for the owner's daily budget. */
  | (SignalBase & {
      readonly name: "process.budget";
      readonly of: string | null;
      readonly share: number;
      readonly text: string;
    })
  /** The agent calls a tool of a client, which answers with `sys.mcp.answer`. */
  | (SignalBase & {
      readonly name: "process.server_call";
      readonly call: string;
      readonly tool: string;
      readonly args: object;
    })
  /** The sender has few credits left, or none; without credits the process is stopped. */
  | (SignalBase & {
      readonly name: "process.credits";
      readonly wallet: string;
      readonly available: number;
      readonly isExhausted: boolean;
      readonly text: string;
    })
  /** A run failed and is restarted at this instant. */
  | (RunSignal & {
      readonly name: "process.restart";
      readonly attempt: number;
      /** Maximum number of restarts. */
      readonly of: number;
      readonly until: number;
      readonly reason: string;
    })
  /** An idle run is stopped at this instant, which can be extended up to `latest`. */
  | (RunSignal & { readonly name: "process.timeout_warning"; readonly endsAt: number; readonly latest: number })
  /** hooks.d has an undecided file. Sent once. */
  | (SignalBase & { readonly name: "process.hook"; readonly hook: string; readonly text: string })
  /** A schedule failed. `pid` is the owner's init. */
  | (SignalBase & {
      readonly name: "process.schedule";
      readonly schedule: string;
      readonly state: OccurrenceState;
      readonly text: string;
    })
  /** A notification, or several at once: then the title says how many, and the body has the first titles. */
  | (SignalBase & {
      readonly name: "notification.created";
      readonly ids: readonly string[];
      readonly title: string;
      readonly body: string | null;
      readonly level: Level;
      /** Null for several. */
      readonly source: NotificationSource | null;
      readonly actions: readonly NotificationAction[];
      readonly unread: number;
    })
  | (SignalBase & { readonly name: "notification.updated"; readonly unread: number })
  /** A call of the process, or of a person (then `pid` is the init), has ended. Sent once. */
  | (SignalBase & {
      readonly name: "ipc.reply";
      readonly call: string;
      readonly target: string;
      readonly ok: boolean;
      readonly error: string | null;
    })
  | (SignalBase & { readonly name: "ipc.timeout"; readonly call: string; readonly target: string })
  /** How far `storage.migrate` is. `pid` is the init of its caller. */
  | (SignalBase & MoveProgress & { readonly name: "storage.progress" })
  | (SignalBase & { readonly name: "process.reset"; readonly archive: string | null })
  | (SignalBase & { readonly name: "process.exit"; readonly archive: string | null; readonly label: string | null })
  /** Signals were dropped for this subscriber: read the history after `afterSeq`. */
  | (SignalBase & { readonly name: "resync"; readonly afterSeq: number });

export type SignalName = Signal["name"];

// A table, so that the compiler checks for missing names.
const NAMED: { readonly [K in SignalName]: true } = {
  "chat.start": true,
  "chat.entered": true,
  "chat.delta": true,
  "chat.text": true,
  "chat.tool_call": true,
  "chat.tool_progress": true,
  "chat.tool_result": true,
  "chat.hil": true,
  "chat.hil_closed": true,
  "chat.restart": true,
  "chat.complete": true,
  "chat.compacting": true,
  "chat.compacted": true,
  "process.compacted": true,
  "process.spawn": true,
  "process.state": true,
  "process.mode": true,
  "process.budget": true,
  "process.credits": true,
  "process.server_call": true,
  "process.restart": true,
  "process.timeout_warning": true,
  "process.hook": true,
  "process.schedule": true,
  "notification.created": true,
  "notification.updated": true,
  "ipc.reply": true,
  "ipc.timeout": true,
  "storage.progress": true,
  "process.reset": true,
  "process.exit": true,
  resync: true,
};

/** Terminals show these signals of processes other than the attached one, by the name of the process. */
export const LABELLED: ReadonlySet<SignalName> = new Set([
  "process.spawn",
  "process.exit",
  "chat.hil",
  "chat.complete",
]);

export const SIGNAL_NAMES = Object.keys(NAMED) as readonly SignalName[];

export type SignalOf<Name extends SignalName> = Extract<Signal, { readonly name: Name }>;

/** Whether two deltas are pieces of the same text, so that one signal can hold both. */
export function isSameText(left: SignalOf<"chat.delta">, right: SignalOf<"chat.delta">): boolean {
  return left.pid === right.pid && left.run === right.run && left.turn === right.turn && left.kind === right.kind;
}

/** All given parts must match. A name that ends in `.*` matches its family. */
export interface SignalFilter {
  readonly pid?: string;
  readonly run?: string;
  readonly names?: readonly string[];
  /** Only runs of this client. */
  readonly mine?: true;
}

export function matches(filter: SignalFilter, signal: Signal): boolean {
  if (filter.pid !== undefined && filter.pid !== signal.pid) return false;
  if (filter.run !== undefined && filter.run !== ("run" in signal ? signal.run : undefined)) return false;
  return signal.name === "resync" || wantsName(filter, signal.name);
}

export function wantsName({ names }: SignalFilter, name: SignalName): boolean {
  return names === undefined || names.some((wish) => isOf(wish, name));
}

function isOf(wish: string, name: SignalName): boolean {
  return wish === name || (wish.endsWith(".*") && name.startsWith(wish.slice(0, -1)));
}

/** Whether the name can match any signal. */
export function namesSignals(wish: string): boolean {
  return SIGNAL_NAMES.some((name) => isOf(wish, name));
}
