// Reading: history in pages from either end, the context of a model call, the log of calls.

import { expect } from "bun:test";
import { LIMITS } from "../../../src/abi/config/limits.ts";
import type { HistoryRange } from "../../../src/store/process/verbs.ts";
import { DONE, type Subject } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";
import { pageOf } from "./expected-page.ts";

async function conversation(subject: Subject, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) await subject.turn(await subject.running(`question ${run}`), { finish: DONE });
}

function* queries(last: number): Generator<HistoryRange> {
  const numbers = [undefined, -1, 0, 1, 2, Math.floor(last / 2), last - 1, last, last + 1, 2 ** 53 - 1];
  for (const limit of [1, 2, 3, last, 500]) {
    for (const beforeSeq of numbers) {
      for (const afterSeq of numbers) yield { limit, ...defined({ beforeSeq, afterSeq }) };
      for (const offset of [0, 1, 2, last - 1, last, last + 7]) yield { limit, offset, ...defined({ beforeSeq }) };
      for (const bytesMax of [0, 25, 60]) {
        yield { limit, bytesMax, ...defined({ beforeSeq }) };
        yield { limit, bytesMax, afterSeq: 1, ...defined({ beforeSeq }) };
      }
    }
  }
}

function defined(query: { beforeSeq?: number | undefined; afterSeq?: number | undefined }): Partial<HistoryRange> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
}

async function agrees(subject: Subject): Promise<void> {
  const all = await subject.messages();
  for (const query of queries(all.at(-1)?.id ?? 5)) {
    const page = await subject.store.history(subject.pid, query);
    expect({ query, ...page }).toEqual({ query, ...pageOf(all, query) });
  }
}

