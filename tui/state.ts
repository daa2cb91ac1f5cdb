// What the terminal knows and is about to show, as one value: `reduce` makes the next one of it, views draw it, nothing else keeps any.

import type { Approval, State as ProcessState, Usage, WaitsFor } from "../src/abi/process/process.ts";
import type { Signal } from "../src/abi/signal.ts";
import type { FailureClass } from "../src/abi/stream.ts";
import type { Answer } from "../src/syscalls/approval/approval-service.ts";
import type { Card } from "./cards/cards.ts";
import type { Chosen } from "./cards/chosen-answer.ts";
import { type Editing, EMPTY } from "./line/editor.ts";
import type { Past } from "./line/history.ts";
import type { Typed } from "./line/keys.ts";
import type { Search } from "./line/search.ts";
import type { Fold } from "./talk/collapsed.ts";
import type { Ended, Job } from "./talk/jobs.ts";
import type { Picker } from "./views/picker.ts";
import type { View, ViewEffect, ViewNews } from "./views/views.ts";

export interface Who {
  readonly username: string;
  readonly uid: number;
  readonly home: string;
}

/** What becomes of a message while a run goes on: it enters at the next step, it is kept back until the run is over, it ends the run. */
export type Fate = "next" | "after" | "now";

/** A message of this terminal that no run has taken up yet. */
export interface Waiting {
  readonly key: string;
  readonly text: string;
  readonly fate: Fate;
  readonly runId: string | null;
}

export interface Running {
  readonly runId: string;
  readonly doing: "thinking" | "writing" | "tool";
  /** Of a tool, what it was asked. */
  readonly what: string;
  readonly since: number;
  /** Of what it does now. */
  readonly sinceDoing: number;
  readonly chars: number;
}

export interface Thinking {
  readonly text: string;
  readonly since: number;
}

/** How full the window of the model is. */
export interface Context {
  readonly tokens: number;
  readonly windowTokens: number;
  readonly compactsAtTokens: number;
}

/** An approval or question that waits for an answer. */
export interface Ask
  extends Pick<Approval, "id" | "kind" | "pid" | "tool" | "call" | "why" | "about" | "hash" | "expiresAt"> {
  readonly args: object;
  /** Asked then. */
  readonly since: number;
  /** Too long for a list, and cut. */
  readonly inPart?: boolean;
  /** What this terminal said to it: the answer, or why not. */
  readonly answered?: string;
  /** This terminal has answered it. */
  readonly isOurs?: true;
}

/** What the word at the cursor can become. */
export interface Menu {
  /** Where the word begins. */
  readonly from: number;
  readonly candidates: readonly Candidate[];
  /** The one that stands in the line. */
  readonly at: number | null;
}

export interface Candidate {
  readonly text: string;
  readonly note: string;
}

export interface State {
  readonly who: Who;
  readonly pid: string;
  readonly cwd: string;
  readonly model: string | null;
  readonly state: ProcessState;
  readonly waitsFor: WaitsFor | null;
  /** In that state since then. */
  readonly stateSince: number;
  readonly context: Context | null;
  /** Who answers in the place of another, and why. */
  readonly standIn: { readonly of: string; readonly model: string; readonly class: FailureClass | null } | null;
  readonly input: Editing;
  /** Which language the line is in, whatever it looks like. */
  readonly pinned: "chat" | "shell" | null;
  readonly past: readonly Past[];
  /** Which of it stands in the input, and what stood there before. */
  readonly recalled: { readonly at: number; readonly draft: Editing } | null;
  readonly search: Search | null;
  readonly run: Running | null;
  /** Calls of the run that have no result yet. */
  readonly calls: { readonly [callId: string]: { readonly tool: string; readonly args: object; readonly at: number } };
  readonly thinking: Thinking | null;
  readonly waiting: readonly Waiting[];
  /** Of the next message that is sent while a run goes on. */
  readonly fate: Fate;
  /** A key of what holds the process was just pressed; more of a word may follow. */
  readonly hot: { readonly letter: string; readonly at: number } | null;
  readonly asks: readonly Ask[];
  readonly card: Card | null;
  /** An answer that was just pressed, and may be the beginning of a text. */
  readonly chosen: Chosen | null;
  /** Tab gave the keys to the card although a line is half typed. */
  readonly answering: boolean;
  /** The line that is typed is for this approval or question: why not, or the answer. */
  readonly replying: string | null;
  readonly costUsd: number;
  /** Goes with the next key, unless it is news: then with the next line, or in time. */
  readonly notice: { readonly text: string; readonly until: number; readonly isNews?: true } | null;
  /** What is shown in one line, whole, for ctrl-o; and which of it was opened last, counted from the newest. */
  readonly folds: readonly Fold[];
  readonly opened: number | null;
  readonly keysShown: boolean;
  /** Processes that were started or left behind from here. */
  readonly jobs: readonly Job[];
  /** The last ends of processes that are no jobs: a task may be done before it is known that it began. */
  readonly ends: readonly Ended[];
  /** What the word at the cursor can become, until the next key. */
  readonly menu: Menu | null;
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
      readonly costUsd?: number;
      readonly folds?: readonly Fold[];
      /** The run that goes on, and what it waits for. */
      readonly activeRunId?: string | null;
      readonly calls?: State["calls"];
    }
  /** Nothing followed the answer that was pressed then. */
  | { readonly type: "unfollowed"; readonly since: number }
  | { readonly type: "filled"; readonly context: Context | null }
  | { readonly type: "asked"; readonly asks: readonly Ask[] }
  /** A line of the shell is over. */
  | { readonly type: "stood"; readonly cwd: string; readonly entry: Past | null }
  | { readonly type: "written"; readonly text: string }
  /** What had the screen is gone. */
  | { readonly type: "seen" }
  | { readonly type: "attached"; readonly pid: string; readonly readOnly: boolean }
  /** A task has begun with what was asked. */
  | { readonly type: "behind"; readonly pid: string; readonly text: string }
  | { readonly type: "themed"; readonly theme: string }
  | {
      readonly type: "completed";
      readonly of: Editing;
      readonly from: number;
      readonly candidates: readonly Candidate[];
    }
  | ViewNews
  | { readonly type: "told"; readonly text: string; readonly at: number };

