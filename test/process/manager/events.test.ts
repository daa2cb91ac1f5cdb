// What is told of a session, word for word: the events of an answer, and what a turn of another channel costs its sender.

import { expect, test } from "bun:test";
import { senderOf } from "../../../src/process/manager/ports.ts";
import type { PlannedAnswer } from "../../support/answers.ts";
import { ManagedKernel, OWNER } from "../../support/manager.ts";

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

/** Credits as they are kept: nothing is free, a turn is one, and below three is little. */
async function withCredits(it: ManagedKernel, wallet: string, amount: number): Promise<void> {
  const { credits } = it.home.stores.kernel;
  const now = it.home.clock.now();
  await credits.setRate(OWNER, "free_credits_on_first_message", 0, now);
  await credits.setRate(OWNER, "low_credit_threshold", 2, now);
  await credits.add({ ownerUid: OWNER, wallet }, { type: "grant", amount, reference: "test", now });
}

async function balances(it: ManagedKernel): Promise<(readonly [string, number])[]> {
  const wallets = await it.home.stores.kernel.credits.wallets(OWNER);
  return wallets.map(({ wallet, credits }) => [wallet, credits] as const);
}

test("a turn of another channel costs its sender; an owner, a browser and a terminal pay nothing", async () => {
  await using it = await ManagedKernel.boot();
  await withCredits(it, "peer-1", 10);
  it.manager.setOwnerCheck((sender) => sender === "peer-2");
  for (const source of ["algochat", "algochat", "web", "cli"]) await talk(it, source);
  expect(await balances(it)).toEqual([["peer-1", 9]]);
});

test("a sender with little left is warned before the result; one with nothing left hears of it, and the session is stopped", async () => {
  await using it = await ManagedKernel.boot();
  await withCredits(it, "peer-1", 1);
  const { session } = await talk(it, "algochat");
  expect(it.types(session).slice(-3)).toEqual(["system", "result", "session_exited"]);
  expect(it.told(session).find(({ type }) => type === "system")).toMatchObject({ subtype: "low_credits" });
  const asked = it.home.model.requests.length;
  it.manager.resumeProcess(session, "again");
  await it.until(session, "session_stopped");
  expect(it.types(session).slice(-2)).toEqual(["credits_exhausted", "session_stopped"]);
  // Before the turn, not after it: nothing was asked, and nothing is owed.
  expect(it.home.model.requests).toHaveLength(asked);
  expect(await balances(it)).toEqual([["peer-1", 0]]);
  expect(await it.row(session)).toMatchObject({ outcome: "stopped" });
});

test("credits that go while a session runs stop it with its turn", async () => {
  await using it = await ManagedKernel.boot();
  await withCredits(it, "peer-1", 5);
  const { session, pid } = await talk(it, "algochat", { hold: true, text: "at last" });
  it.manager.resumeProcess(session, "again");
  await it.home.holding();
  const { credits } = it.home.stores.kernel;
  const wallet = { ownerUid: OWNER, wallet: "peer-1" };
  await credits.take(wallet, { type: "deduction", amount: 4, reference: "elsewhere", now: it.home.clock.now() });
  it.home.model.release();
  await it.until(session, "session_stopped");
  expect(it.types(session).slice(-2)).toEqual(["credits_exhausted", "session_stopped"]);
  expect((await it.home.get(pid)).state).toBe("idle");
});
