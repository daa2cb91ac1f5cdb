// Usage of answers is counted once, independent of the process's fate, and adds up in every view.

import { expect, test } from "bun:test";
import type { Sys } from "../../src/abi/sys.ts";
import type { BudgetInfo, UsageBy, UsagePage } from "../../src/syscalls/system/spending.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { seeded } from "../support/random.ts";
import { samples } from "../support/soak.ts";

const sums = (sys: Sys, query: { by?: UsageBy; pid?: string; since?: string } = {}) =>
  sys.call<UsagePage>("proc.usage", query);
const AMOUNTS = [
  "turns",
  "wasted",
  "input",
  "output",
  "cacheRead",
  "cacheWrite",
  "costUsd",
  "unpriced",
  "runMs",
] as const;
/** In millionths, so that adding loses nothing. */
const whole = (page: UsagePage, name: (typeof AMOUNTS)[number]) =>
  page.rows.reduce((sum, row) => sum + Math.round(row[name] * 1e6), 0);

const GROUPINGS = ["model", "process", "day", "session", "account"] as const;

test("sums by model, process, day, session and account are equal, and budgets include all usage within them", async () => {
  await using home = await TestKernel.boot();
  const random = seeded(17);
  await home.sys.call("config.set", { key: "userTimezone", value: "Asia/Kathmandu" });
  const pids = [INIT];
  for (let count = 0; count < 6; count++) {
    const parent = random.pick(pids);
    pids.push(await home.task({ parent, ...(random.int(2) === 0 ? { budget: "$50" } : {}) }));
  }
  const used = { costUsd: 0, input: 0 };
  for (let round = 0; round < samples(20, 400); round++) {
    const pid = random.pick(pids);
    const usage = {
      input: random.int(5000),
      output: random.int(500),
      cacheRead: random.int(9000),
      costUsd: random.int(90_000) / 1e6,
    };
    used.costUsd += Math.round(usage.costUsd * 1e6);
    used.input += usage.input;
    const wasted = random.int(4) === 0 ? [{ error: { class: "protocol" as const, message: "cut" } }] : [];
    home.model.will(pid, ...wasted, { text: "so be it", usage });
    const { runId } = await home.send("go", { pid, model: random.pick(["offline", "script:/a"]) });
    await home.until("it ends", async () => {
      await home.clock.advance(200);
      return home.heard("chat.complete", runId).length > 0;
    });
    await home.clock.advance(random.int(20 * 3_600_000));
    if (random.int(8) === 0) await home.sys.call("proc.reset", { pid });
  }
  const pages = await Promise.all(GROUPINGS.map((by) => sums(home.sys, { by })));
  for (const page of pages)
    for (const name of AMOUNTS)
      expect([name, whole(page, name)]).toEqual([name, Math.round(pages[0]!.total[name] * 1e6)]);
  expect([whole(pages[0]!, "costUsd"), pages[0]!.total.input]).toEqual([used.costUsd, used.input]);
  expect(pages.map(({ rows }) => rows.length > 1)).toEqual([true, true, true, true, false]);
  // A budget counts the usage of its process and all its descendants.
  const { budgets } = await home.sys.call<{ budgets: BudgetInfo[] }>("proc.budgets", {});
  const byProcess = new Map((await sums(home.sys, { by: "process" })).rows.map(({ key, costUsd }) => [key, costUsd]));
  for (const { pid, usedUsd } of budgets) {
    const below = await familyOf(home, pid ?? "", pids);
    const spent = below.reduce((sum, each) => sum + Math.round((byProcess.get(each) ?? 0) * 1e6), 0);
    expect(`${pid} ${Math.round(usedUsd * 1e6)}`).toBe(`${pid} ${spent}`);
  }
  expect(budgets.length).toBeGreaterThan(1);
});

async function familyOf(home: TestKernel, pid: string, pids: readonly string[]): Promise<string[]> {
  const family = [pid];
  for (let grown = true; grown; ) {
    grown = false;
    for (const each of pids) {
      const { parentPid } = await home.get(each);
      if (family.includes(each) || !family.includes(parentPid ?? "")) continue;
      family.push(each);
      grown = true;
    }
  }
  return family;
}

