// Charges of a run reach kernel.db with each turn, without a sync of their own. Until they are on disk there, the process keeps them: a
// power cut loses none.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { OutboxRow } from "../../src/store/process/verbs.ts";
import type { UsagePage } from "../../src/syscalls/system/spending.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

test("a process keeps the charges of a run until its end, and kernel.db counts them at once and only once", async () => {
  await using home = await TestKernel.boot();
  const look = { calls: [{ name: "Read", args: { path: "~" } }], usage: { input: 5 } };
  home.model.will(INIT, look, { text: "done", hold: true, usage: { input: 7 } });
  const { runId } = await home.send("look");
  await home.holding();
  expect([kept(home), await counted(home)]).toEqual([[5], 5]);
  home.model.release();
  await home.ended(runId);
  await home.quiet();
  expect([kept(home), await counted(home)]).toEqual([[], 12]);
});

test("a long run removes charges before its end, so that what it keeps is bounded", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "run.maxTurns", value: "100" });
  const turns = 60;
  for (let turn = 0; turn < turns; turn++)
    home.model.will(INIT, { calls: [{ name: "Read", args: { path: "~", offset: turn + 1 } }], usage: { input: 1 } });
  home.model.will(INIT, { text: "done", hold: true, usage: { input: 1 } });
  const { runId } = await home.send("look");
  await home.holding();
  expect(kept(home).length).toBeLessThan(turns / 2);
  home.model.release();
  await home.ended(runId);
  await home.quiet();
  expect([kept(home), await counted(home)]).toEqual([[], turns + 1]);
});

/** Tokens of the charges in the outbox of the process. */
function kept(home: TestKernel): number[] {
  const db = new Database(join(home.paths.procDir, `${INIT}.db`), { readonly: true });
  const rows = db.query<{ body_json: string }, []>("SELECT body_json FROM outbox ORDER BY seq").all();
  db.close();
  return rows.flatMap((row) => ((JSON.parse(row.body_json) as OutboxRow).usage ?? []).map(({ usage }) => usage.input));
}

async function counted(home: TestKernel): Promise<number> {
  return (await home.sys.call<UsagePage>("proc.usage", {})).total.input;
}
