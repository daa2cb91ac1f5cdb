// Credits in the product: a sender in a channel session pays for each model answer, is warned when few are left, and is stopped without any
// until a top-up.

import { expect, test } from "bun:test";
import type { CreditBalance } from "../../src/abi/process/credits.ts";
import { TestKernel } from "../support/kernel.ts";

const WALLET = "ALGOWALLET7";
const KEY = `agent:main:algochat:dm:${WALLET}`;

async function open(home: TestKernel, key = KEY): Promise<string> {
  return (await home.sys.call<{ pid: string }>("session.open", { key })).pid;
}

async function credits(home: TestKernel, wallet = WALLET): Promise<number> {
  const { balances } = await home.sys.call<{ balances: CreditBalance[] }>("credits.balance", { wallet });
  return balances[0]?.available ?? 0;
}

const grant = (home: TestKernel, amount: number, wallet = WALLET) => home.sys.call("credits.grant", { wallet, amount });

const CALL = { calls: [{ name: "Search", args: { query: "x" } }] };

test("each model answer costs its sender a credit, not each run; the address is as the channel writes it", async () => {
  await using home = await TestKernel.boot();
  await grant(home, 60);
  const pid = await open(home);
  home.model.will(pid, CALL, CALL, { text: "done" });
  await home.say("hello", { pid });
  expect(await credits(home)).toBe(57);
  expect(await credits(home, WALLET.toLowerCase())).toBe(0);
  const { rows } = await home.sys.call<{ rows: { type: string }[] }>("credits.ledger", { wallet: WALLET });
  expect(rows.map(({ type }) => type)).toEqual(["deduction", "deduction", "deduction", "grant"]);
  expect(await home.sys.call("session.get", { key: KEY })).toMatchObject({ pid, key: KEY });
});

test("the answer that leaves few credits carries the warning", async () => {
  await using home = await TestKernel.boot();
  await grant(home, 51);
  const pid = await open(home);
  await home.say("hello", { pid });
  const [warning] = home.heard("process.credits");
  expect(warning).toMatchObject({ pid, wallet: WALLET, available: 50, isExhausted: false });
  const names = home.signals.map(({ name }) => name);
  expect(names.indexOf("process.credits")).toBeLessThan(names.indexOf("chat.complete"));
});

test("a run without credits is stopped in the middle and continues there after a top-up", async () => {
  await using home = await TestKernel.boot();
  await grant(home, 1);
  const pid = await open(home);
  home.model.will(pid, CALL, { text: "found it" });
  const { runId } = await home.send("hello", { pid });
  const { waitsFor } = await home.inState(pid, "stopped");
  expect(waitsFor).toMatchObject({ kind: "limit", reason: expect.stringContaining(`no credits left for ${WALLET}`) });
  expect(home.heard("process.credits").at(-1)).toMatchObject({ isExhausted: true, available: 0 });
  expect(await home.wait(pid, { run: runId })).toMatchObject({ status: "held", exit: 6 });
  // A message without credits changes nothing.
  await home.send("are you there?", { pid });
  await home.inState(pid, "stopped");
  await grant(home, 5);
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "found it" });
});

test("an answer is charged once, although the kernel died over it", async () => {
  await using home = await TestKernel.boot();
  await grant(home, 10);
  const pid = await open(home);
  home.model.will(pid, CALL, { hold: true });
  await home.send("hello", { pid });
  await home.holding();
  await home.restart();
  await home.quiet();
  expect(await credits(home)).toBe(8);
});

test("owners, terminals and browsers pay nothing; an owner's address must match exactly", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "credits.owners", value: JSON.stringify([WALLET]) });
  for (const key of [KEY, "agent:main:cli:dm:alice", "agent:main:web:dm:alice"])
    await home.say("hello", { pid: await open(home, key) });
  const { balances } = await home.sys.call<{ balances: CreditBalance[] }>("credits.balance", {});
  expect(balances).toEqual([]);
  // The same letters in another case are another address.
  await home.sys.call("session.open", { key: KEY, sender: WALLET.toLowerCase() });
  await home.say("hello", { pid: await open(home, KEY.toLowerCase()) });
  expect(await credits(home, WALLET.toLowerCase())).toBe(99);
});

test("a sender pays in the conversation that session.dmScope chooses, and its owner at the terminal does not", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "session.dmScope", value: "per-peer" });
  await grant(home, 60);
  const pid = await open(home);
  await home.say("hello", { pid });
  await home.say("hello", { pid: await open(home, `agent:main:cli:dm:${WALLET}`) });
  expect(await credits(home)).toBe(59);
  await home.say("hello", { pid: await open(home) });
  expect(await credits(home)).toBe(58);
});

test("an agent cannot make an address its owner's", async () => {
  await using home = await TestKernel.boot();
  const pid = await open(home);
  const sys = await home.insideOf(pid);
  const refused = await home.refusal("config.set", { key: "credits.owners", value: `["${WALLET}"]` }, sys);
  expect(["EPERM", "EACCES"]).toContain(refused.code);
});
