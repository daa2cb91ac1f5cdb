// What may happen to a process, as data that fast-check can draw, shrink and print. Which of it makes sense at the moment is decided
// when it is played.

import fc from "fast-check";
import type { ToolOutcome } from "../../src/abi/message.ts";
import { normaliseText } from "../../src/abi/message.ts";
import type { RunStatus } from "../../src/abi/process.ts";

export type Move =
  | { readonly do: "send"; readonly text: string; readonly urgent: boolean; readonly retry: "no" | "same" | "other" }
  | { readonly do: "event"; readonly wakes: boolean; readonly source: string | null }
  | { readonly do: "claim" }
  | { readonly do: "turn"; readonly text: string; readonly calls: readonly ("read" | "effect")[]; readonly ends: boolean }
  | { readonly do: "begin"; readonly pick: number }
  | { readonly do: "end"; readonly pick: number; readonly outcome: ToolOutcome }
  | { readonly do: "ask"; readonly pick: number }
  | { readonly do: "answer"; readonly decision: "approve" | "deny"; readonly which: "open" | "old" | "none" }
  | { readonly do: "boundary"; readonly enter: boolean }
  | { readonly do: "finish"; readonly status: RunStatus }
  | { readonly do: "late"; readonly pick: number; readonly by: "owner" | "kernel" }
  | { readonly do: "abort"; readonly which: "current" | "any" | "none"; readonly retry: boolean }
  | { readonly do: "hold"; readonly stopped: boolean }
  | { readonly do: "pause"; readonly held: boolean }
  | { readonly do: "cut"; readonly reason: "reset" | "kill" }
  | { readonly do: "seal" }
  | { readonly do: "kernel" }
  | { readonly do: "fail" }
  | { readonly do: "project" }
  | { readonly do: "day" };

const text = fc.string({ unit: "binary", maxLength: 12 }).map(normaliseText);
const pick = fc.nat({ max: 7 });

function move<D extends Move["do"]>(
  name: D,
  fields: { readonly [K in keyof Omit<Extract<Move, { do: D }>, "do">]: fc.Arbitrary<Extract<Move, { do: D }>[K]> },
): fc.Arbitrary<Move> {
  return fc.record({ do: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<Move>;
}

const outcome = fc.constantFrom<ToolOutcome>("completed", "completed", "failed", "denied", "cancelled", "unknown");
const calls = fc.array(fc.constantFrom<"read" | "effect">("read", "effect"), { maxLength: 3 });
const retry = fc.constantFrom("no" as const, "no" as const, "no" as const, "same" as const, "other" as const);

/** Weighted so that runs get somewhere: an owner's steps are common, what ends everything is rare. */
export const MOVE: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: move("send", { text, urgent: fc.nat(9).map((n) => n === 0), retry }) },
  {
    weight: 4,
    arbitrary: move("event", { wakes: fc.boolean(), source: fc.constantFrom(null, "child:a", "child:b") }),
  },
  { weight: 14, arbitrary: move("claim", {}) },
  { weight: 14, arbitrary: move("turn", { text, calls, ends: fc.boolean() }) },
  { weight: 10, arbitrary: move("begin", { pick }) },
  { weight: 10, arbitrary: move("end", { pick, outcome }) },
  { weight: 5, arbitrary: move("ask", { pick }) },
  {
    weight: 6,
    arbitrary: move("answer", {
      decision: fc.constantFrom("approve" as const, "deny" as const),
      which: fc.constantFrom("open" as const, "open" as const, "old" as const, "none" as const),
    }),
  },
  { weight: 8, arbitrary: move("boundary", { enter: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: move("finish", { status: fc.constantFrom<RunStatus>("error", "limit", "unavailable", "blocked") }),
  },
  { weight: 6, arbitrary: move("late", { pick, by: fc.constantFrom("owner" as const, "kernel" as const) }) },
  {
    weight: 3,
    arbitrary: move("abort", {
      which: fc.constantFrom("current" as const, "any" as const, "none" as const),
      retry: fc.boolean(),
    }),
  },
  { weight: 5, arbitrary: move("hold", { stopped: fc.boolean() }) },
  { weight: 4, arbitrary: move("pause", { held: fc.boolean() }) },
  { weight: 2, arbitrary: move("cut", { reason: fc.constantFrom("reset" as const, "reset" as const, "kill" as const) }) },
  { weight: 4, arbitrary: move("seal", {}) },
  { weight: 5, arbitrary: move("kernel", {}) },
  { weight: 1, arbitrary: move("fail", {}) },
  { weight: 2, arbitrary: move("project", {}) },
  { weight: 1, arbitrary: move("day", {}) },
);
