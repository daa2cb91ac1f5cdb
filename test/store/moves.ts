// Events of a process, as data that fast-check can draw, shrink and print. Playing decides which of them make sense at
// the moment.

import fc from "fast-check";
import type { ToolOutcome } from "../../src/abi/process/message.ts";
import { normaliseText } from "../../src/abi/process/message.ts";
import type { RunStatus } from "../../src/abi/process/process.ts";

export type Move =
  | {
      readonly do: "send";
      readonly text: string;
      readonly urgent: boolean;
      readonly retry: "no" | "same" | "other";
      /** The silence after which everything starts over. */
      readonly renewsAfter: number | null;
    }
  | { readonly do: "event"; readonly wakes: boolean; readonly source: string | null }
  | { readonly do: "claim" }
  | {
      readonly do: "turn";
      readonly text: string;
      readonly calls: readonly ("read" | "effect" | "resume")[];
      readonly ends: boolean;
    }
  | { readonly do: "begin"; readonly pick: number }
  | { readonly do: "end"; readonly pick: number; readonly outcome: ToolOutcome }
  | { readonly do: "ask"; readonly pick: number }
  | { readonly do: "answer"; readonly decision: "approve" | "deny"; readonly which: "open" | "old" | "none" }
  | { readonly do: "boundary"; readonly enter: boolean }
  | { readonly do: "finish"; readonly status: RunStatus }
  | { readonly do: "retry"; readonly waits: boolean; readonly isPaused: boolean }
  | { readonly do: "late"; readonly pick: number; readonly by: "owner" | "kernel" }
  | { readonly do: "abort"; readonly which: "current" | "any" | "none" | "waiting"; readonly retry: boolean }
  | { readonly do: "setStopped"; readonly stopped: boolean; readonly by: "person" | "kernel"; readonly atOnce: boolean }
  | { readonly do: "restart" }
  | { readonly do: "pause"; readonly isPaused: boolean }
  | { readonly do: "cut"; readonly reason: "reset" | "kill" }
  | { readonly do: "seal" }
  | { readonly do: "compact"; readonly share: number }
  | { readonly do: "undo" }
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
const calls = fc.array(fc.constantFrom<"read" | "effect" | "resume">("read", "effect", "resume"), { maxLength: 3 });
const retry = fc.constantFrom("no", "no", "no", "same", "other");

const rarely = fc.nat({ max: 9 }).map((n) => n === 0);
const seldom = fc.nat({ max: 3 }).map((n) => n === 0);

/** Weighted so that runs make progress: an owner's steps are common; pauses and ends are rare. */
const WEIGHTED: readonly (readonly [number, fc.Arbitrary<Move>])[] = [
  [10, move("send", { text, urgent: rarely, retry, renewsAfter: fc.constantFrom(null, null, null, 1, 5) })],
  [4, move("event", { wakes: fc.boolean(), source: fc.constantFrom(null, "child:a", "child:b") })],
  [16, move("claim", {})],
  [18, move("turn", { text, calls, ends: seldom })],
  [12, move("begin", { pick })],
  [12, move("end", { pick, outcome })],
  [6, move("ask", { pick })],
  [
    8,
    move("answer", {
      decision: fc.constantFrom("approve", "deny"),
      which: fc.constantFrom("open", "open", "old", "none"),
    }),
  ],
  [8, move("boundary", { enter: fc.boolean() })],
  [2, move("finish", { status: fc.constantFrom("error", "limit", "unavailable", "blocked") })],
  [3, move("retry", { waits: fc.boolean(), isPaused: seldom })],
  [5, move("late", { pick, by: fc.constantFrom("owner", "kernel") })],
  [2, move("abort", { which: fc.constantFrom("current", "any", "none", "waiting"), retry: fc.boolean() })],
  [5, move("setStopped", { stopped: seldom, by: fc.constantFrom("person", "kernel"), atOnce: fc.boolean() })],
  [1, move("restart", {})],
  [4, move("pause", { isPaused: seldom })],
  [2, move("cut", { reason: fc.constantFrom("reset", "reset", "reset", "kill") })],
  [4, move("seal", {})],
  [4, move("compact", { share: fc.nat({ max: 9 }) })],
  [2, move("undo", {})],
  [5, move("kernel", {})],
  [2, rarely.chain((fails) => (fails ? move("fail", {}) : move("claim", {})))],
  [2, move("project", {})],
  [1, move("day", {})],
];

export const MOVE: fc.Arbitrary<Move> = fc.oneof(...WEIGHTED.map(([weight, arbitrary]) => ({ weight, arbitrary })));
