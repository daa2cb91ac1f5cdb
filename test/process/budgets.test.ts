// Budgets of processes: counted with their descendants, warned, held and never killed, and raised by people alone.

import { describe, expect, test } from "bun:test";
import type { BudgetInfo } from "../../src/syscalls/system/spending.ts";
import type { PlannedAnswer } from "../support/answers.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const costing = (costUsd: number, more: PlannedAnswer = {}): PlannedAnswer => ({
  text: "so be it",
  usage: { costUsd },
  ...more,
});
const budgets = async (home: TestKernel, pid?: string) =>
  (await home.sys.call<{ budgets: BudgetInfo[] }>("proc.budgets", pid === undefined ? {} : { pid })).budgets;
const give = (home: TestKernel, pid: string, budget: string) => home.sys.call("proc.budget", { pid, budget });

describe("a budget", () => {
  test("counts its process's usage, warns once at 80 %, and holds it when used up; the run continues after a raise", async () => {
    await using home = await TestKernel.boot();
    const pid = await home.task({ budget: "$1" });
    const read = { calls: [{ name: "Read", args: { path: "/proc/version" } }] };
    home.model.will(pid, costing(0.5), costing(0.4, read), costing(0.2, { calls: read.calls }), { text: "made it" });
    await home.say("one", { pid });
    expect(home.heard("process.budget")).toEqual([]);
    const { runId } = await home.send("two", { pid });
    const held = await home.inState(pid, "paused");
    expect(held.waitsFor).toEqual({
      kind: "limit",
      reason: `its budget is used up ($1.10 of $1.00); raise it: gsv budget ${pid} '+$1'`,
    });
    expect(home.heard("process.budget").map(({ text, of }) => [text, of])).toEqual([
      [`${pid} has used $0.90 of $1.00 (90 %)`, pid],
    ]);
    expect(await home.wait(pid, { run: runId })).toMatchObject({ status: "held", exit: 6 });
    await give(home, pid, "+$1");
    expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "made it" });
    expect((await home.outline(pid)).filter((line) => line.startsWith("user"))).toEqual(["user: one", "user: two"]);
    expect(await budgets(home, pid)).toMatchObject([{ pid, budget: "$2", usedUsd: 1.1, maxUsd: 2 }]);
  });

  test("warns before the end of the answer that used it is signalled", async () => {
    await using home = await TestKernel.boot();
    const pid = await home.task({ budget: "$1" });
    home.model.will(pid, costing(0.85));
    await home.say("go", { pid });
    const names = home.signals.filter((signal) => signal.pid === pid).map(({ name }) => name);
    expect(names.indexOf("process.budget")).toBeLessThan(names.indexOf("chat.complete"));
    expect(names).toContain("process.budget");
  });

  test("limits money, tokens and run time, and can be set, replaced and removed while in use", async () => {
    await using home = await TestKernel.boot();
    home.model.will(INIT, { text: "a", usage: { input: 90, output: 10, cacheRead: 50 } }, { text: "b" }, { text: "c" });
    await give(home, INIT, "100 tokens,1h");
    await home.say("one");
    await home.send("two");
    expect((await home.inState(INIT, "paused")).waitsFor).toMatchObject({
      reason: expect.stringContaining("(150 tokens of 100 tokens); raise it: gsv budget init:1000 +100k"),
    });
    await give(home, INIT, "1k,1h");
    await home.inState(INIT, "idle");
    await give(home, INIT, "none");
    expect(await budgets(home)).toEqual([]);
    // A new budget does not count earlier usage.
    await give(home, INIT, "$1");
    expect(await budgets(home)).toMatchObject([{ usedUsd: 0, usedTokens: 0 }]);
  });

  test("survives a reset and the next kernel, and still holds its process there", async () => {
    await using home = await TestKernel.boot();
    const pid = await home.task({ budget: "$1" });
    home.model.will(pid, costing(1), costing(0.1));
    await home.say("one", { pid });
    await home.sys.call("proc.reset", { pid });
    await home.send("two", { pid });
    await home.inState(pid, "paused");
    await home.restart();
    expect(await home.get(pid)).toMatchObject({ state: "paused", waitsFor: { kind: "limit" } });
    expect(await budgets(home, pid)).toMatchObject([{ usedUsd: 1 }]);
    await give(home, pid, "+$1");
    await home.inState(pid, "idle");
    expect(await home.get(pid)).toMatchObject({ lastStatus: "ok", costUsd: 1.1 });
  });

  test("that is invalid starts nothing", async () => {
    await using home = await TestKernel.boot();
    expect(await home.refusal("proc.spawn", { budget: "2" })).toMatchObject({ code: "EINVAL" });
    expect(await home.refusal("proc.budget", { pid: INIT, budget: "+$1" })).toMatchObject({ code: "EINVAL" });
    expect(await home.refusal("proc.budget", { pid: "task:zzzzzz", budget: "$1" })).toMatchObject({ code: "ESRCH" });
    expect(await budgets(home)).toEqual([]);
  });

  test("is a directory of files, which a person writes: one limit, several, or none", async () => {
    await using home = await TestKernel.boot();
    const write = (path: string, content: string) => home.sys.call("fs.write", { path, content });
    const read = async (path: string) => (await home.sys.call<{ content: string }>("fs.read", { path })).content;
    home.model.will(INIT, costing(0.25, { usage: { costUsd: 0.25, input: 12 } }));
    await write(`/proc/${INIT}/ctl`, "budget $2,30m");
    await home.say("one");
    const at = `/sys/budget/${INIT}`;
    const names = ["usd.max", "usd.current", "tokens.max", "tokens.current", "time.max", "time.current"];
    const texts = async () => await Promise.all(names.map((name) => read(`${at}/${name}`)));
    expect(await texts()).toEqual(["2.00", "0.25", "max", "12", "1800", "0"]);
    await write(`${at}/tokens.max`, "5000\n");
    await write(`${at}/usd.max`, "+0.5");
    await write(`${at}/time.max`, "max");
    expect((await budgets(home))[0]?.budget).toBe("$2.50,5k");
    await write(`${at}/usd.max`, "max");
    await write(`${at}/tokens.max`, "max");
    expect(await budgets(home)).toEqual([]);
    for (const [path, content] of [
      [`/proc/${INIT}/ctl`, "budget lots"],
      [`${at}/usd.max`, "1"],
      ["/sys/budget/day/usd.max", "1"],
    ] as const)
      expect((await home.refusal("fs.write", { path, content })).code).not.toBe("EIO");
  });
});

