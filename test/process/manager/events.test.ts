// What is told of a session, word for word: the events of an answer, and what a turn of another channel costs its sender.

import { expect, test } from "bun:test";
import type { Charged } from "../../../src/process/manager-ports.ts";
import { senderOf } from "../../../src/process/manager-ports.ts";
import type { PlannedAnswer } from "../../support/answers.ts";
import { ManagedKernel } from "../../support/manager.ts";

async function talk(it: ManagedKernel, source: string, ...answers: readonly PlannedAnswer[]) {
  const session = await it.session({ source });
  it.manager.startProcess(session, "hello");
  await it.until(session, "session_started");
  await it.home.until("it ends", () => !it.manager.isRunning(session.id));
  await it.manager.settled();
  const pid = await it.pid(session);
  it.home.model.will(pid, ...answers);
  return { session, pid };
}

test("an answer with a tool is told as pieces, the tool and its end, what was said, and the result with its cost", async () => {
  await using it = await ManagedKernel.boot();
  const search = { text: "I look", calls: [{ name: "Search", args: { query: "x" } }] };
  const { session } = await talk(it, "cli", search, { thinking: "hm", text: "found" });
  it.events.splice(0);
  it.manager.resumeProcess(session, "look");
  await it.until(session, "session_exited");
  expect(it.types(session)).toEqual([
    ...["session_started", "content_block_delta", "assistant", "content_block_start", "tool_status", "tool_status"],
    ...["content_block_delta", "content_block_delta", "assistant", "result", "session_exited"],
  ]);
  const said = it.told(session);
  expect(said.map(({ session_id }) => session_id)).toEqual(said.map(() => session.id));
  expect(said.filter(({ type }) => type === "assistant")).toMatchObject([
    { message: { role: "assistant", content: "I look" } },
    { message: { role: "assistant", content: "found" } },
  ]);
  expect(said.find(({ type }) => type === "content_block_start")).toMatchObject({
    content_block: { type: "tool_use", name: "Search", input: { query: "x" } },
  });
  expect(said.find(({ type }) => type === "result")).toMatchObject({
    subtype: "success",
    result: "found",
    total_cost_usd: 0,
  });
  expect(said.at(-1)).toMatchObject({ type: "session_exited", result: "exited" });
});

test("who writes in a session of another channel is named by its key; at a terminal nobody is", () => {
  expect(senderOf({ key: "agent:main:telegram:dm:42", source: "telegram" })).toBe("42");
  expect(senderOf({ key: "agent:main:telegram:work:dm:a:b", source: "telegram" })).toBe("a:b");
  expect(senderOf({ key: "agent:main:cli:dm:main", source: "cli" })).toBeNull();
  expect(senderOf({ key: null, source: "algochat" })).toBeNull();
});

/** Purses as they will be kept: one credit a turn, a warning below two. */
function purses(balance: number) {
  const charges: string[] = [];
  const charge = async (_: unknown, sender: string): Promise<Charged> => {
    charges.push(sender);
    if (balance === 0) return { success: false, isLow: true, balance: 0 };
    balance--;
    return { success: true, isLow: balance < 2, balance };
  };
  return { charge, charges };
}

test("a turn of another channel costs its sender; an owner, a browser and a terminal pay nothing", async () => {
  const { charge, charges } = purses(10);
  await using it = await ManagedKernel.boot({ charge });
  it.manager.setOwnerCheck((sender) => sender === "peer-2");
  const payer = await talk(it, "algochat");
  for (const source of ["algochat", "web", "cli"]) await talk(it, source);
  expect(charges).toEqual([senderOf(payer.session)!]);
});

test("a sender with little left is warned before the result; one with nothing left hears of it, and the session is stopped", async () => {
  const { charge } = purses(1);
  await using it = await ManagedKernel.boot({ charge });
  const { session, pid } = await talk(it, "algochat");
  expect(it.types(session).slice(-3)).toEqual(["system", "result", "session_exited"]);
  expect(it.told(session).find(({ type }) => type === "system")).toMatchObject({ subtype: "low_credits" });
  it.manager.resumeProcess(session, "again");
  await it.until(session, "session_stopped");
  expect(it.types(session).slice(-2)).toEqual(["credits_exhausted", "session_stopped"]);
  expect(await it.row(session)).toMatchObject({ outcome: "stopped" });
  expect((await it.home.get(pid)).state).toBe("idle");
});
