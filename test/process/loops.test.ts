// gsv notices an agent in a loop, and does not mistake progress for one.

import { expect, test } from "bun:test";
import type { PlannedCall } from "../support/answers.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const read = (path: string): PlannedCall => ({ name: "Read", args: { path } });
const step = (...calls: PlannedCall[]) => ({ calls });
const times = (count: number, ...calls: PlannedCall[]) => Array.from({ length: count }, () => step(...calls));

test("a fifth identical call asks; approved it runs and asks again five calls later; denied, its model gets an error", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, ...times(10, { name: "Write", args: { path: "~/a", content: "x" } }), { text: "I see" });
  const { runId } = await home.send("go");
  const why = (count: number) =>
    `make the same call for the ${count}th time, without new results: it may be stuck in a loop`;
  const first = await home.inState(INIT, "waiting_hil");
  expect(first.waitsFor).toMatchObject({ kind: "approval", tool: "Write", summary: why(5) });
  expect((await home.outline(INIT)).filter((line) => line === "Write: completed")).toHaveLength(4);
  await home.sys.call("hil.answer", { id: home.heard("chat.hil")[0]?.id, decision: "approve" });
  await home.until("it asks again", () => home.heard("chat.hil").length === 2);
  expect(home.heard("chat.hil")[1]?.why).toBe(why(10));
  expect((await home.outline(INIT)).filter((line) => line === "Write: completed")).toHaveLength(9);
  await home.sys.call("hil.answer", { id: home.heard("chat.hil")[1]?.id, decision: "deny" });
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "I see" });
  expect(await home.outline(INIT)).toContain("Write: denied");
});

test("alternating calls are a loop too, and so are calls with reordered arguments", async () => {
  await using home = await TestKernel.boot();
  const [one, two] = [await home.task(), await home.task()];
  home.model.will(one, ...times(5, read("/proc/version"), read("/proc/uptime")));
  home.model.will(two, ...times(2, { name: "Search", json: '{"query":"x","path":"/tmp"}' }));
  home.model.will(two, ...times(4, { name: "Search", json: '{"path":"/tmp","query":"x"}' }));
  for (const pid of [one, two]) await home.send("go", { pid });
  for (const pid of [one, two])
    expect((await home.inState(pid, "waiting_hil")).waitsFor).toMatchObject({
      summary: expect.stringContaining("5th"),
    });
});

test("an identical call after a change is work: checking the result of each change", async () => {
  await using home = await TestKernel.boot();
  const change = (at: number): PlannedCall => ({ name: "Write", args: { path: "~/a", content: `v${at}` } });
  home.model.will(INIT, ...Array.from({ length: 8 }, (_, at) => step(change(at), read("~/a"))), { text: "good" });
  expect(await home.say("go")).toMatchObject({ status: "ok", text: "good" });
  // Another run starts a new count.
  home.model.will(INIT, ...times(4, read("~/a")), { text: "same" });
  expect(await home.say("again")).toMatchObject({ status: "ok", text: "same" });
});

test("without an approver it is an error result, and the run continues", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task({ profile: "cron" });
  home.model.will(pid, ...times(5, read("/proc/version")), { text: "I stop" });
  expect(await home.say("go", { pid })).toMatchObject({ status: "ok", text: "I stop" });
  const last = (await home.messages(pid)).findLast(({ role }) => role === "toolResult");
  expect(last?.content).toMatchObject({
    outcome: "denied",
    output: expect.stringContaining("You have made the same call 5 times without new results;"),
  });
});
