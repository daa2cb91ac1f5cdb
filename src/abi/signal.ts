// What the kernel tells clients. A signal names what was committed just before it (chat.delta alone is lossy and never stored).
// `seq` is a durable message number, never a counter of signals: a client that was away asks for history after it.

import type { ApprovalAbout, DecisionWord, RunStatus, State, Usage, WaitsFor } from "./process/process.ts";
import type { CompactionCause } from "./process/segment.ts";
import type { FailureClass } from "./stream.ts";

interface SignalBase {
  readonly pid: string;
  /** Owner of the process: only its clients and root's are told. */
  readonly uid: number;
  readonly parent: string | null;
  readonly at: number;
}

interface RunSignal extends SignalBase {
  readonly run: string;
}

/** A summary takes the place of older history. */
export interface Compacted {
  readonly segment: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** The message that holds the summary. */
  readonly seq: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Who wrote the summary; null when nobody could. */
  readonly model: string | null;
  readonly cause: CompactionCause;
}

export type Signal =
  | (RunSignal & { readonly name: "chat.start"; readonly model: string; readonly seq: number })
  /** Messages that waited have entered the run, between two of its turns: each has a run of its own, which ends with this one. */
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
      /** Where it would happen, why it asks, what changes. */
      readonly about: ApprovalAbout | null;
      /** An answer may name it: then it is to this and nothing else. */
      readonly hash: string;
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
      /** Of the failure; null where the kernel was restarted. */
      readonly class: FailureClass | null;
      /** When it is said anew; null at once, or where the run is put aside: then the state tells. */
      readonly until: number | null;
      readonly putAside: boolean;
      /** Another model that is asked from here on. */
      readonly fallbackModel?: string;
    })
  | (RunSignal & {
      readonly name: "chat.complete";
      readonly status: RunStatus;
      readonly reason: string;
      readonly text: string | null;
      readonly error: string | null;
      readonly mergedInto: string | null;
      readonly usage: Usage;
      readonly queued: number;
    })
  /** Older history is being summarised; a run waits for it. */
  | (RunSignal & { readonly name: "chat.compacting"; readonly cause: CompactionCause })
  | (RunSignal & Compacted & { readonly name: "chat.compacted" })
  /** The same, asked for and not by a run. */
  | (SignalBase & Compacted & { readonly name: "process.compacted" })
  | (SignalBase & { readonly name: "process.spawn"; readonly label: string | null })
  | (SignalBase & {
      readonly name: "process.state";
      readonly state: State;
      readonly queued: number;
      readonly waitsFor: WaitsFor | null;
    })
  /** A budget that the process spends from is nearly used up; `of` is whose it is, null for its owner's day. */
  | (SignalBase & {
      readonly name: "process.budget";
      readonly of: string | null;
      readonly share: number;
      readonly text: string;
    })
  /** Its agent calls a tool that a client offers: `sys.mcp.answer` answers. */
  | (SignalBase & {
      readonly name: "process.server_call";
      readonly call: string;
      readonly tool: string;
      readonly args: object;
    })
  /** The sender of its session has few credits left, or none: then the process is stopped. */
  | (SignalBase & {
      readonly name: "process.credits";
      readonly wallet: string;
      readonly available: number;
      readonly isExhausted: boolean;
      readonly text: string;
    })
  /** A run ended by a fault and is taken up again then. */
  | (RunSignal & {
      readonly name: "process.restart";
      readonly attempt: number;
      /** How often at most. */
      readonly of: number;
      readonly until: number;
      readonly reason: string;
    })
  /** A run has done nothing for long: it is stopped then, and can be moved to the latest instant at most. */
  | (RunSignal & { readonly name: "process.timeout_warning"; readonly endsAt: number; readonly latest: number })
  /** Something lies in hooks.d that nobody has decided about; told once. */
  | (SignalBase & { readonly name: "process.hook"; readonly hook: string; readonly text: string })
  | (SignalBase & { readonly name: "process.reset"; readonly archive: string | null })
  | (SignalBase & { readonly name: "process.exit"; readonly archive: string | null })
  /** Something was not delivered to this subscriber: read history after `afterSeq` again. */
  | (SignalBase & { readonly name: "resync"; readonly afterSeq: number });

export type SignalName = Signal["name"];

// Written as a table, so that none can be left out.
const NAMED: { readonly [K in SignalName]: true } = {
  "chat.start": true,
  "chat.entered": true,
  "chat.delta": true,
  "chat.text": true,
  "chat.tool_call": true,
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
  "process.budget": true,
  "process.credits": true,
  "process.server_call": true,
  "process.restart": true,
  "process.timeout_warning": true,
  "process.hook": true,
  "process.reset": true,
  "process.exit": true,
  resync: true,
};

export const SIGNAL_NAMES = Object.keys(NAMED) as readonly SignalName[];

export type SignalOf<Name extends SignalName> = Extract<Signal, { readonly name: Name }>;

/** All given parts must match; a name ending in `.*` matches its family. */
export interface SignalFilter {
  readonly pid?: string;
  readonly run?: string;
  readonly names?: readonly string[];
  /** Only runs that this client started. */
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

/** Whether a wish can ever be met: a name that no signal has waits for ever. */
export function namesSignals(wish: string): boolean {
  return SIGNAL_NAMES.some((name) => isOf(wish, name));
}
