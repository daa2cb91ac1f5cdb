// After eight messages in a channel session, the model gets the recent conversation in a shortened form; in a terminal only if set. The
// history stays complete.

import { expect, test } from "bun:test";
import type { Message } from "../../src/abi/process/message.ts";
import { TestKernel } from "../support/kernel.ts";

async function channelTask(home: TestKernel): Promise<string> {
  const pid = await home.task();
  const now = home.clock.now();
  const { sessions } = home.stores.kernel;
  await sessions.create({
    id: "s1",
    ownerUid: 1000,
    source: "telegram",
    key: "agent:main:telegram:dm:1",
    createdAt: now,
  });
  await sessions.attach("s1", { pid, generationId: "g1", now });
  return pid;
}

function toldTo(home: TestKernel, pid: string): readonly Message[] {
  return home.model.asked(pid).at(-1)?.messages ?? [];
}

const textOf = ({ role, content }: Message) =>
  role === "user" || role === "system" ? content : role === "assistant" ? content.text : "";

test("the ninth channel message is sent with the shortened conversation, and later ones follow unchanged", async () => {
  await using home = await TestKernel.boot();
  const pid = await channelTask(home);
  for (let turn = 1; turn <= 8; turn++) await home.say(`message ${turn}`, { pid });
  expect(toldTo(home, pid)).toHaveLength(15);
  await home.say("message 9", { pid });
  const [history, news, ...more] = toldTo(home, pid);
  expect(more).toEqual([]);
  expect(textOf(news!)).toBe("message 9");
  const text = textOf(history!);
  expect(text).toContain("<conversation_history>");
  expect(text).toContain("[User]: message 1\n[Assistant]: done\n[User]: message 2\n");
  expect(text).not.toContain("message 9");
  await home.say("message 10", { pid });
  expect(toldTo(home, pid)).toHaveLength(4);
  expect(home.heard("chat.compacted")).toMatchObject([{ cause: "turns", model: null }]);
});

test("the reset repeats after eight more messages, with the last twenty, however shortened before", async () => {
  await using home = await TestKernel.boot();
  const pid = await channelTask(home);
  for (let turn = 1; turn <= 17; turn++) await home.say(`message ${turn}`, { pid });
  const text = textOf(toldTo(home, pid)[0]!);
  expect(text.match(/^\[User\]: message \d+$/gm)).toHaveLength(10);
  expect(text).toContain("[User]: message 7\n");
  expect(text).not.toContain("message 6\n");
  expect(text.match(/conversation_history/g)).toHaveLength(2);
});

test("a terminal has no context reset unless session.contextResetTurns is set; 0 turns it off for channels too", async () => {
  await using home = await TestKernel.boot();
  const [mine, theirs] = [await home.task(), await channelTask(home)];
  const isReset = (pid: string) => toldTo(home, pid).some((each) => textOf(each).includes("<conversation_history>"));
  for (let turn = 1; turn <= 9; turn++) await home.say(`message ${turn}`, { pid: mine });
  expect(isReset(mine)).toBe(false);
  await home.sys.call("config.set", { key: "session.contextResetTurns", value: "2" });
  await home.say("one more", { pid: mine });
  expect(isReset(mine)).toBe(true);
  await home.sys.call("config.set", { key: "session.contextResetTurns", value: "0" });
  for (let turn = 1; turn <= 9; turn++) await home.say(`message ${turn}`, { pid: theirs });
  expect(isReset(theirs)).toBe(false);
});
