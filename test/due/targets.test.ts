// What a schedule starts besides messages, tasks and commands, and what it may do: events, policies of its own, rights, and things that are gone.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Occurrence, ScheduleInfo } from "../../src/abi/schedule.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman, inKernelDb } from "../support/people.ts";
import { scratchDirectory } from "../support/scratch.ts";

const MINUTE = 60_000;
const POLICY = JSON.stringify({ rules: [{ match: "fs.delete", action: "auto" }] });

let home: TestKernel;

beforeEach(async () => {
  home = await TestKernel.boot();
});
afterEach(() => home[Symbol.asyncDispose]());

const add = (text: string, more: object) =>
  home.sys.call<ScheduleInfo>("sched.add", { when: "every 1m", text, name: "job", ...more });

const newest = async (): Promise<Occurrence | undefined> =>
  (await home.stores.kernel.occurrences.history({ limit: 1 }))[0];

async function ended(): Promise<Occurrence> {
  await home.clock.advance(MINUTE);
  await home.until("it ends", async () => (await newest())?.finishedAt != null);
  return (await newest())!;
}

describe("an event", () => {
  test("is a message of gsv itself, starts a run, and ends as it", async () => {
    home.model.will(INIT, { text: "Noted." });
    await add("The build is old.", { event: true });
    expect(await ended()).toMatchObject({ state: "ok", result: { pid: INIT, line: "Noted." } });
    expect(await home.outline(INIT)).toContain("system: schedule.event: the schedule job is due:\nThe build is old.");
  });

  test("goes to the named process, once whatever crashes", async () => {
    const pid = await home.task();
    await add("Look again.", { event: true, pid });
    await home.clock.advance(MINUTE);
    await home.until("it ends", async () => (await newest())?.finishedAt != null);
    await home.start();
    const events = (await home.outline(pid)).filter((line) => line.startsWith("system: schedule.event"));
    expect(events.length).toBe(1);
  });

  test("is refused for a process that the account does not see", async () => {
    const bob = await addHuman(home, "bob");
    expect((await home.refusal("sched.add", { when: "@daily", text: "x", event: true, pid: bob.init })).code).toBe(
      "ESRCH",
    );
  });
});

/** The outcome of the schedule's call that deletes a file. */
async function deletes(): Promise<string> {
  await home.sys.call("fs.write", { path: "~/old", content: "words" });
  home.model.willNext({ calls: [{ name: "Delete", args: { path: "~/old" } }] });
  const { result } = await ended();
  return (await home.outline(result.pid!)).find((line) => line.startsWith("Delete:"))!;
}

describe("a policy of its own", () => {
  test("without one, a call that would ask is denied", async () => {
    await add("Tidy up.", { new: true });
    expect(await deletes()).toBe("Delete: denied");
  });

  test("allows what it names, from the first call on", async () => {
    await add("Tidy up.", { new: true, policy: POLICY });
    expect(await deletes()).toBe("Delete: completed");
    expect(await home.outline((await newest())!.result.pid!)).toContain("user: Tidy up.");
  });

  test("is for the tasks of the schedule only, whatever their label", async () => {
    await add("Tidy up.", { new: true, policy: POLICY });
    await home.sys.call("fs.write", { path: "~/old", content: "words" });
    const pid = await home.task({ profile: "cron", label: "job" });
    home.model.will(pid, { calls: [{ name: "Delete", args: { path: "~/old" } }] });
    await home.send("tidy", { pid });
    await home.inState(pid, "idle");
    expect(await home.outline(pid)).toContain("Delete: denied");
  });

  test("does not lift a deny of the account", async () => {
    await home.sys.call("config.set", {
      ...{ key: "ai.tools.approval", value: '{"rules":[{"match":"fs.delete","action":"deny"}]}' },
    });
    await add("Tidy up.", { new: true, policy: POLICY });
    expect(await deletes()).toBe("Delete: denied");
  });

  test("is given by people only, and lost when an agent changes the task", async () => {
    const agent = await home.insideOf(await home.task(), { approved: true });
    const wanted = { when: "@daily", text: "x", new: true, policy: POLICY };
    expect((await home.refusal("sched.add", wanted, agent)).message).toContain("cannot give a schedule a policy");
    await add("Tidy up.", { new: true, policy: POLICY });
    await agent.call("sched.update", { schedule: "job", when: "every 2m" });
    expect((await home.sys.call<ScheduleInfo>("sched.get", { schedule: "job" })).target).toHaveProperty("policy");
    await agent.call("sched.update", { schedule: "job", text: "Delete everything." });
    expect((await home.sys.call<ScheduleInfo>("sched.get", { schedule: "job" })).target).not.toHaveProperty("policy");
  });

  test.each([
    ["not JSON", "not JSON"],
    ['{"rules":[{"match":"fs.delete","action":"yes"}]}', "action must be one of"],
  ])("that is invalid is refused: %s", async (policy, why) => {
    const refusal = await home.refusal("sched.add", { when: "@daily", text: "x", new: true, policy });
    expect([refusal.code, refusal.message]).toEqual(["EINVAL", expect.stringContaining(`--policy: invalid policy: `)]);
    expect(refusal.message).toContain(why);
  });

  test("needs a task, and goes with none", async () => {
    const refusal = await home.refusal("sched.add", { when: "@daily", text: "ls", exec: true, policy: POLICY });
    expect(refusal.message).toContain("--policy needs --new");
    await add("Tidy up.", { new: true, policy: POLICY });
    await home.sys.call("sched.update", { schedule: "job", policy: "none" });
    expect((await home.sys.call<ScheduleInfo>("sched.get", { schedule: "job" })).target).not.toHaveProperty("policy");
  });
});