test("usage stays after reset, kill and the next kernel, and can be read for an ended process", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task({ label: "docs" });
  home.model.will(
    pid,
    { text: "a", usage: { input: 10, output: 2, costUsd: 0.25 } },
    { text: "b", usage: { costUsd: 0.5 } },
  );
  await home.say("one", { pid });
  expect((await sums(home.sys, { by: "process" })).rows).toMatchObject([{ key: pid, label: "docs", turns: 1 }]);
  await home.sys.call("proc.reset", { pid });
  await home.say("two", { pid });
  await home.sys.call("proc.kill", { pid, noArchive: true });
  await home.restart();
  const expected = { key: pid, label: null, turns: 2, input: 10, output: 2, costUsd: 0.75 };
  expect((await sums(home.sys, { by: "process", pid })).rows).toMatchObject([expected]);
  expect((await sums(home.sys)).total).toMatchObject({ costUsd: 0.75, turns: 2 });
});

test("failed and retried answers count as the server reported; a run's end has the sum of its own", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { cut: true }, { text: "at last", usage: { input: 7, costUsd: 0.1 } });
  const { runId } = await home.send("go");
  await home.until("it ends", async () => {
    await home.clock.advance(500);
    return home.heard("chat.complete", runId).length > 0;
  });
  expect((await sums(home.sys)).total).toMatchObject({ turns: 1, wasted: 1, input: 7, costUsd: 0.1 });
  expect(await home.wait(INIT)).toMatchObject({ usage: { input: 7, costUsd: 0.1 } });
});

test("you see your own usage, root all; since limits it, and an invalid start is refused", async () => {
  await using home = await TestKernel.boot();
  await home.person(0).call("account.create", { username: "bob" });
  const bob = home.person(1002);
  home.model.will(INIT, { text: "a", usage: { costUsd: 0.25 } });
  await home.say("one");
  expect((await sums(bob)).rows).toEqual([]);
  expect((await sums(home.sys, { pid: await home.task() })).rows).toEqual([]);
  for (const [sys, pid] of [
    [bob, INIT],
    [home.sys, "task:zzzzzz"],
  ] as const)
    expect(await home.refusal("proc.usage", { pid }, sys)).toMatchObject({ code: "ESRCH" });
  expect((await sums(home.person(0), { by: "account" })).rows).toMatchObject([{ key: "sam", costUsd: 0.25 }]);
  await home.clock.advance(3 * 86_400_000);
  expect((await sums(home.sys, { since: "2d" })).rows).toEqual([]);
  expect((await sums(home.sys, { since: "4d" })).total.turns).toBe(1);
  const today = new Date(home.clock.now() - 3 * 86_400_000).toISOString().slice(0, 10);
  expect((await sums(home.sys, { since: today })).total.turns).toBe(1);
  for (const since of ["tomorrow", "2026-13-40", "-1d", "5"])
    expect(await home.refusal("proc.usage", { since })).toMatchObject({ code: "EINVAL" });
});

test("the list of processes and the files of one show their cost", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "a", usage: { input: 1000, output: 10, costUsd: 0.25 } });
  await home.say("one");
  expect(await home.get(INIT)).toMatchObject({ costUsd: 0.25, tokens: 1010 });
  await home.sys.call("proc.budget", { pid: INIT, budget: "$2,1h" });
  const read = async (name: string) =>
    (await home.sys.call<{ content: string }>("fs.read", { path: `/proc/${INIT}/${name}` })).content;
  expect(await read("status")).toMatch(/^Cost:\t\$0.25\nTokens:\t1010$/m);
  expect(await read("usage")).toBe(
    [
      ...["Turns:\t1", "Wasted:\t0", "Input:\t1000", "Output:\t10", "CacheRead:\t0", "CacheWrite:\t0", "RunTime:\t0s"],
      ...["Cost:\t$0.25", "Model:\t$0.25 1 offline", "Budget:\t0 % of $2,1h (init:1000)"],
    ].join("\n"),
  );
});
