// Compaction: the model's context changes, the messages do not; and a history copied into another process.

import { expect } from "bun:test";
import { NO_USAGE } from "../../../src/abi/process/process.ts";
import type { Compaction } from "../../../src/store/process/verbs.ts";
import { DONE, granted, type Subject, textOf } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

async function talk(subject: Subject, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) await subject.turn(await subject.running(`question ${run}`), { finish: DONE });
}

async function wish(subject: Subject, toSeq: number, about: Partial<Compaction> = {}): Promise<Compaction> {
  const { generation, segment } = await subject.store.contextShape(subject.pid);
  const said = { summary: `up to ${toSeq}`, cause: "asked", model: "script", spent: null } as const;
  return { generation, after: segment, toSeq, ...said, tokensBefore: 9, tokensAfter: 4, now: subject.now(), ...about };
}

async function compact(subject: Subject, toSeq: number, about: Partial<Compaction> = {}) {
  return granted(await subject.store.compact(subject.pid, await wish(subject, toSeq, about)));
}

async function told(subject: Subject): Promise<string[]> {
  return (await subject.store.context(subject.pid)).map((message) => `${message.id} ${textOf(message)}`);
}

export const SEGMENTS: Claims = {
  async "a summary replaces its messages in the context, and history keeps every message"(subject) {
    await talk(subject, 3);
    const before = await subject.messages();
    expect(await compact(subject, 4)).toMatchObject({ id: 1, fromSeq: 1, toSeq: 4, summarySeq: 7, undoneAt: null });
    expect(await told(subject)).toEqual(["7 up to 4", "5 question 2", "6 so be it"]);
    expect((await subject.messages()).slice(0, 6)).toEqual([...before]);
    expect((await subject.messages()).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  },

  async "a later summary starts where the one before ended, and only it is in the context"(subject) {
    await talk(subject, 3);
    await compact(subject, 2);
    await talk(subject, 1);
    expect(await compact(subject, 6)).toMatchObject({ fromSeq: 3, toSeq: 6 });
    expect(await told(subject)).toEqual(["10 up to 6", "8 question 0", "9 so be it"]);
    expect((await subject.store.segments(subject.pid)).map(({ toSeq }) => toSeq)).toEqual([2, 6]);
  },

  async "the last message is never part of a summary, and neither are messages of an earlier one"(subject) {
    await talk(subject, 2);
    expect(await compact(subject, 4)).toBeNull();
    await compact(subject, 2);
    expect(await compact(subject, 2)).toBeNull();
    expect(await subject.store.segments(subject.pid)).toHaveLength(1);
  },

  async "a summary planned for another history changes nothing"(subject) {
    await talk(subject, 3);
    const stale = await wish(subject, 2);
    await compact(subject, 4);
    expect(granted(await subject.store.compact(subject.pid, stale))).toBeNull();
    const planned = await wish(subject, 5);
    await subject.cut();
    expect(granted(await subject.store.compact(subject.pid, planned))).toBeNull();
    await subject.seal();
    await talk(subject, 3);
    expect(granted(await subject.store.compact(subject.pid, planned))).toBeNull();
    expect(await subject.messages()).toHaveLength(6);
  },

  async "a kernel that lost the process compacts nothing"(subject) {
    await talk(subject, 3);
    const planned = await wish(subject, 2);
    const { stale } = await subject.nextKernel();
    expect(await stale.compact(subject.pid, planned)).toEqual({ ok: false, why: "fenced" });
    expect(await subject.store.segments(subject.pid)).toEqual([]);
  },

  async "a compaction can be undone until a new message comes"(subject) {
    await talk(subject, 3);
    const before = await told(subject);
    await compact(subject, 4);
    const { undone } = granted(await subject.store.undoCompaction(subject.pid, { now: subject.now() }));
    expect(undone).toMatchObject({ toSeq: 4 });
    expect(await told(subject)).toEqual(before);
    expect(granted(await subject.store.undoCompaction(subject.pid, { now: subject.now() }))).toEqual({
      undone: null,
      later: 0,
    });
    await compact(subject, 4);
    await talk(subject, 1);
    const late = granted(await subject.store.undoCompaction(subject.pid, { now: subject.now() }));
    expect(late).toEqual({ undone: null, later: 2 });
    expect((await told(subject))[0]).toBe("8 up to 4");
  },

  async "a compaction is refused while a run is in flight"(subject) {
    await talk(subject, 2);
    await subject.running("next");
    await compact(subject, 2);
    expect(granted(await subject.store.undoCompaction(subject.pid, { now: subject.now() }))).toMatchObject({
      undone: null,
      later: 1,
    });
  },

  async "a summary never separates a call from its result"(subject) {
    await talk(subject, 1);
    const run = await subject.running("look");
    const call = subject.call("Read", "read");
    await subject.turn(run, { calls: [call] });
    await compact(subject, 2);
    await subject.carryOut(run, call);
    const roles = (await subject.store.context(subject.pid)).map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "toolResult"]);
  },

  async "sizes cover the context, and a reset clears the segments with the history"(subject) {
    await talk(subject, 3);
    await compact(subject, 2);
    const shape = await subject.store.contextShape(subject.pid);
    expect(shape.rows.map(({ seq }) => seq)).toEqual([3, 4, 5, 6]);
    expect(shape).toMatchObject({ isWhole: true, summaryBytes: "up to 2".length, segment: { toSeq: 2 } });
    await subject.cut();
    await subject.seal();
    expect(await subject.store.segments(subject.pid)).toEqual([]);
    await talk(subject, 2);
    expect(await told(subject)).toHaveLength(4);
    expect(await compact(subject, 9)).toMatchObject({ fromSeq: 8, toSeq: 9 });
  },

  async "a history is copied with its numbers and its segments, once even if repeated"(subject) {
    await talk(subject, 3);
    await compact(subject, 4);
    const [messages, segments] = [await subject.messages(), await subject.store.segments(subject.pid)];
    const copy = "task:bbbbbb";
    await subject.store.create(copy, { profile: "task", identity: {}, now: subject.now() });
    await subject.store.adopt(copy, { now: subject.now() });
    const first = { messages: messages.slice(0, 4), segments: [] };
    for (const part of [first, first, { messages: messages.slice(4), segments }, { messages: [], segments }])
      granted(await subject.store.graft(copy, part));
    expect((await subject.store.history(copy, { limit: 100 })).messages).toEqual([...messages]);
    expect(await subject.store.context(copy)).toEqual(await subject.store.context(subject.pid));
    expect((await subject.store.head(copy)).nextSeq).toBe(8);
  },

  async "the usage of a summary counts, and the token count of the last turn is known as long as that turn"(subject) {
    await talk(subject, 2);
    await compact(subject, 2, { spent: { by: "script", usage: { ...NO_USAGE, input: 5 } } });
    const { counted } = await subject.store.contextShape(subject.pid);
    if (counted !== null) expect(counted).toEqual({ seq: 4, usage: { ...NO_USAGE, input: 10, output: 1 } });
    await compact(subject, 3);
    expect((await subject.store.contextShape(subject.pid)).rows.map(({ seq }) => seq)).toEqual([4]);
  },

  async "settings for the history of a process survive a reset"(subject) {
    expect(await subject.store.historyPolicy(subject.pid)).toBeNull();
    const policy = { overflow: "manual", compactAtPressure: 0.5, keepLast: 3 } as const;
    granted(await subject.store.setHistoryPolicy(subject.pid, policy));
    await subject.cut();
    await subject.seal();
    expect(await subject.store.historyPolicy(subject.pid)).toEqual(policy);
    granted(await subject.store.setHistoryPolicy(subject.pid, null));
    expect(await subject.store.historyPolicy(subject.pid)).toBeNull();
  },
};
