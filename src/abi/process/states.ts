// The states of a process and every way from one to another, as one pure table. An event that a state does not list is a broken
// invariant. `rest` is wherever the facts say the process comes to rest: what holds it wins over what it has to do.

import type { State } from "./process.ts";

export type StateEvent =
  | "admit" // a message that wakes entered the queue
  | "claim" // a run begins or is taken up again
  | "tools" // a tool call starts
  | "results" // the calls of a turn have their results
  | "ask" // an approval is needed
  | "answer" // a person answered
  | "end" // the run is over, however it ended
  | "stop" // a person holds the process
  | "cont" // and lets go
  | "pause" // the kernel holds it
  | "release" // and lets go
  | "leave" // the run steps aside at a safe point
  | "reset" // the line is drawn: what is above it is over, damage included
  | "fail" // the database or an invariant is broken
  | "recover"; // a kernel took the process over

export interface Facts {
  readonly stopped: boolean;
  readonly paused: boolean;
  readonly asking: boolean;
  readonly openRun: boolean;
  /** Messages wait that start a run. */
  readonly waking: boolean;
}

type Target = State | "rest";

// Possible everywhere but in error, which only a reset ends.
const ALWAYS = { end: "rest", pause: "rest", recover: "rest", reset: "rest", fail: "error" } as const;
// A run may still be in flight when something begins to hold its process: it goes on to its next safe point.
const HELD = { ...ALWAYS, answer: "rest", ask: "rest", leave: "rest" } as const;

const TABLE: { readonly [S in State]: { readonly [E in StateEvent]?: Target } } = {
  idle: { ...ALWAYS, admit: "rest", stop: "stopped", cont: "rest", release: "rest" },
  queued: { ...ALWAYS, admit: "rest", claim: "running", stop: "stopped", cont: "rest", release: "rest" },
  // A run in flight is stopped at its next safe point, so a stop changes nothing yet.
  running: {
    ...ALWAYS,
    admit: "running",
    claim: "running",
    tools: "waiting_tool",
    results: "running",
    ask: "rest",
    stop: "running",
    cont: "running",
    release: "running",
    leave: "rest",
  },
  waiting_tool: {
    ...ALWAYS,
    admit: "waiting_tool",
    claim: "running",
    tools: "waiting_tool",
    results: "running",
    ask: "rest",
    stop: "waiting_tool",
    cont: "waiting_tool",
    release: "waiting_tool",
    leave: "rest",
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
