// The states of a process and their transitions, as one pure table. An event that a state does not list is a broken
// invariant. `rest` is the state that follows from the facts: a stop or a pause wins over work.

import type { State } from "./process.ts";

export type StateEvent =
  | "admit" // a message that wakes entered the queue
  | "claim" // a run starts or resumes
  | "tools" // a tool call starts
  | "results" // the calls of a turn have their results
  | "ask" // an approval is needed
  | "answer" // a person answered
  | "end" // the run is over
  | "stop" // a person stops the process
  | "cont" // and ends that
  | "pause" // the kernel pauses it
  | "release" // and ends that
  | "leave" // the run steps aside at a safe point, or its next call waits for an answer
  | "reset" // the history is archived; this also ends an error
  | "fail" // the database or an invariant is broken
  | "recover"; // a new kernel took over

export interface Facts {
  readonly stopped: boolean;
  readonly paused: boolean;
  /** The next call of the run waits for an answer. */
  readonly asking: boolean;
  readonly openRun: boolean;
  /** The queue has messages that start a run. */
  readonly waking: boolean;
}

type Target = State | "rest";

// Possible in every state except error, which only a reset ends.
const ALWAYS = { end: "rest", pause: "rest", recover: "rest", reset: "rest", fail: "error" } as const;
// A run may still be active when its process is stopped or paused: it continues to its next safe point.
const HELD = { ...ALWAYS, answer: "rest", ask: "rest", leave: "rest" } as const;

// A run in flight is stopped at its next safe point, so a stop changes nothing yet.
const ACTIVE = {
  ...ALWAYS,
  claim: "running",
  tools: "waiting_tool",
  results: "running",
  ask: "rest",
  leave: "rest",
} as const;

const TABLE: { readonly [S in State]: { readonly [E in StateEvent]?: Target } } = {
  idle: { ...ALWAYS, admit: "rest", stop: "stopped", cont: "rest", release: "rest" },
  queued: { ...ALWAYS, admit: "rest", claim: "running", stop: "stopped", cont: "rest", release: "rest" },
  // A request of a later call may be answered while an earlier call runs.
  running: { ...ACTIVE, admit: "running", answer: "running", stop: "running", cont: "running", release: "running" },
  waiting_tool: {
    ...ACTIVE,
    admit: "waiting_tool",
    answer: "waiting_tool",
    stop: "waiting_tool",
    cont: "waiting_tool",
    release: "waiting_tool",
  },
  waiting_hil: {
    ...ALWAYS,
    admit: "waiting_hil",
    answer: "rest",
    stop: "stopped",
    cont: "waiting_hil",
    release: "waiting_hil",
    leave: "rest",
  },
  paused: { ...HELD, admit: "paused", tools: "paused", stop: "stopped", cont: "rest", release: "rest" },
  stopped: { ...HELD, admit: "stopped", tools: "stopped", stop: "stopped", cont: "rest", release: "stopped" },
  error: {
    end: "error",
    reset: "rest",
    fail: "error",
    answer: "error",
    recover: "error",
    admit: "error",
    stop: "error",
    cont: "error",
    release: "error",
    pause: "error",
  },
};

export function nextState(state: State, event: StateEvent, facts: Facts): State {
  const target = TABLE[state][event];
  if (target === undefined) throw new Error(`a process that is ${state} cannot ${event}`);
  return target === "rest" ? restingState(facts) : target;
}

function restingState(facts: Facts): State {
  if (facts.stopped) return "stopped";
  if (facts.paused) return "paused";
  if (facts.asking) return "waiting_hil";
  if (facts.openRun) return "running";
  return facts.waking ? "queued" : "idle";
}
