// Notifications of gsv's own, in a real kernel.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Notification } from "../../src/abi/notification.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import type { NotificationList } from "../../src/syscalls/due/notify-service.ts";
import { TestKernel } from "../support/kernel.ts";

let home: TestKernel;
let pid: string;

beforeEach(async () => {
  home = await TestKernel.boot();
  pid = await home.task();
});
afterEach(() => home[Symbol.asyncDispose]());

const all = async () => (await home.sys.call<NotificationList>("notify.list", {})).notifications;
const titles = async () => (await all()).map(({ title, level }) => [title, level]);
const arrived = (count: number) => home.until(`${count} notifications`, async () => (await all()).length === count);

async function asks(): Promise<Approval> {
  home.model.will(pid, { calls: [{ name: "Shell", args: { command: "true", ask: true } }] });
  await home.send("build it", { pid });
  await home.inState(pid, "waiting_hil");
  const { approvals } = await home.sys.call<{ approvals: Approval[] }>("hil.list", {});
  return approvals.find((each) => each.pid === pid)!;
}

describe("an approval", () => {
  test("notifies when no terminal is there, and its answer marks it as read", async () => {
    const { id } = await asks();
    await arrived(1);
    const [shown] = await all();
    expect(shown).toMatchObject({
      ...{ title: `${pid} needs your approval`, level: "warning", source: { kind: "approval", pid, id } },
      actions: [
        { command: "approve", on: id },
        { command: "open", on: pid },
      ],
    } satisfies Partial<Notification>);
    await home.sys.call("hil.answer", { id, decision: "deny" });
    await home.until("read", async () => (await all())[0]?.readAt !== null);
  });

  test("does not notify when a terminal shows it", async () => {
    const stop = (await home.client()).on({ names: ["chat.*", "notification.created"] }, () => {});
    await asks();
    stop();
    expect(await titles()).toEqual([]);
  });

  test("does not notify when a client follows its process", async () => {
    (await home.client()).on({ pid, names: ["chat.*"] }, () => {});
    await asks();
    expect(await titles()).toEqual([]);
  });
});

test("a question that nobody is looking at notifies, and its answer marks it as read", async () => {
  home.model.will(pid, { calls: [{ name: "Ask", args: { question: "Which one?", choices: ["a", "b"] } }] });
  await home.send("choose", { pid });
  await home.inState(pid, "waiting_hil");
  await arrived(1);
  const [shown] = await all();
  expect(shown).toMatchObject({
    ...{ title: `${pid} asks a question`, body: "Which one?", level: "warning" },
    actions: [{ command: "open", on: pid }],
  });
  await home.sys.call("hil.answer", { id: (shown!.source as { id: string }).id, decision: "answer", text: "a" });
  await home.until("read", async () => (await all())[0]?.readAt !== null);
});

describe("the end of a run", () => {
  /** A run of this length. */
  async function runs(ms: number): Promise<void> {
    home.model.will(pid, { text: "done", hold: true });
    const { runId } = await home.send("work", { pid });
    await home.holding();
    await home.clock.advance(ms);
    home.model.release();
    await home.ended(runId);
  }

  test("notifies after more than a minute", async () => {
    await runs(61_000);
    await arrived(1);
    expect(await titles()).toEqual([[`${pid} is done`, "success"]]);
  });

  test("notifies if a kernel restarted in between: its whole time counts", async () => {
    home.model.will(pid, { text: "cut", hold: true }, { text: "done", hold: true });
    const { runId } = await home.send("work", { pid });
    await home.holding();
    await home.clock.advance(40_000);
    home.model.forget();
    await home.restart();
    await home.holding();
    await home.clock.advance(30_000);
    home.model.release();
    await home.ended(runId);
    await arrived(1);
    expect(await titles()).toEqual([[`${pid} is done`, "success"]]);
  });

  test("does not notify after less", async () => {
    await runs(59_000);
    expect(await titles()).toEqual([]);
  });
});

test("a spent budget notifies once", async () => {
  const spender = await home.task({ budget: "$1" });
  home.model.will(spender, { text: "one", usage: { costUsd: 1.1 } });
  await home.say("first", { pid: spender });
  await home.send("second", { pid: spender });
  await home.inState(spender, "paused");
  await arrived(1);
  await home.send("third", { pid: spender });
  await home.quiet();
  expect(await titles()).toEqual([[`${spender} has used up its budget`, "warning"]]);
});

describe("a failed schedule", () => {
  test("notifies, again only when the first was read", async () => {
    await home.sys.call("sched.add", { when: "every 1h", text: "exit 3", exec: true, name: "nightly" });
    await home.sys.call("sched.run", { schedule: "nightly" });
    await arrived(1);
    const [first] = await all();
    expect(first).toMatchObject({
      ...{ title: "schedule nightly failed", level: "error", actions: [{ command: "retry", on: "nightly" }] },
    });
    await home.sys.call("sched.run", { schedule: "nightly" });
    const ends = () => home.signals.filter(({ name }) => name === "process.schedule").length;
    await home.until("the second end", () => ends() === 2);
    expect((await all()).length).toBe(1);
  });
});

describe("an agent", () => {
  test("sends with its own pid, sees only its own, and reads none", async () => {
    const inside = await home.insideOf(pid);
    await home.sys.call("notify.send", { title: "mine" });
    await inside.call("notify.send", { title: "tests fail", action: `open ${pid}` });
    expect((await all())[0]).toMatchObject({ title: "tests fail", source: { kind: "process", pid } });
    const { notifications } = await inside.call<NotificationList>("notify.list", {});
    expect(notifications.map(({ title }) => title)).toEqual(["tests fail"]);
    expect((await home.refusal("notify.read", { all: true }, inside)).code).toBe("EPERM");
  });

  test("cannot offer an approval or a schedule", async () => {
    const { id } = await asks();
    const inside = await home.insideOf(pid);
    for (const action of [`approve ${id}`, "retry nightly"])
      expect((await home.refusal("notify.send", { title: "x", action }, inside)).code).toBe("EPERM");
  });

  test("sends 20 in an hour, all of an account together 60", async () => {
    for (let process = 0; process < 3; process++) {
      const inside = await home.insideOf(process === 0 ? pid : await home.task());
      for (let n = 0; n < 20; n++) await inside.call("notify.send", { title: `news ${n}` });
      expect((await home.refusal("notify.send", { title: "more" }, inside)).message).toContain("has sent 20");
    }
    const fourth = await home.insideOf(await home.task());
    expect(await home.refusal("notify.send", { title: "more" }, fourth)).toMatchObject({ code: "ELIMIT" });
    await home.clock.advance(3_600_000);
    await fourth.call("notify.send", { title: "later" });
  });
});
