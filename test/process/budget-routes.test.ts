// No process raises its own budget or another's: every route is tried.

import { expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { BudgetInfo } from "../../src/syscalls/system/spending.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const CEILING = "$1";

async function bounded(home: TestKernel): Promise<{ readonly pid: string; readonly inside: Sys }> {
  await home.sys.call("config.set", { key: "budget.day", value: "$5" });
  await home.sys.call("config.set", { key: "budget.task", value: "$2" });
  const pid = await home.task({ budget: CEILING });
  return { pid, inside: await home.insideOf(pid) };
}

const budgetsOf = async (home: TestKernel, pid: string) =>
  (await home.sys.call<{ budgets: BudgetInfo[] }>("proc.budgets", { pid })).budgets.map((each) => [
    each.pid,
    each.budget,
  ]);

async function refused(what: Promise<unknown>): Promise<string> {
  return what.then(
    () => "done",
    (error: unknown) => (error instanceof SysError ? error.code : String(error)),
  );
}

test("not by the call, for itself or a child, also if a person approved the call", async () => {
  await using home = await TestKernel.boot();
  const { pid, inside } = await bounded(home);
  const child = await inside.call<{ pid: string }>("proc.spawn", { label: "helper" });
  for (const door of [inside, await home.insideOf(pid, { approved: true }), await home.insideOf(child.pid)])
    for (const of of [pid, child.pid, INIT])
      for (const budget of ["+$1", "$100", "none", "$0.01"])
        expect(await refused(door.call("proc.budget", { pid: of, budget }))).toBe("EPERM");
  for (const key of ["budget.day", "budget.task", "ai.prices", "run.maxTurns", "userTimezone"])
    expect(await refused(inside.call("config.set", { key, value: "$100" }))).toBe("EPERM");
  expect(await budgetsOf(home, pid)).toEqual([
    [pid, CEILING],
    [null, "$5"],
  ]);
});

test("not by a file: ctl, /sys/budget, the settings; with or without approval of the write", async () => {
  await using home = await TestKernel.boot();
  const { pid } = await bounded(home);
  const writes = [
    [`/proc/${pid}/ctl`, "budget +$1"],
    [`/proc/self/ctl`, "budget none"],
    [`/sys/budget/${pid}/usd.max`, "+1"],
    [`/sys/budget/${pid}/tokens.max`, "max"],
    ["/sys/budget/day/usd.max", "100"],
    ["/sys/users/1000/config/budget.day", "$100"],
    ["/sys/users/1000/config/ai.prices", "{}"],
    // An earlier start of the day would be a new budget.
    ["/sys/users/1000/config/userTimezone", "Pacific/Kiritimati"],
    ["/sys/config/budget.day", "$100"],
  ] as const;
  for (const [path, content] of writes)
    for (const seen of [{}, { approved: true }, { allowed: path }] as const) {
      const code = await refused((await home.insideOf(pid, seen)).call("fs.write", { path, content }));
      expect(`${path} ${code}`).not.toBe(`${path} done`);
    }
  // Through the tool, a person is asked if at all; an approval of a write is not an approval of this.
  home.model.will(
    pid,
    { calls: writes.map(([path, content]) => ({ name: "Write", args: { path, content } })) },
    { text: "no way" },
  );
  const { runId } = await home.send("raise yourself", { pid });
  await home.until("it ends", async () => {
    for (const { id } of home.heard("chat.hil"))
      await home.sys.call("hil.answer", { id, decision: "approve" }).catch(() => {});
    return home.heard("chat.complete", runId).length > 0;
  });
  expect((await home.outline(pid)).filter((line) => line === "Write: completed")).toEqual([]);
  expect(await budgetsOf(home, pid)).toEqual([
    [pid, CEILING],
    [null, "$5"],
  ]);
});

test("not by a shell and its commands, also one that a person approved", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  const { pid } = await bounded(home);
  const command = [
    `gsv budget ${pid} '+$1'`,
    `gsv budget ${pid} none`,
    `gsv api proc.budget '{"pid":"${pid}","budget":"$9"}'`,
    "gsv config set budget.day '$9'",
    `echo 'budget +$1' > /proc/${pid}/ctl`,
    `echo 100 > /sys/budget/${pid}/usd.max`,
  ].join("; ");
  home.model.will(pid, {
    calls: [
      { name: "Shell", args: { command } },
      { name: "Shell", args: { command, ask: true } },
    ],
  });
  const { runId } = await home.send("raise yourself", { pid });
  await home.until("it asks", () => home.heard("chat.hil").length === 1);
  await home.sys.call("hil.answer", { id: home.heard("chat.hil")[0]?.id, decision: "approve" });
  await home.ended(runId);
  expect(await budgetsOf(home, pid)).toEqual([
    [pid, CEILING],
    [null, "$5"],
  ]);
}, 30_000);

test("not by a child with a larger budget, another parent, or a longer life than its parent", async () => {
  await using home = await TestKernel.boot();
  const { pid, inside } = await bounded(home);
  const chains = [];
  for (const args of [{ budget: "$100" }, { parent: INIT, budget: "$100" }, { parent: INIT }]) {
    const child = await inside.call<{ pid: string }>("proc.spawn", args);
    chains.push(await budgetsOf(home, child.pid));
    // An agent cannot widen the default budget of tasks either.
    expect(chains.at(-1)).toEqual([
      [child.pid, "$2"],
      [pid, CEILING],
      [null, "$5"],
    ]);
    await inside.call("proc.kill", { pid: child.pid });
  }
  const left = await inside.call<{ pid: string }>("proc.spawn", { parent: INIT });
  await home.sys.call("proc.kill", { pid });
  expect((await budgetsOf(home, left.pid)).map(([of]) => of)).toEqual([left.pid, pid, null]);
});