/** What becomes part of the transcript. */
export type Entry =
  | { readonly kind: "said"; readonly text: string }
  | { readonly kind: "ran"; readonly text: string; readonly host: boolean }
  | { readonly kind: "grows"; readonly turn: number; readonly text: string }
  /** Thinking that is over; how long it took, where that is known. */
  | { readonly kind: "thought"; readonly tookMs: number | null }
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
  | {
      readonly kind: "ended";
      readonly status: string;
      readonly error: string | null;
      readonly tookMs: number | null;
      readonly usage: Usage;
    }
  | { readonly kind: "note"; readonly text: string }
  /** Of the terminal's own making. */
  | { readonly kind: "lines"; readonly lines: readonly string[] };

export type Effect =
  | { readonly do: "print"; readonly entry: Entry }
  | {
      readonly do: "send";
      readonly pid: string;
      readonly key: string;
      readonly text: string;
      readonly interrupt: boolean;
    }
  | { readonly do: "withdraw"; readonly runId: string }
  | { readonly do: "stop" }
  /** How full the window is. */
  | { readonly do: "measure" }
  | { readonly do: "answer"; readonly answer: Answer }
  /** What was pressed then is the answer if nothing follows. */
  | { readonly do: "let-stand"; readonly since: number }
  /** All of it, read. */
  | { readonly do: "show-ask"; readonly id: string }
  /** Changed in an editor, and allowed so. */
  | { readonly do: "edit-ask"; readonly id: string }
  | { readonly do: "run"; readonly text: string; readonly host: boolean; readonly entry: Past | null }
  | { readonly do: "remember"; readonly entry: Past }
  | { readonly do: "catch-up"; readonly afterSeq: number }
  | { readonly do: "edit"; readonly text: string }
  | { readonly do: "complete"; readonly of: Editing }
  /** With what `spawn` takes, or with what is asked of it. */
  | { readonly do: "new"; readonly rest?: string }
  /** A task of its own, that nobody listens to, for what is asked. */
  | { readonly do: "background"; readonly text: string }
  | { readonly do: "jobs" }
  /** `text` names processes where the line named jobs. */
  | { readonly do: "kill-jobs"; readonly text: string }
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

export function initialState(about: Pick<State, "who" | "pid" | "past">): State {
  return {
    ...about,
    cwd: about.who.home,
    model: null,
    state: "idle",
    waitsFor: null,
    stateSince: 0,
    context: null,
    standIn: null,
    input: EMPTY,
    pinned: null,
    recalled: null,
    search: null,
    run: null,
    calls: {},
    thinking: null,
    waiting: [],
    fate: "next",
    hot: null,
    asks: [],
    card: null,
    chosen: null,
    answering: false,
    replying: null,
    costUsd: 0,
    notice: null,
    folds: [],
    opened: null,
    keysShown: false,
    jobs: [],
    ends: [],
    menu: null,
    view: null,
    picker: null,
    theme: "auto",
    readOnly: false,
  };
}
