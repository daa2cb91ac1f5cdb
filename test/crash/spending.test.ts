// kill -9 at random while several children spend from one budget: every stored answer is charged exactly once, to its process and to the
// budget, and together they overspend it by at most one.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import type { WaitResult } from "../../src/syscalls/services.ts";
import type { BudgetInfo, UsagePage } from "../../src/syscalls/system/spending.ts";
import type { CrashPlan } from "../support/crash.ts";
import { type TestHome, withHome } from "../support/home.ts";
import { type Random, seeded } from "../support/random.ts";
import { samples } from "../support/soak.ts";

const KILLS = 3;
const CHILDREN = 3;
const COST = 0.01;
const BUDGET = 0.15;
const SCRIPT = [
  {
    repeat: 100_000,
    calls: [{ name: "Write", args: { path: "~/w-{{n}}", content: "x" } }],
    usage: { input: 10, costUsd: COST },
  },
];

function deaths(home: TestHome, random: Random): () => CrashPlan {
  return () =>
    home.deaths >= KILLS
      ? {}
      : { dieAfter: { seams: 200 + random.int(200), how: random.pick(["there", "soon"] as const) } };
}

/** The answers in the processes' own histories. */
function kept(home: TestHome, pids: readonly string[]): { readonly turns: number; readonly input: number } {
  const sums = pids.map((pid) => {
    const db = new Database(`${home.paths.procDir}/${pid}.db`, { readonly: true });
    const sql = "SELECT count(*) AS turns, total(usage_json ->> 'input') AS input FROM usage WHERE wasted = 0";
    const row = db.query<{ turns: number; input: number }, []>(sql).get();
    db.close();
    return row ?? { turns: 0, input: 0 };
  });
  return sums.reduce((all, each) => ({ turns: all.turns + each.turns, input: all.input + each.input }));
}

/** Until the budget stops it. A run in which too many kernels died is given up, and another takes its place. */
async function spendAll(sys: Sys, pid: string): Promise<void> {
  for (;;) {
    const { results } = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [pid] });
    if (results[0]?.exit === 6) return;
    expect(results[0]?.error).toStartWith("aborted: the kernel crashed");
    await sys.call("proc.send", { pid, message: "go on" });
  }
}

for (let round = 1; round <= samples(1, 25); round++) {
  test(`seed ${round}: ${KILLS} random kills charge nothing twice, lose nothing and allow no overspending`, async () => {
    await withHome(async (home) => {
      home.plan = deaths(home, seeded(round));
      const sys = home.sys({ model: `script:${await home.file("spend.script", SCRIPT)}` });
      const { pid: parent } = await sys.call<{ pid: string }>("proc.spawn", { budget: `$${BUDGET}` });
      const children: string[] = [];
      for (let count = 0; count < CHILDREN; count++)
        children.push((await sys.call<{ pid: string }>("proc.spawn", { parent, prompt: "go" })).pid);
      for (const pid of children) await spendAll(sys, pid);
      while (home.deaths < KILLS) await home.kill();
      expect(await sys.call<ProcessInfo>("proc.get", { pid: children[0] })).toMatchObject({ state: "paused" });
      const { total } = await sys.call<UsagePage>("proc.usage", { by: "process" });
      const { budgets } = await sys.call<{ budgets: BudgetInfo[] }>("proc.budgets", {});
      await home.stop();
      // A run that was given up may have woken their parent.
      const { turns, input } = kept(home, [parent, ...children]);
      expect([total.turns, total.input]).toEqual([turns, input]);
      expect(total.costUsd).toBe(Math.round((input / 10) * COST * 1e6) / 1e6);
      expect(budgets).toMatchObject([{ pid: parent, usedUsd: total.costUsd, usedTokens: input }]);
      expect(total.costUsd).toBeGreaterThanOrEqual(BUDGET);
      expect(total.costUsd).toBeLessThanOrEqual(BUDGET + COST);
    });
  }, 120_000);
}
