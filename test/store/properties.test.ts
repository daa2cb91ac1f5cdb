// Any sequence of verbs, by owners, people, late owners and late kernels: every promise to the user holds.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Message } from "../../src/abi/process/message.ts";
import { type RunEnd, STATES } from "../../src/abi/process/process.ts";
import { samples } from "../support/soak.ts";
import { SqliteEngine } from "../support/sqlite-engine.ts";
import { MOVE, type Move } from "./moves.ts";
import { play } from "./play.ts";
import { World } from "./world.ts";

const RUNS = samples(16, 3000);
// The same seeds in each test run; other seeds in a soak, printed on a failure.
const SEED = samples(20_260_102, Date.now() % 2 ** 31);

async function after(moves: readonly Move[], holds: (world: World) => Promise<void>): Promise<void> {
  const engine = new SqliteEngine();
  try {
    const world = await World.on(engine);
    for (const move of moves) await play(world, move);
    await holds(world);
  } finally {
    await engine.dispose();
  }
}

test(
  "after any sequence of verbs every promise of the store holds",
  async () => {
    const moves = fc.array(MOVE, { minLength: 20, maxLength: 120, size: "max" });
    const property = fc.asyncProperty(moves, (sequence) => after(sequence, promisesHold));
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
  },
  samples(60_000, 3_600_000),
);

async function promisesHold(world: World): Promise<void> {
  const { messages } = await world.store.history(world.pid, { limit: 100_000 });
  await nothingAcknowledgedIsLost(world, messages);
  await numbersHaveNoGaps(world, messages);
  await everyCallHasOneResult(world, messages);
  await everyRunEndsOnce(world);
  await atMostOneRunIsOpen(world);
  expect(STATES).toContain((await world.store.head(world.pid)).state);
}

async function nothingAcknowledgedIsLost(world: World, messages: readonly Message[]): Promise<void> {
  const stored = new Set<unknown>(messages.map((message) => message.runId));
  const archived = new Set<unknown>(world.archived.map((record) => record.run_id));
  for (const { runId, kind } of world.admitted) {
    if (runId === null) continue;
    const end = await world.store.runEnd(world.pid, runId);
    if (end === null) throw new Error(`${runId} was acknowledged and nobody knows it`);
    const replaced = kind === "event" && end !== "open" && end.reason === "event.replaced";
    const closed = end !== "open" && end.reason.startsWith("process.");
    const takenBack = end !== "open" && end.reason === "user.withdrawn";
    if (end !== "open" && !replaced && !closed && !takenBack)
      expect(stored.has(runId) || archived.has(runId)).toBe(true);
  }
}

async function numbersHaveNoGaps(world: World, messages: readonly Message[]): Promise<void> {
  const { nextSeq } = await world.store.head(world.pid);
  const removed = world.archived.flatMap((record) => (record.id === null ? [] : [Number(record.id)]));
  const numbers = [...removed, ...messages.map((message) => message.id)];
  expect(numbers).toEqual(Array.from({ length: nextSeq - 1 }, (_, index) => index + 1));
}

async function everyCallHasOneResult(world: World, messages: readonly Message[]): Promise<void> {
  const asked = messages.flatMap((message) =>
    message.role === "assistant"
      ? (message.content.toolCalls ?? []).map((call) => ({ call, runId: message.runId }))
      : [],
  );
  for (const { call, runId } of asked) {
    const results = messages.filter(
      (message) => message.role === "toolResult" && message.content.toolCallId === call.id,
    );
    const open = await world.store.openCalls(world.pid, runId ?? "");
    const waiting = open.filter((row) => row.callId === call.id);
    expect({ call: call.id, answers: results.length + waiting.length }).toEqual({ call: call.id, answers: 1 });
  }
}

async function everyRunEndsOnce(world: World): Promise<void> {
  const ended = world.reported.map((end) => end.runId);
  expect(ended).toEqual([...new Set(ended)]);
  for (const end of world.reported) {
    const kept = await world.store.runEnd(world.pid, end.runId);
    // A reset removes the messages; the outcomes stay.
    const forgotten = { ...end, text: null, error: null };
    expect([end, forgotten]).toContainEqual(kept as RunEnd);
  }
  for (const { runId } of world.admitted) {
    if (runId === null || ended.includes(runId)) continue;
    expect(await world.store.runEnd(world.pid, runId)).toBe("open");
  }
}

async function atMostOneRunIsOpen(world: World): Promise<void> {
  const begun = [...new Set(world.runs.map((run) => run.runId))];
  const ends = await Promise.all(begun.map((runId) => world.store.runEnd(world.pid, runId)));
  expect(ends.filter((end) => end === "open").length).toBeLessThanOrEqual(1);
}
