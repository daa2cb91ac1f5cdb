// The log of the calls of a process, followed: who waits for the next one is told of it, and hears of an end.

import { expect, test } from "bun:test";
import type { TraceRow } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

type Page = { readonly rows: readonly TraceRow[] };

test("who waits for the next call of a process is told when it is made, each once", async () => {
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

test("where no call comes, the wait is over in time", async () => {
  await using home = await TestKernel.boot();
  const late = home.sys.call<Page>("proc.trace", { pid: INIT, after: 0, waitMs: 1000 });
  await home.until("somebody waits", () => home.clock.isDueWithin(1000));
  await home.clock.advance(1000);
  expect((await late).rows).toEqual([]);
});