describe("budgets nest", () => {
  test("a child spends its parent's budget, also with a larger one of its own, and a used-up budget holds all", async () => {
    await using home = await TestKernel.boot();
    const parent = await home.task({ budget: "$1" });
    const child = await home.task({ parent, budget: "$100" });
    home.model.will(child, costing(1.2));
    await home.say("go", { pid: child });
    expect(await budgets(home, child)).toMatchObject([
      { pid: child, usedUsd: 1.2, under: parent },
      { pid: parent, usedUsd: 1.2, under: null },
    ]);
    for (const pid of [parent, child]) await home.send("more", { pid });
    const reason = `the budget of ${parent} is used up ($1.20 of $1.00); raise it: gsv budget ${parent} '+$1'`;
    expect((await home.inState(child, "paused")).waitsFor).toMatchObject({ reason });
    await home.inState(parent, "paused");
    await give(home, parent, "$5");
    await home.inState(child, "idle");
    await home.inState(parent, "idle");
  });

  test("the receiver of a message pays for the answer, and the day's budget limits both", async () => {
    await using home = await TestKernel.boot();
    const sender = await home.task({ budget: "$1" });
    const receiver = await home.task({ budget: "$5" });
    home.model.will(sender, { calls: [{ name: "Shell", args: { command: `send ${receiver} 'look'` } }] });
    home.model.will(receiver, costing(0.5));
    const { runId } = await home.send("ask the other", { pid: sender });
    const { waitsFor } = await home.inState(sender, "waiting_hil");
    const asked = waitsFor !== null && "id" in waitsFor ? waitsFor.id : "";
    await home.sys.call("hil.answer", { id: asked, decision: "approve" });
    await home.ended(runId);
    await home.until("it has answered", async () => (await home.messages(receiver)).length === 2);
    await home.inState(receiver, "idle");
    expect((await budgets(home, sender))[0]).toMatchObject({ pid: sender, usedUsd: 0 });
    expect((await budgets(home, receiver))[0]).toMatchObject({ pid: receiver, usedUsd: 0.5 });
    await home.sys.call("config.set", { key: "budget.day", value: "$0.50" });
    await home.send("again", { pid: receiver });
    await home.send("again", { pid: sender });
    for (const pid of [receiver, sender]) await home.inState(pid, "paused");
  });

  test("a later budget includes existing children, and still limits them after its owner has ended", async () => {
    await using home = await TestKernel.boot();
    const parent = await home.task();
    const child = await home.task({ parent });
    const grandchild = await home.task({ parent: child, budget: "$3" });
    await give(home, parent, "$2");
    home.model.will(grandchild, costing(2));
    await home.say("go", { pid: grandchild });
    expect((await budgets(home, grandchild)).map(({ pid, usedUsd }) => [pid, usedUsd])).toEqual([
      [grandchild, 2],
      [parent, 2],
    ]);
    await home.sys.call("proc.kill", { pid: parent });
    await home.send("more", { pid: grandchild });
    await home.inState(grandchild, "paused");
    // The budget can be raised for the remaining processes, and ends with the last of them.
    await give(home, parent, "+$1");
    await home.inState(grandchild, "idle");
    for (const pid of [grandchild, child]) await home.sys.call("proc.kill", { pid });
    expect(await budgets(home)).toEqual([]);
  });

  test("parallel children overspend their parent's budget by at most one answer", async () => {
    await using home = await TestKernel.boot();
    const parent = await home.task({ budget: "$1" });
    const children = await Promise.all(Array.from({ length: 6 }, () => home.task({ parent })));
    for (const pid of children) home.model.will(pid, ...Array.from({ length: 4 }, () => costing(0.3)));
    for (const pid of children) for (let count = 0; count < 4; count++) await home.send("go", { pid });
    await home.until("nobody goes on", async () =>
      (await Promise.all(children.map((pid) => home.get(pid)))).every(({ state }) => state === "paused"),
    );
    const [{ usedUsd } = { usedUsd: 0 }] = await budgets(home, parent);
    expect(usedUsd).toBeGreaterThanOrEqual(1);
    expect(usedUsd).toBeLessThanOrEqual(1.3);
    expect(home.model.requests).toHaveLength(Math.round(usedUsd / 0.3));
  });

  test("a process that waits for reserved budget shows it, continues afterwards, and can be stopped", async () => {
    await using home = await TestKernel.boot();
    const parent = await home.task({ budget: "$1" });
    const [first, second, third] = [
      await home.task({ parent }),
      await home.task({ parent }),
      await home.task({ parent }),
    ];
    home.model.will(first, costing(0.1, { hold: true }));
    await home.send("go", { pid: first });
    await home.holding();
    const waiting = await home.send("go", { pid: second });
    await home.until("it waits", () => home.heard("process.budget").length === 1);
    expect(home.heard("process.budget")[0]).toMatchObject({
      pid: second,
      of: parent,
      text: `other runs have reserved the rest of the budget of ${parent}; ${second} waits`,
    });
    const { runId } = await home.send("go", { pid: third });
    await home.sys.call("proc.abort", { pid: third });
    expect(await home.ended(runId)).toMatchObject({ status: "aborted" });
    expect(home.model.requests).toHaveLength(1);
    home.model.release();
    expect(await home.ended(waiting.runId)).toMatchObject({ status: "ok" });
  });
});

