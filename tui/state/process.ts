// The attached process, its conversation, and background jobs.

import type { Mode } from "../../src/abi/policy.ts";
import type { State as ProcessState, WaitsFor } from "../../src/abi/process/process.ts";
import type { FailureClass } from "../../src/abi/stream.ts";

/** What happens to a message that is sent during a run: it enters at the next step, waits for the end of the run, or ends the run. */
export type Fate = "next" | "after" | "now";

/** A message of this terminal that no run has taken yet. */
export interface Waiting {
  readonly key: string;
  readonly text: string;
  readonly fate: Fate;
  readonly runId: string | null;
}

export interface ActiveRun {
  readonly runId: string;
  readonly doing: "thinking" | "writing" | "tool";
  readonly what: string;
  readonly since: number;
  readonly sinceDoing: number;
  readonly chars: number;
}

export const NEW_RUN: ActiveRun = { runId: "", doing: "thinking", what: "", since: 0, sinceDoing: 0, chars: 0 };

export interface Context {
  readonly tokens: number;
  readonly windowTokens: number;
  readonly compactsAtTokens: number;
}

/** A text that the transcript shows as one line; ctrl-o opens it. */
export interface Collapsed {
  readonly title: string;
  readonly text: string;
}

export interface OpenCall {
  readonly tool: string;
  readonly args: object;
  readonly at: number;
}

export interface Attachment {
  readonly pid: string;
  readonly label: string | null;
  readonly readOnly: boolean;
  readonly model: string | null;
  readonly state: ProcessState;
  readonly waitsFor: WaitsFor | null;
  readonly stateSince: number;
  readonly context: Context | null;
  /** The model that answers instead of another one, and why. */
  readonly standIn: { readonly of: string; readonly model: string; readonly class: FailureClass | null } | null;
  readonly costUsd: number;
  readonly mode: Mode;
}

export function newAttachment(pid: string): Attachment {
  return {
    pid,
    label: null,
    readOnly: false,
    model: null,
    state: "idle",
    waitsFor: null,
    stateSince: 0,
    context: null,
    standIn: null,
    costUsd: 0,
    mode: "ask",
  };
}

export interface Conversation {
  readonly run: ActiveRun | null;
  readonly calls: { readonly [callId: string]: OpenCall };
  readonly thinking: { readonly text: string; readonly since: number } | null;
  readonly waiting: readonly Waiting[];
  /** For the next message during the run. */
  readonly fate: Fate;
  readonly collapsed: readonly Collapsed[];
  /** The text that ctrl-o opened last, counted from the newest. */
  readonly opened: number | null;
}

export const NEW_CHAT: Conversation = {
  run: null,
  calls: {},
  thinking: null,
  waiting: [],
  fate: "next",
  collapsed: [],
  opened: null,
};

/** A process that runs in the background of the line, or a stopped line of this computer. */
export type Job = { readonly number: number; readonly text: string } & (
  | { readonly pid: string }
  | { readonly pid: null; readonly stopped: number }
);

export interface EndedJob {
  readonly pid: string;
  readonly status: string;
}

export interface Jobs {
  readonly jobs: readonly Job[];
  /** Recent ends of other processes: a task may end before its start is known here. */
  readonly ends: readonly EndedJob[];
  /** The person knows that leaving ends the stopped lines. */
  readonly isWarned: boolean;
}
