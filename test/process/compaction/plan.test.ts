// Cut points for any history that a run can leave: parallel calls, cut-off runs, messages in between. The rest is legal for every model,
// and the same cut is not made twice.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Message } from "../../../src/abi/process/message.ts";
import { NO_USAGE } from "../../../src/abi/process/process.ts";
import type { Segment } from "../../../src/abi/process/segment.ts";
import { loadOf, planCut } from "../../../src/process/history/compaction/plan.ts";
import { rulesFor, tokensOf } from "../../../src/process/history/compaction/rules.ts";
import { legalEnd } from "../../../src/process/history/history-end.ts";
import { conversationTurns } from "../../../src/providers/conversation.ts";
import type { ContextShape } from "../../../src/store/process/verbs.ts";
import { messagesOf } from "../../providers/requests.ts";
import { samples } from "../../support/soak.ts";

type Said = Parameters<typeof messagesOf>[0][number];

const OPTIONS = { seed: samples(11, Date.now() % 2 ** 31), numRuns: samples(400, 20_000) };
let calls = 0;

const text = fc.string({ maxLength: 40 });
/** A turn with its calls and all their results, of any outcome. */
const turn: fc.Arbitrary<readonly Said[]> = fc
  .record({ text, results: fc.array(fc.record({ text, isCut: fc.boolean() }), { maxLength: 4 }) })
  .map(({ text: said, results }) => {
    const made = results.map((result) => ({ ...result, id: `c${++calls}` }));
    return [
      { assistant: said || "so", calls: made.map(({ id }) => ({ id, name: "Read", args: {} })) },
      ...made.map(({ id, text: output, isCut }): Said => {
        return { result: output, of: id, tool: "Read", outcome: isCut ? "cancelled" : "completed" };
      }),
    ];
  });
const between: fc.Arbitrary<readonly Said[]> = fc.array(
  fc.oneof(
    text.map((user) => ({ user })),
    text.map((event) => ({ event })),
  ),
  { minLength: 0, maxLength: 3 },
);
const history: fc.Arbitrary<Message[]> = fc
  .array(fc.tuple(between, turn), { minLength: 1, maxLength: 8 })
  .chain((parts) => between.map((last) => messagesOf([{ user: "begin" }, ...parts.flat(2), ...last])));
const keep = fc.record({
  messages: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(Number.POSITIVE_INFINITY)),
  tokens: fc.integer({ min: 0, max: 400 }),
});

interface Told {
  readonly all: readonly Message[];
  readonly segment: Segment | null;
}

function shapeOf({ all, segment }: Told): ContextShape {
  const rows = all.filter(({ id }) => id > (segment?.toSeq ?? 0));
  const sized = rows.map((message) => ({ seq: message.id, role: message.role, bytes: bytesOf(message) }));
  return { generation: 1, segment, summaryBytes: segment === null ? 0 : 60, rows: sized, isWhole: true, counted: null };
}

function bytesOf({ content }: Message): number {
  return Buffer.byteLength(typeof content === "string" ? content : JSON.stringify(content));
}

function compacted(told: Told, toSeq: number): Told {
  const segment = { id: (told.segment?.id ?? 0) + 1, fromSeq: (told.segment?.toSeq ?? 0) + 1, toSeq, summarySeq: 9999 };
  const about = { cause: "asked", model: null, tokensBefore: 0, tokensAfter: 0, createdAt: 0, undoneAt: null } as const;
  return { ...told, segment: { ...segment, ...about } };
}

/** The request, with the summary in its place. */
function sent({ all, segment }: Told): Message[] {
  const rest = all.filter(({ id }) => id > (segment?.toSeq ?? 0));
  if (segment === null) return rest;
  return [{ id: 9999, role: "system", content: "[compacted] so far", runId: null, timestamp: 0 }, ...rest];
}

function expectLegal(messages: readonly Message[]): void {
  const asked = new Set<string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const { id } of message.content.toolCalls ?? []) asked.add(id);
    if (message.role === "toolResult") expect(asked.delete(message.content.toolCallId)).toBe(true);
  }
  expect(asked).toEqual(new Set());
  // The request needed no repair before it was sent.
  const results = conversationTurns(messages).flatMap((each) => (each.role === "user" ? each.results : []));
  expect(results.map(({ output }) => output)).not.toContain("the result is missing");
}

test("any cut leaves a legal history with the same end, and the same request again cuts nothing", () => {
  fc.assert(
    fc.property(history, fc.array(keep, { minLength: 1, maxLength: 4 }), (all, keeps) => {
      let told: Told = { all, segment: null };
      for (const wish of keeps) {
        const before = shapeOf(told);
        const cut = planCut(before, wish);
        if (cut === null) continue;
        expect(cut.goes + cut.stays).toBe(before.rows.length);
        expect(cut.stays).toBeGreaterThan(0);
        expect(cut.goes).toBeGreaterThan(0);
        expect(cut.tokensGone).toBeGreaterThan(0);
        told = compacted(told, cut.toSeq);
        expect(sent(told).at(-1)).toBe(all.at(-1)!);
        expectLegal(sent(told));
        expect(planCut(shapeOf(told), wish)).toBeNull();
      }
    }),
    OPTIONS,
  );
});

