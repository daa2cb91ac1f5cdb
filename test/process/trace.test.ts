// The log of a process's calls, followed live.

import { expect, test } from "bun:test";
import type { TraceRow } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

type Page = { readonly rows: readonly TraceRow[] };

test("a follower gets each call of a process once, when it is made", async () => {
  await using home = await TestKernel.boot();
  const inside = await home.insideOf(INIT);
  const waiting = home.sys.call<Page>("proc.trace", { pid: INIT, after: 0, waitMs: 60_000 });
  await inside.call("proc.list", {});
  const [first] = (await waiting).rows;
  expect(first?.call).toBe("proc.list");
  const next = home.sys.call<Page>("proc.trace", { pid: INIT, after: first?.id, waitMs: 60_000 });
  await inside.call("system.whoami", {});
  expect((await next).rows.map(({ call }) => call)).toEqual(["system.whoami"]);
});

test("each model call is listed between the calls, with tokens and outcome, without messages", async () => {
  await using home = await TestKernel.boot();
  const usage = { input: 100, cacheRead: 900, output: 12 };
  home.model.will(
    INIT,
    { calls: [{ name: "Read", args: { path: "~/none" } }], usage },
    { text: "It is not there.", usage },
  );
  await home.say("look");
  home.model.will(INIT, { error: { class: "request", message: "no" } });
  await home.say("again");
  const { rows } = await home.sys.call<Page>("proc.trace", { pid: INIT });
  const model = rows[0] && (JSON.parse(rows[0].args) as { model: string }).model;
  expect(rows.map(({ call, outcome }) => `${call} ${outcome}`)).toEqual([
    "llm.chat ok",
    "fs.read ENOENT",
    "llm.chat ok",
    "llm.chat request",
  ]);
  expect(JSON.parse(rows[2]?.args ?? "")).toEqual({ model, in: 1000, cached: 900, out: 12 });
  expect(JSON.parse(rows[3]?.args ?? "")).toEqual({ model });
  expect(JSON.stringify(rows)).not.toContain("not there");
});

test("without a call the wait ends in time", async () => {
  await using home = await TestKernel.boot();
  const late = home.sys.call<Page>("proc.trace", { pid: INIT, after: 0, waitMs: 1000 });
  await home.until("somebody waits", () => home.clock.isDueWithin(1000));
  await home.clock.advance(1000);
  expect((await late).rows).toEqual([]);
});