describe("rights", () => {
  test("are those that the creator has when it runs, and no longer those that it had", async () => {
    await add("echo hello", { exec: true });
    expect((await ended()).state).toBe("ok");
    inKernelDb(home, (db) => db.run("DELETE FROM group_capabilities WHERE capability = 'shell.*'"));
    expect(await ended()).toMatchObject({ state: "error", error: expect.stringContaining("may not call shell.run") });
  });

  test("are checked when it is added", async () => {
    inKernelDb(home, (db) => db.run("DELETE FROM group_capabilities WHERE capability = 'shell.*'"));
    const refusal = await home.refusal("sched.add", { when: "@daily", text: "ls", exec: true });
    expect([refusal.code, refusal.message.includes("needs shell.exec")]).toEqual(["EPERM", true]);
  });

  test("of an agent shrink with what it drops after it added the schedule", async () => {
    const pid = await home.task();
    const agent = await home.insideOf(pid, { approved: true });
    await agent.call("sched.add", { when: "every 1m", text: "hello", name: "job" });
    inKernelDb(home, (db) =>
      db.run("UPDATE processes SET dropped_json = '[\"proc.send\"]' WHERE process_id = ?", [pid]),
    );
    expect(await ended()).toMatchObject({ state: "error", error: expect.stringContaining("may not call proc.send") });
  });
});

describe("what is gone when it runs is an outcome:", () => {
  test("the account of its creator", async () => {
    const root = home.person(0);
    await root.call("account.create", { username: "bob" });
    const { uid } = (await home.stores.kernel.people.list()).find(({ username }) => username === "bob")!;
    await root.call("sched.add", { when: "every 1m", text: "echo hello", exec: true, name: "job" });
    inKernelDb(home, (db) => db.run("UPDATE schedules SET creator_json = ?", [JSON.stringify({ uid })]));
    await root.call("account.remove", { username: "bob", force: true });
    expect(await ended()).toMatchObject({ state: "error", error: `account ${uid} does not exist` });
  });

  test("the process that an event is for", async () => {
    const pid = await home.task();
    await add("hello", { event: true, pid });
    await home.sys.call("proc.kill", { pid });
    expect(await ended()).toMatchObject({ state: "error", error: expect.stringContaining("was killed") });
  });

  test("the directory of a command and of a task", async () => {
    const directory = join(scratchDirectory("gone"), "project");
    mkdirSync(directory);
    await home.sys.call("workspace.attach", { what: directory });
    await home.sys.call("fs.mkdir", { path: "~/there" });
    await add("pwd", { exec: true, cwd: "~/there" });
    await home.sys.call("fs.remove", { path: "~/there", recursive: true });
    expect(await ended()).toMatchObject({ state: "error", error: expect.stringContaining("there") });
    await home.sys.call("sched.remove", { schedule: "job" });
    await add("hello", { new: true, workspace: directory });
    rmSync(directory, { recursive: true });
    expect(await ended()).toMatchObject({ state: "error", error: expect.stringContaining("project") });
  });
});

test("the schedules of a removed account go with it, and a new account of the same number has none", async () => {
  const root = home.person(0);
  await root.call("account.create", { username: "bob" });
  const { uid } = (await home.stores.kernel.people.list()).find(({ username }) => username === "bob")!;
  const bob = home.person(uid);
  await bob.call("sched.add", { when: "every 1m", text: "echo hello", exec: true, name: "job" });
  await bob.call("fs.write", { path: "/var/spool/cron/bob", content: "* * * * * echo hello\n" });
  await root.call("account.remove", { username: "bob", force: true });
  const { schedules } = home.stores.kernel;
  expect([await schedules.count(uid), (await schedules.cronFiles()).length]).toEqual([0, 0]);
  await home.clock.advance(MINUTE);
  expect([await newest(), home.faults]).toEqual([undefined, []]);
});
