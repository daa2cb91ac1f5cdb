// The table of states, written again independently: for every state and event whether it is allowed, and the next state of rest.
// Priority: a person's stop, then the kernel's pause, then a question, then a run, then a waiting message.

import { describe, expect, test } from "bun:test";
import { STATES, type State } from "../../src/abi/process/process.ts";
import { type Facts, nextState, type StateEvent } from "../../src/abi/process/states.ts";

// In the order of EVENTS: "-" is refused, "=" keeps the state, "~" goes to rest, a word is the next state.
const EVENTS: readonly StateEvent[] = [
  ...(["admit", "claim", "tools", "results", "ask", "answer", "end"] as const),
  ...(["stop", "cont", "pause", "release", "leave", "reset", "fail", "recover"] as const),
];
const EXPECTED: { readonly [S in State]: string } = {
  idle: "~ - - - - - ~ stopped ~ ~ ~ - ~ error ~",
  queued: "~ running - - - - ~ stopped ~ ~ ~ - ~ error ~",
  running: "= = waiting_tool = ~ = ~ = = ~ = ~ ~ error ~",
  waiting_tool: "= running = running ~ = ~ = = ~ = ~ ~ error ~",
  waiting_hil: "= - - - - ~ ~ stopped = ~ = ~ ~ error ~",
  paused: "= - = - ~ ~ ~ stopped ~ ~ ~ ~ ~ error ~",
  stopped: "= - = - ~ ~ ~ = ~ ~ = ~ ~ error ~",
  error: "= - - - - = = = = = = - ~ = =",
};

const NOTHING: Facts = { stopped: false, paused: false, asking: false, openRun: false, waking: false };
const ALL_FACTS: readonly Facts[] = Array.from({ length: 32 }, (_, bits) => ({
  stopped: (bits & 16) !== 0,
  paused: (bits & 8) !== 0,
  asking: (bits & 4) !== 0,
  openRun: (bits & 2) !== 0,
  waking: (bits & 1) !== 0,
}));

/** A hold wins over work. */
function restingState(facts: Facts): State {
  if (facts.stopped) return "stopped";
  if (facts.paused) return "paused";
  if (facts.asking) return "waiting_hil";
  if (facts.openRun) return "running";
  return facts.waking ? "queued" : "idle";
}

function outcomeOf(state: State, event: StateEvent, facts: Facts): State | null {
  try {
    return nextState(state, event, facts);
  } catch {
    return null;
  }
}

function expectedOf(word: string, state: State, facts: Facts): State | null {
  if (word === "-") return null;
  if (word === "=") return state;
  return word === "~" ? restingState(facts) : (word as State);
}

describe("every state and every event", () => {
  for (const state of STATES) {
    test(`a process that is ${state} follows the table, and refuses the rest, whatever the facts`, () => {
      const words = EXPECTED[state].split(" ");
      expect(words).toHaveLength(EVENTS.length);
      for (const facts of ALL_FACTS) {
        const outcomes = EVENTS.map((event) => `${event}: ${outcomeOf(state, event, facts)}`);
        expect(outcomes).toEqual(EVENTS.map((event, at) => `${event}: ${expectedOf(words[at] ?? "", state, facts)}`));
      }
    });
  }
});

test("a refusal contains the state and the event", () => {
  expect(() => nextState("idle", "tools", NOTHING)).toThrow("a process that is idle cannot tools");
});

test("no event makes a held process work", () => {
  for (const held of ["stopped", "paused"] as const) {
    for (const event of EVENTS) {
      const outcome = outcomeOf(held, event, { ...NOTHING, [held]: true, openRun: true, waking: true });
      expect(["running", "waiting_tool", "queued"]).not.toContain(String(outcome));
    }
  }
});

test("only a reset ends an error", () => {
  for (const facts of ALL_FACTS) {
    const ways = EVENTS.filter((event) => ![null, "error"].includes(outcomeOf("error", event, facts)));
    expect(ways).toEqual(["reset"]);
  }
});

test("a claim starts work only if a message waits or a run was in flight", () => {
  const from = STATES.filter((state) => outcomeOf(state, "claim", NOTHING) !== null);
  expect(from).toEqual(["queued", "running", "waiting_tool"]);
});

test("every state can be reached from idle", () => {
  const reached = new Set<State>(["idle"]);
  for (const state of reached) {
    for (const event of EVENTS) {
      for (const facts of ALL_FACTS) {
        const next = outcomeOf(state, event, facts);
        if (next !== null) reached.add(next);
      }
    }
  }
  expect([...reached].toSorted()).toEqual([...STATES].toSorted());
});