export const PAGES: Claims = {
  async "a page since an instant has the messages from then on, in pages like all of them"(subject) {
    await conversation(subject, 4);
    const all = await subject.messages();
    for (const at of [0, ...all.map(({ timestamp }) => timestamp), Number.MAX_SAFE_INTEGER])
      for (const query of [{ limit: 500 }, { limit: 2 }, { limit: 2, afterSeq: 0 }, { limit: 2, beforeSeq: 6 }]) {
        const asked = { ...query, sinceMs: at };
        const page = await subject.store.history(subject.pid, asked);
        expect({ asked, messages: page.messages, count: page.count }).toEqual({
          ...{ asked, messages: pageOf(all, asked).messages, count: pageOf(all, asked).count },
        });
      }
  },

  async "every page of history is the same as from an array, from either end and with any bounds"(subject) {
    await conversation(subject, 6);
    expect(await subject.messages()).toHaveLength(12);
    await agrees(subject);
  },

  async "so it is after a reset, when numbers do not start at 1"(subject) {
    await conversation(subject, 3);
    await subject.cut();
    await subject.seal();
    await conversation(subject, 4);
    expect((await subject.messages())[0]?.id).toBe(7);
    await agrees(subject);
  },

  async "and so it is for an empty history"(subject) {
    await agrees(subject);
  },

  async "following from a cursor sees every message once, in order"(subject) {
    await conversation(subject, 5);
    const seen: number[] = [];
    for (let afterSeq = 0; ; ) {
      const { messages, hasMoreAfter } = await subject.store.history(subject.pid, { limit: 3, afterSeq });
      seen.push(...messages.map((message) => message.id));
      afterSeq = messages.at(-1)?.id ?? afterSeq;
      if (!hasMoreAfter) break;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  },

  async "a page stays within its size limit, unless one message alone exceeds it"(subject) {
    for (let run = 0; run < 4; run++)
      await subject.turn(await subject.running("é"), { text: "é".repeat(1000), finish: DONE });
    const ids = async (query: HistoryRange) =>
      (await subject.store.history(subject.pid, query)).messages.map((message) => message.id);
    expect(await ids({ limit: 500, bytesMax: 4100 })).toEqual([5, 6, 7, 8]);
    expect(await ids({ limit: 500, bytesMax: 4100, afterSeq: 0 })).toEqual([1, 2, 3, 4, 5]);
    expect(await ids({ limit: 500, bytesMax: 1 })).toEqual([8]);
    expect(await ids({ limit: 500, bytesMax: 1, afterSeq: 3 })).toEqual([4]);
    expect(await subject.store.history(subject.pid, { limit: 500, bytesMax: 1, afterSeq: 3 })).toMatchObject({
      hasMoreBefore: true,
      hasMoreAfter: true,
    });
  },

  async "a long text is read in pieces that add up to the whole, with whole characters"(subject) {
    const text = `${"é😀x".repeat(400)}end`;
    await subject.turn(await subject.running("question"), { text, finish: DONE });
    let read = "";
    for (let offset: number | null = 0; offset !== null; ) {
      const piece = await subject.store.messageText(subject.pid, { seq: 2, offset, charsMax: 7 });
      expect([...(piece?.text ?? "")].length).toBeLessThanOrEqual(7);
      read += piece?.text ?? "";
      offset = piece?.next ?? null;
    }
    expect(read).toBe(text);
    expect(await subject.store.messageText(subject.pid, { seq: 1, offset: 0, charsMax: 100 })).toEqual({
      text: "question",
      next: null,
    });
    expect(await subject.store.messageText(subject.pid, { seq: 3, offset: 0, charsMax: 100 })).toBeNull();
  },

  async "a heavy history is archived in light pages, every message once"(subject) {
    const text = "x".repeat(600 * 1024);
    for (let run = 0; run < 3; run++) await subject.turn(await subject.running("question"), { text, finish: DONE });
    await subject.cut();
    const ids: unknown[] = [];
    for (let after: string | null = null; ; ) {
      const page = await subject.store.closingRecords(subject.pid, after, 100);
      ids.push(...page.records.map((record) => record.id));
      if (page.next === null) break;
      after = page.next;
    }
    expect(ids).toEqual([1, 2, 3, 4, 5, 6]);
  },

  async "a short history is the whole context"(subject) {
    await conversation(subject, 120);
    expect(await subject.store.context(subject.pid)).toEqual(await subject.messages());
  },

  async "a long context is the newest part that fits, from a person's message on"(subject) {
    const big = "x".repeat(LIMITS.contextBytesMax / 4);
    for (let run = 0; run < 6; run++) {
      await subject.turn(await subject.running(`question ${run}`), { text: big, finish: DONE });
    }
    const context = await subject.store.context(subject.pid);
    expect(context.map((message) => message.id)).toEqual([7, 8, 9, 10, 11, 12]);
    expect(context[0]).toMatchObject({ role: "user", content: "question 3" });
  },

  async "one message beyond all bounds stays in the context: a model sees at least the last one"(subject) {
    await conversation(subject, 1);
    await subject.running("x".repeat(LIMITS.contextBytesMax + 1));
    expect((await subject.store.context(subject.pid)).map((message) => message.id)).toEqual([3]);
  },

  async "a context of many turns in one run starts at a turn, never at a result without its call"(subject) {
    const run = await subject.running();
    const output = "x".repeat(LIMITS.contextBytesMax / 5);
    for (let turn = 0; turn < 4; turn++) {
      const calls = [subject.call("Read", "read"), subject.call("Read", "read")];
      await subject.turn(run, { calls });
      for (const { dispatchId } of calls) {
        const result = { outcome: "completed", output, now: subject.now() } as const;
        await subject.store.endCall(subject.pid, run.epoch, dispatchId, result);
      }
    }
    const context = await subject.store.context(subject.pid);
    expect(context.map((message) => message.role)).toEqual([
      "assistant",
      "toolResult",
      "toolResult",
      "assistant",
      "toolResult",
      "toolResult",
    ]);
  },

  async "results that fill the bounds bring the turn with their calls along"(subject) {
    const run = await subject.running();
    const calls = Array.from({ length: 6 }, () => subject.call("Read", "read"));
    await subject.turn(run, { calls });
    for (const { dispatchId } of calls) {
      const result = {
        outcome: "completed",
        output: "x".repeat(LIMITS.contextBytesMax / 3),
        now: subject.now(),
      } as const;
      await subject.store.endCall(subject.pid, run.epoch, dispatchId, result);
    }
    const context = await subject.store.context(subject.pid);
    expect(context.map((message) => message.id)).toEqual([2, 3, 4, 5, 6, 7, 8]);
  },

  async "the log of calls is read from a row on and keeps the newest"(subject) {
    const { pid, store } = subject;
    const kept = LIMITS.syscallLogRowsMax;
    for (let call = 1; call <= kept + 5; call++) {
      await store.logCall(pid, { at: call, call: "fs.read", args: `{"n":${call}}`, outcome: "ok", ms: 0.5 });
    }
    const first = await store.trace(pid, { after: 0, limit: 2 });
    expect(first).toMatchObject([
      { id: 6, at: 6, call: "fs.read", args: '{"n":6}', outcome: "ok", ms: 0.5 },
      { id: 7, at: 7 },
    ]);
    expect((await store.trace(pid, { after: 7, limit: kept * 2 })).map((row) => row.id).at(-1)).toBe(kept + 5);
    expect(await store.trace(pid, { after: kept + 5, limit: 1 })).toEqual([]);
  },
};