test("the rest of a history that fits only in part is legal too", () => {
  fc.assert(
    fc.property(history, keep, fc.nat({ max: 20 }), (all, wish, from) => {
      const rows = all.slice(Math.min(from, all.length - 1));
      const cut = planCut({ ...shapeOf({ all: rows, segment: null }), isWhole: false }, wish);
      if (cut !== null) expectLegal(all.filter(({ id }) => id > cut.toSeq));
    }),
    OPTIONS,
  );
});

test("the requested messages stay, fewer if they are too heavy, and more only to keep calls with their results", () => {
  const rows = messagesOf([{ user: "a" }, { assistant: "b" }, { user: "c" }, { assistant: "d" }, { user: "e" }]);
  const shape = shapeOf({ all: rows, segment: null });
  const all = Number.POSITIVE_INFINITY;
  expect(planCut(shape, { messages: 2, tokens: all })).toMatchObject({ toSeq: 3, goes: 3, stays: 2 });
  expect(planCut(shape, { messages: 5, tokens: all })).toBeNull();
  expect(planCut(shape, { messages: 5, tokens: 0 })).toMatchObject({ toSeq: 4, stays: 1 });
  const call = { id: "1", name: "Read", args: {} };
  const called = messagesOf([{ user: "a" }, { assistant: "", calls: [call] }, { result: "r", of: "1", tool: "Read" }]);
  expect(planCut(shapeOf({ all: called, segment: null }), { messages: 1, tokens: all })).toMatchObject({ toSeq: 1 });
});

test("counts are never negative, whatever a provider reports, and a newer summary discards a count", () => {
  const usage = { ...NO_USAGE, input: -5, cacheRead: Number.NaN, output: 3 };
  const shape = {
    ...shapeOf({ all: messagesOf([{ user: "a" }, { assistant: "b" }]), segment: null }),
    counted: { seq: 2, usage },
  };
  expect(loadOf(shape, 100)).toEqual({ tokens: 3, source: "provider" });
  const nothing = { ...shape, counted: { seq: 2, usage: NO_USAGE } };
  expect(loadOf(nothing, 100).source).toBe("estimate");
  const { segment } = compacted({ all: [], segment: null }, 1);
  expect(loadOf({ ...shape, segment: { ...segment!, summarySeq: 3 } }, 0).source).toBe("estimate");
  expect(tokensOf(-1)).toBe(0);
});

test("both sets of settings are capped at a quarter of the window, and answers leave room for a question", () => {
  const policy = { overflow: "auto-compact", compactAtPressure: 0.9, keepLast: 80 } as const;
  const unset = { enabled: true, reserveTokens: null, keepRecentTokens: null };
  const window = { windowTokens: 100_000, outputTokens: 8192 };
  const usual = rulesFor(policy, unset, window);
  expect(usual).toMatchObject({ fullAtTokens: Math.floor(91_808 * 0.9), keep: { messages: 80 } });
  const seeds = { enabled: true, reserveTokens: 90_000, keepRecentTokens: 90_000 };
  expect(rulesFor(policy, seeds, window)).toMatchObject({ fullAtTokens: 75_000, keep: { tokens: 25_000 } });
  const few = { enabled: true, reserveTokens: 20_000, keepRecentTokens: 20_000 };
  expect(rulesFor(policy, few, window)).toMatchObject({ fullAtTokens: 80_000, keep: { tokens: 20_000 } });
  expect(rulesFor(policy, { ...unset, enabled: false }, window).overflow).toBe("manual");
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000_000 }), fc.integer({ min: 0, max: 5_000_000 }), (tokens, output) => {
      for (const settings of [unset, seeds]) {
        const rules = rulesFor(policy, settings, { windowTokens: tokens, outputTokens: output });
        expect(rules.fullAtTokens).toBeGreaterThan(0);
        expect(rules.fullAtTokens).toBeLessThanOrEqual(Math.max(1, tokens));
        expect(rules.availableTokens).toBeGreaterThan(0);
        expect(rules.keep.tokens).toBeGreaterThanOrEqual(0);
      }
    }),
    OPTIONS,
  );
});

test("a copy ends at a complete turn, with all results or without the turn", () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 40 }), fc.nat({ max: 6 }), (all, wanted, lost) => {
      const there = all.slice(0, Math.max(1, all.length - lost));
      const end = legalEnd(there, wanted);
      if (end !== null) expectLegal(there.filter(({ id }) => id <= end));
    }),
    OPTIONS,
  );
  const [a, b] = ["1", "2"].map((id) => ({ id, name: "Read", args: {} }));
  const result = (of: string): Said => ({ result: "r", of, tool: "Read" });
  const whole = messagesOf([
    { user: "a" },
    { assistant: "", calls: [a!, b!] },
    result("1"),
    result("2"),
    { assistant: "z" },
  ]);
  expect([1, 2, 3, 4, 5, 9].map((wanted) => legalEnd(whole, wanted))).toEqual([1, 4, 4, 4, 5, 5]);
  expect([2, 3].map((wanted) => legalEnd(whole.slice(0, 3), wanted))).toEqual([1, 1]);
  expect(legalEnd([], 3)).toBeNull();
});
