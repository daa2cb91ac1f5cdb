// Texts read back unchanged: any normalised text, big ones, big numbers, and every place that holds a text.

import { expect } from "bun:test";
import { normaliseText } from "../../../src/abi/process/message.ts";
import { DONE, granted } from "../../support/process-subject.ts";
import type { Claims } from "./claims.ts";

const ODD = [
  "",
  " \n\t\r\n",
  "\u0000 in the middle \u0000",
  "\ud800 alone",
  "alone \udc00",
  "\u{1f44d}\u200d\ufeff\u202e",
  "e\u0301 \u00e9",
  "'); DROP TABLE messages; --",
  "%s ?1 :name $name @name",
  '{"__proto__":{"a":1}}',
];

export const TEXTS: Claims = {
  async "every normalised text is stored unchanged, as a message, a turn, thinking, an argument and a result"(subject) {
    for (const text of ODD.map(normaliseText)) {
      const run = await subject.running(text);
      const call = { ...subject.call("Write"), args: { content: text, [text]: 1 } };
      await subject.turn(run, { text, thinking: text, calls: [call] });
      await subject.begin(run, call);
      const result = { outcome: "completed", output: text, now: subject.now() } as const;
      await subject.store.endCall(subject.pid, run.epoch, call.dispatchId, result);
      await subject.turn(run, { text, finish: DONE });
      const [message, turn, output, end] = (await subject.messages()).slice(-4);
      expect(message?.content).toBe(text);
      const toolCalls = [{ id: call.callId, name: "Write", args: call.args }];
      expect(turn?.content).toEqual({ text, thinking: text, toolCalls });
      expect(output?.content).toMatchObject({ output: text });
      expect(end?.content).toEqual({ text });
      expect(await subject.store.runEnd(subject.pid, run.runId)).toMatchObject({ text });
    }
  },

  async "normalising makes NUL and lone surrogates storable, and marks their place"() {
    expect(normaliseText("a\u0000b\ud800c")).toBe("a\ufffdb\ufffdc");
    for (const text of ODD) expect(normaliseText(normaliseText(text))).toBe(normaliseText(text));
  },

  async "a megabyte of text comes back whole"(subject) {
    const text = "ä👍x".repeat(2 ** 18);
    const run = await subject.running(text);
    await subject.turn(run, { text, finish: DONE });
    const [asked, answered] = await subject.messages();
    expect(asked?.content === text).toBe(true);
    expect(answered?.content).toEqual({ text });
  },

  async "numbers up to 2^53-1 come back exactly"(subject) {
    const most = Number.MAX_SAFE_INTEGER;
    const run = await subject.running();
    const call = { ...subject.call("Read", "read"), args: { offset: most, ratio: 0.1, none: null } };
    const usage = { input: most, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0.1 };
    await subject.turn(run, { calls: [call], usage });
    const [open] = await subject.store.openCalls(subject.pid, run.runId);
    expect(open?.args).toEqual(call.args);
    await subject.begin(run, call);
    const result = { outcome: "completed", output: "", now: most } as const;
    await subject.store.endCall(subject.pid, run.epoch, call.dispatchId, result);
    expect((await subject.messages()).at(-1)?.timestamp).toBe(most);
    await subject.abort();
    expect(await subject.store.runEnd(subject.pid, run.runId)).toMatchObject({ usage });
  },

  async "a message keeps its origin"(subject) {
    const origin = { kind: "client", uid: 1000, clientId: "cli", cwd: "/home/sam" } as const;
    await subject.send("hello", { origin });
    const { entered } = await subject.claimed();
    expect(entered[0]?.origin).toEqual(origin);
    expect((await subject.messages())[0]?.origin).toEqual(origin);
  },

  async "a message keeps the time it was sent at, not the time it entered"(subject) {
    const message = subject.admission("hello");
    granted(await subject.admit(message));
    expect((await subject.claimed()).entered[0]?.timestamp).toBe(message.now);
  },
};