describe("a day", () => {
  const day = (home: TestKernel, value: string, system = false) =>
    (system ? home.person(0) : home.sys).call("config.set", {
      key: "budget.day",
      value,
      ...(system ? { system } : {}),
    });

  test("holds all processes of an account when used up, and releases them at midnight in its owner's time zone", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("config.set", { key: "userTimezone", value: "Asia/Kathmandu" });
    await day(home, "$1");
    const pid = await home.task();
    home.model.will(INIT, costing(0.7));
    home.model.will(pid, costing(0.5));
    await home.say("one");
    await home.say("two", { pid });
    const { runId } = await home.send("three");
    const { waitsFor } = await home.inState(INIT, "paused");
    if (waitsFor?.kind !== "limit" || waitsFor.until === undefined) throw new Error("it waits for nothing");
    expect(new Date(waitsFor.until).toISOString()).toEndWith("T18:15:00.000Z");
    expect(await home.wait(INIT, { run: runId })).toMatchObject({ status: "held", exit: 6 });
    await home.clock.advance(waitsFor.until - home.clock.now() - 1);
    expect((await home.get(INIT)).state).toBe("paused");
    expect(home.kernel.dueWithinMs()).toBe(1);
    await home.clock.advance(1);
    expect(await home.ended(runId)).toMatchObject({ status: "ok" });
    expect(home.kernel.dueWithinMs()).toBeNull();
  });

  test("continues in another kernel", async () => {
    await using home = await TestKernel.boot();
    await day(home, "$1");
    home.model.will(INIT, costing(1));
    await home.say("one");
    await home.send("two");
    const { waitsFor } = await home.inState(INIT, "paused");
    await home.restart();
    expect((await home.get(INIT)).state).toBe("paused");
    await home.clock.advance((waitsFor?.kind === "limit" ? (waitsFor.until ?? 0) : 0) - home.clock.now());
    await home.inState(INIT, "idle");
  });

  test("is raised by its setting at once; no user can exceed root's limit", async () => {
    await using home = await TestKernel.boot();
    await day(home, "$1", true);
    home.model.will(INIT, costing(1));
    await home.say("one");
    await home.send("two");
    await home.inState(INIT, "paused");
    await day(home, "$50");
    expect((await home.get(INIT)).state).toBe("paused");
    await day(home, "$2", true);
    await home.inState(INIT, "idle");
    expect(await budgets(home)).toMatchObject([{ pid: null, owner: "sam", budget: "$2", usedUsd: 1 }]);
  });

  test("a new task has the default budget, unless a person sets another", async () => {
    await using home = await TestKernel.boot();
    await home.sys.call("config.set", { key: "budget.task", value: "$2,30m" });
    const [usual, own] = [await home.task(), await home.task({ budget: "$7" })];
    expect((await budgets(home)).map(({ pid, budget }) => [pid, budget])).toEqual([
      [usual, "$2,30m"],
      [own, "$7"],
    ]);
  });
});
