// Why a run has no answer is part of its history: while it waits, and after it was aborted.

import { expect, test } from "bun:test";
import type { HistoryPage } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { typed } from "../support/kernel-io.ts";

const REASON = "anthropic is overloaded (529)";

/** The first call failed, and the next try is a second away. */
async function retrying(): Promise<TestKernel> {
  const home = await TestKernel.boot();
  home.model.will(INIT, { error: { class: "outage", message: REASON } });
  await home.send("hello", { model: "anthropic/m" });
  await home.until("a retry", async () => (await home.get(INIT)).waitsFor?.kind === "model");
  return home;
}

test("a run that waits for its next try shows what failed and when it retries, as text, JSON and file", async () => {
  await using home = await retrying();
  const says = new RegExp(
    `failure: ${RegExp.escape(REASON)}; retrying anthropic/m at 2026-01-02T\\S+Z \\(2 of \\d+\\)\\n$`,
  );
  for (const line of [["proc", "history"], ["history", "show"], ["logs"], ["logs", "--since", "1h"]])
    expect(await typed(home.sys, ...line)).toEqual([0, expect.stringMatching(says), ""]);
  expect((await typed(home.sys, "cat", `/proc/${INIT}/history`))[1]).toMatch(says);
  const [, json] = await typed(home.sys, "proc", "history", "--json");
  const last = JSON.parse(json.trim().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ role: "failure", waitsFor: { kind: "model", reason: REASON, class: "outage" } });
  expect(last.waitsFor.until).toBeGreaterThan(home.clock.now());
  // Messages stay messages: an older page and the file of messages have none.
  const { failure } = await home.sys.call<HistoryPage>("proc.history", { limit: 5, offset: 1 });
  expect(failure).toBeUndefined();
  expect((await typed(home.sys, "cat", `/proc/${INIT}/messages`))[1]).not.toContain(REASON);
});

test("aborting it leaves the failure in the history, and an answer ends it", async () => {
  await using home = await retrying();
  await home.sys.call("proc.abort", { pid: INIT });
  const [, text] = await typed(home.sys, "proc", "history");
  expect(text).toEndWith(`system: Generation failed: ${REASON}; the run was aborted\n`);
  await home.say("again");
  expect((await typed(home.sys, "proc", "history"))[1]).not.toContain("failure:");
});
