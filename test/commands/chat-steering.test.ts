// Messages on stdin during a conversation: each is sent to the process, its answer is followed, and the last end decides.

import { beforeEach, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import { Chat, OTHER_RUN, PID, RUN, said } from "../support/chat.ts";
import { stdinOf, until } from "../support/io.ts";

let chat: Chat;
let lines: PromiseWithResolvers<Uint8Array>;
beforeEach(() => {
  chat = new Chat();
  lines = Promise.withResolvers();
  chat.io.stdin = stdinOf("pipe", [lines.promise, new Promise(() => {})]);
});

function takesRuns(...runs: string[]): void {
  chat.io.fakeSys.answer("proc.send", () => ({ pid: PID, parent: null, runId: runs.shift(), queued: false }));
}

async function says(...objects: object[]): Promise<void> {
  lines.resolve(Buffer.from(objects.map((each) => `${JSON.stringify(each)}\n`).join("")));
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  await chat.settle();
}

const other = { run: OTHER_RUN, seq: 9 };

test("a message that enters the run is answered with it, and the run decides", async () => {
  takesRuns(RUN, OTHER_RUN);
  const { exit } = await chat.begin("--input", "jsonl", "look");
  await says({ type: "message", text: "and the tests" });
  expect(chat.io.fakeSys.asked("proc.send").at(-1)).toEqual({ pid: PID, message: "and the tests" });
  await chat.play(said.complete("ok", null, { run: OTHER_RUN, mergedInto: RUN }));
  await chat.play(said.text("both"), said.complete("ok", "both"));
  expect(await exit).toBe(0);
  expect([chat.out, chat.err]).toEqual(["both\n", ""]);
});

test("a message that is too late for the run has its own, which is followed to its end", async () => {
  takesRuns(RUN, OTHER_RUN);
  const { exit } = await chat.begin("--input", "jsonl", "--json", "look");
  await says({ type: "message", text: "and the tests" });
  await chat.play(said.start(), said.text("first"), said.complete("ok", "first"));
  await chat.play(said.start(other), said.text("second", other));
  await chat.play(said.complete("error", null, { run: OTHER_RUN, error: "no luck" }));
  expect(await exit).toBe(1);
  expect(chat.events.map(({ type }) => type)).toEqual(["init", "message", "message", "warning", "result"]);
  expect(chat.events.at(-1)).toMatchObject({ run: OTHER_RUN, status: "error", exit: 1 });
});

test("chat ends only after the last message's run, and shows its output", async () => {
  const sending = Promise.withResolvers<object>();
  const answers = [Promise.resolve({ pid: PID, runId: RUN, queued: false }), sending.promise];
  chat.io.fakeSys.answer("proc.send", () => answers.shift());
  const { exit } = await chat.begin("--input", "jsonl", "look");
  await says({ type: "message", text: "and the tests" });
  await chat.play(said.text("first"), said.complete("ok", "first"));
  await chat.play(said.text("second", other), said.complete("ok", "second", { run: OTHER_RUN }));
  expect(chat.out).toBe("first\n");
  sending.resolve({ pid: PID, runId: OTHER_RUN, queued: false });
  expect(await exit).toBe(0);
  expect(chat.out).toBe("first\nsecond\n");
});

test("--interrupt and abort work as elsewhere; invalid lines are reported", async () => {
  takesRuns(RUN, OTHER_RUN);
  const { exit } = await chat.begin("--input", "jsonl", "look");
  await says({ type: "message", text: "this first", interrupt: true }, { type: "abort" });
  const { fakeSys } = chat.io;
  expect(fakeSys.asked("proc.send").at(-1)).toEqual({ pid: PID, message: "this first", interrupt: true });
  await until(() => fakeSys.asked("proc.abort").length > 0);
  expect(fakeSys.asked("proc.abort")).toEqual([{ pid: PID, runId: RUN }]);
  await chat.play(said.complete("aborted"), said.complete("aborted", null, { run: OTHER_RUN }));
  expect(await exit).toBe(130);
});

test("a refused message is reported, and the run continues", async () => {
  takesRuns(RUN);
  const { exit } = await chat.begin("--input", "jsonl", "look");
  chat.io.fakeSys.answer("proc.send", () => {
    throw new SysError("ELIMIT", "the queue is full");
  });
  await says({ type: "message", text: "more" });
  await chat.play(said.text("done"), said.complete("ok", "done"));
  expect(await exit).toBe(0);
  expect([chat.out, chat.err]).toEqual(["done\n", "gsv: not sent: the queue is full\n"]);
});

test("messages typed before the first one is accepted wait for it", async () => {
  const sending = Promise.withResolvers<object>();
  const answers = [sending.promise, Promise.resolve({ pid: PID, runId: OTHER_RUN, queued: false })];
  chat.io.fakeSys.answer("proc.send", () => answers.shift());
  const { exit } = await chat.begin("--input", "jsonl", "look");
  await says({ type: "message", text: "more" });
  expect(chat.io.fakeSys.asked("proc.send")).toHaveLength(1);
  sending.resolve({ pid: PID, runId: RUN, queued: false });
  await until(() => chat.io.fakeSys.asked("proc.send").length === 2);
  await chat.settle();
  await chat.play(said.complete("ok", "a"), said.complete("ok", "b", { run: OTHER_RUN }));
  expect(await exit).toBe(0);
});
