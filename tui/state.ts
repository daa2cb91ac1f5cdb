// What the terminal knows and is about to show, as one value: `reduce` makes the next one of it, views draw it, nothing else keeps any.

import type { Approval, State as ProcessState, WaitsFor } from "../src/abi/process.ts";
import type { Signal } from "../src/abi/signal.ts";
import type { Answer } from "../src/syscalls/approval-service.ts";
import { type Editing, EMPTY } from "./editor.ts";
import type { Job } from "./jobs.ts";
import type { Typed } from "./keys.ts";
import type { Picker } from "./picker.ts";
import type { View, ViewEffect, ViewNews } from "./views.ts";

export interface Who {
  readonly username: string;
  readonly uid: number;
  readonly home: string;
}

/** A message of this terminal that no run has taken up yet. */
export interface Waiting {
  readonly key: string;
  readonly text: string;
  readonly runId: string | null;
}

export interface Running {
  readonly runId: string;
  readonly doing: "thinking" | "writing" | "tool";
  /** Of a tool, what it was asked. */
  readonly what: string;
  readonly since: number;
  readonly chars: number;
}

/** An approval or question that waits for an answer. */
export interface Ask
  extends Pick<Approval, "id" | "kind" | "pid" | "tool" | "call" | "why" | "about" | "hash" | "expiresAt"> {
  readonly args: object;
  /** On screen since then: keys of the first moments were meant for something else. */
  readonly since: number;
}

export interface Search {
  readonly words: string;
  /** Which of the lines that match, counted from the newest. */
  readonly nth: number;
  readonly before: Editing;
}

export interface State {
  readonly who: Who;
  readonly pid: string;
  readonly cwd: string;
  readonly model: string | null;
  readonly state: ProcessState;
  readonly waitsFor: WaitsFor | null;
  readonly input: Editing;
  /** Which language the line is in, whatever it looks like. */
  readonly pinned: "chat" | "shell" | null;
  readonly lines: readonly string[];
  /** Which of them stands in the input, and what stood there before. */
  readonly recalled: { readonly at: number; readonly draft: Editing } | null;
  readonly search: Search | null;
  readonly run: Running | null;
  /** Calls of the run that have no result yet. */
  readonly calls: { readonly [callId: string]: { readonly args: object; readonly at: number } };
  readonly waiting: readonly Waiting[];
  readonly asks: readonly Ask[];
  /** Tab gave the keys to the card although a line is half typed. */
  readonly answering: boolean;
  readonly costUsd: number;
  readonly notice: { readonly text: string; readonly until: number } | null;
  /** The last output of a tool, for ctrl-o. */
  readonly lastOutput: string | null;
  readonly keysShown: boolean;
  /** Processes that were started or left behind from here. */
  readonly jobs: readonly Job[];
  /** What the word at the cursor can become, until the next key. */
  readonly candidates: readonly string[];
  /** A view that has the whole screen. */
  readonly view: View | null;
  /** A list above the line that has the keys. */
  readonly picker: Picker | null;
  /** Which colours were chosen. */
  readonly theme: string;
  /** One looks and says nothing. */
  readonly readOnly: boolean;
}

export type Happening =
  | { readonly type: "typed"; readonly typed: Typed; readonly at: number }
  | { readonly type: "signal"; readonly signal: Signal; readonly at: number }
  | { readonly type: "sent"; readonly key: string; readonly runId: string }
  | { readonly type: "answered"; readonly key: string; readonly text: string }
  | { readonly type: "refused"; readonly key: string; readonly message: string; readonly why: string }
  | {
      readonly type: "known";
      readonly state: ProcessState;
      readonly waitsFor: WaitsFor | null;
      readonly model: string | null;
    }
  | { readonly type: "asked"; readonly asks: readonly Ask[] }
  | { readonly type: "stood"; readonly cwd: string }
  | { readonly type: "written"; readonly text: string }
  | { readonly type: "attached"; readonly pid: string; readonly readOnly: boolean }
  | { readonly type: "themed"; readonly theme: string }
  /** A task has begun with what was asked. */
  | { readonly type: "behind"; readonly pid: string; readonly text: string }
  | { readonly type: "completed"; readonly of: Editing; readonly from: number; readonly candidates: readonly string[] }
  | ViewNews
  | { readonly type: "told"; readonly text: string; readonly at: number };

/** What becomes part of the transcript. */
export type Entry =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "ran"; readonly text: string; readonly host: boolean }
  | { readonly kind: "grows"; readonly turn: number; readonly text: string }
  | { readonly kind: "thinks"; readonly turn: number; readonly text: string }
  | { readonly kind: "text"; readonly turn: number; readonly text: string }
  | { readonly kind: "again"; readonly reason: string }
  | {
      readonly kind: "result";
      readonly tool: string;
      readonly args: object;
      readonly ok: boolean;
      readonly output: string;
      readonly tookMs: number | null;
    }
  | { readonly kind: "decided"; readonly ask: Ask; readonly decision: string; readonly by: string | null }
  | { readonly kind: "ended"; readonly status: string; readonly error: string | null }
  | { readonly kind: "note"; readonly text: string }
  /** Of the terminal's own making. */
  | { readonly kind: "lines"; readonly lines: readonly string[] };

export type Effect =
  | { readonly do: "print"; readonly entry: Entry }
  | { readonly do: "send"; readonly key: string; readonly text: string; readonly interrupt: boolean }
  | { readonly do: "withdraw"; readonly runId: string }
  | { readonly do: "stop" }
  | { readonly do: "answer"; readonly answer: Answer }
  | { readonly do: "run"; readonly text: string; readonly host: boolean }
  | { readonly do: "remember"; readonly line: string }
  | { readonly do: "catch-up"; readonly afterSeq: number }
  | { readonly do: "edit"; readonly text: string }
  | { readonly do: "complete"; readonly of: Editing }
  | { readonly do: "new" }
  /** A task of its own, that nobody listens to, for what is asked. */
  | { readonly do: "background"; readonly text: string }
  | { readonly do: "jobs" }
  | ViewEffect
  | { readonly do: "attach"; readonly pid: string; readonly readOnly?: boolean }
  /** The one that did something last, or the one before. */
  | { readonly do: "go"; readonly nth: number }
  | { readonly do: "signal"; readonly pid: string; readonly signal: "STOP" | "CONT" }
  | { readonly do: "end"; readonly pid: string }
  | { readonly do: "stop-run"; readonly pid: string }
  | { readonly do: "suspend" }
  | { readonly do: "push-up" }
  | { readonly do: "leave" };

export interface Reduced {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export function initialState(about: Pick<State, "who" | "pid" | "lines">): State {
  return {
    ...about,
    cwd: about.who.home,
    model: null,
    state: "idle",
    waitsFor: null,
    input: EMPTY,
    pinned: null,
    recalled: null,
    search: null,
    run: null,
    calls: {},
    waiting: [],
    asks: [],
    answering: false,
    costUsd: 0,
    notice: null,
    lastOutput: null,
    keysShown: false,
    jobs: [],
    candidates: [],
    view: null,
    picker: null,
    theme: "auto",
    readOnly: false,
  };
}
