// A kernel with schedules: what starts, what becomes of it, and what the next kernel knows.

import { describe, expect, test } from "bun:test";
import type { Occurrence, ScheduleInfo } from "../../src/abi/schedule.ts";
import type { Failure } from "../../src/abi/stream.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman, inKernelDb, type Person } from "../support/people.ts";

const MINUTE = 60_000;
const REFUSED: Failure = { class: "request", message: "the server refused it", status: 400 } as Failure;

const add = (home: TestKernel, when: string, text: string, more: object = {}) =>
  home.sys.call<ScheduleInfo>("sched.add", { when, text, name: "job", ...more });

async function history(home: TestKernel): Promise<readonly Occurrence[]> {
  return (await home.sys.call<{ occurrences: Occurrence[] }>("sched.history", { limit: 100 })).occurrences;
}

/** The states of all occurrences, oldest first, once as many have ended. */
async function ends(home: TestKernel, count: number): Promise<string[]> {
  const ended = async () => (await history(home)).filter(({ finishedAt }) => finishedAt !== null);
  await home.until(`${count} occurrences end`, async () => (await ended()).length >= count);
  return (await history(home)).map(({ state }) => state).toReversed();
}

const job = (home: TestKernel) => home.sys.call<ScheduleInfo>("sched.get", { schedule: "job" });

describe("an occurrence", () => {
  test("of a message ends as its run: state, first line of the answer, process and cost", async () => {
    await using home = await TestKernel.boot();
    home.model.will(INIT, { text: "\nGood morning.\nIt rains.", usage: { input: 10, costUsd: 0.25 } });
    await add(home, "in 10 minutes", "How is the weather?");
    await home.clock.advance(9 * MINUTE);
    expect(await history(home)).toEqual([]);
    await home.clock.advance(MINUTE);
    expect(await ends(home, 1)).toEqual(["ok"]);
    const [{ result, error }] = (await history(home)) as [Occurrence];
    expect([result.pid, result.line, result.costMicros, error]).toEqual([INIT, "Good morning.", 250_000, null]);
    expect(await home.outline(INIT)).toContain("user: How is the weather?");
    const { nextAt, runs, costMicros } = await job(home);
    expect([nextAt, runs, costMicros]).toEqual([null, 1, 250_000]);
  });

  test("of a task has a process of its own with profile cron, and the one before is archived", async () => {
    await using home = await TestKernel.boot();
    await add(home, "every 10m", "Look for stale docs.", { new: true });
    await home.clock.advance(10 * MINUTE);
    await ends(home, 1);
    const first = (await history(home))[0]!.result.pid!;
    expect(await home.get(first)).toMatchObject({ profile: "cron", label: "job", parentPid: INIT });
    await home.clock.advance(10 * MINUTE);
    expect(await ends(home, 2)).toEqual(["ok", "ok"]);
    expect((await home.refusal("proc.get", { pid: first })).code).toBe("ESRCH");
    expect((await home.get((await history(home))[0]!.result.pid!)).state).toBe("idle");
    expect((await home.get(INIT)).queued).toBe(0);
  });

  test("of a command ends with its exit status and the first line of its output", async () => {
    await using home = await TestKernel.boot();
    await add(home, "in 1 minute", "echo one; echo two", { exec: true });
    await add(home, "in 1 minute", "echo no such thing >&2; exit 3", { exec: true, name: "bad" });
    await home.clock.advance(MINUTE);
    await ends(home, 2);
    const found = await history(home);
    const of = (name: string) => found.find(({ schedule }) => schedule === name)!;
    expect([of("job").state, of("job").result]).toEqual(["ok", { exit: 0, line: "one" }]);
    expect([of("bad").state, of("bad").error]).toEqual(["error", "exit status 3: no such thing"]);
  });

  test("that waits for an approval is blocked, and names it", async () => {
    await using home = await TestKernel.boot();
    home.model.will(INIT, { calls: [{ name: "Delete", args: { path: "~/a" } }] });
    await add(home, "in 1 minute", "Delete a.");
    await home.clock.advance(MINUTE);
    await home.until("it waits", async () => (await history(home))[0]?.state === "blocked");
    const [{ error, finishedAt }] = (await history(home)) as [Occurrence];
    expect(error).toMatch(/^waits for approval [a-z0-9]{4}: /);
    expect(finishedAt).toBeNull();
    await home.sys.call("hil.answer", { id: error!.slice(19, 23), decision: "deny" });
    expect(await ends(home, 1)).toEqual(["ok"]);
  });

  test.each([
    [
      "the process is gone",
      (_: TestKernel, bob: Person, pid: string) => bob.sys.call("proc.kill", { pid }),
      "was killed",
    ],
    [
      "its creator is locked out",
      (home: TestKernel) => home.person(0).call("account.update", { username: "bob", lock: true }),
      "account bob is locked",
    ],
    [
      "its creator may no longer send messages",
      (home: TestKernel) =>
        inKernelDb(home, (db) => db.run("DELETE FROM group_capabilities WHERE capability = 'proc.*'")),
      "bob may not call proc.send",
    ],
  ])("fails with a reason if %s", async (_, change, why) => {
    await using home = await TestKernel.boot();
    const bob = await addHuman(home, "bob");
    const { pid } = await bob.sys.call<{ pid: string }>("proc.spawn", {});
    await bob.sys.call("sched.add", { when: "in 1 minute", text: "hello", pid });
    await change(home, bob, pid);
    await home.clock.advance(MINUTE);
    const latest = async () => (await home.stores.kernel.occurrences.history({ limit: 1 }))[0];
    await home.until("it ends", async () => (await latest())?.finishedAt != null);
    expect(await latest()).toMatchObject({ state: "error", error: expect.stringContaining(why) });
  });
});

describe("three failures in a row", () => {
  test("pause the schedule with the reason, and it counts from zero once resumed", async () => {
    await using home = await TestKernel.boot();
    home.model.will(INIT, ...Array(4).fill({ error: REFUSED }));
    await add(home, "every 1m", "hello");
    for (let minute = 1; minute <= 3; minute++) {
      await home.clock.advance(MINUTE);
      await ends(home, minute);
    }
    expect(home.heard("process.schedule").map(({ pid, state }) => [pid, state])).toEqual(
      Array(3).fill([INIT, "error"]),
    );
    expect(home.heard("process.schedule").at(-1)!.text).toMatch(
      /^Schedule job: error: .*Paused\. To resume: gsv sched resume job$/,
    );
    const { enabled, pausedWhy, nextAt } = await job(home);
    expect([enabled, nextAt]).toEqual([false, null]);
    expect(pausedWhy).toContain("3 failures in a row; the last: ");
    await home.clock.advance(5 * MINUTE);
    expect((await history(home)).length).toBe(3);
    await home.sys.call("sched.update", { schedule: "job", enabled: "on" });
    await home.clock.advance(MINUTE);
    expect(await ends(home, 4)).toEqual(["error", "error", "error", "error"]);
    expect(await job(home)).toMatchObject({ enabled: true, pausedWhy: null });
  });

  test("do not, if a success lies between them", async () => {
    await using home = await TestKernel.boot();
    home.model.will(
      INIT,
      { error: REFUSED },
      { error: REFUSED },
      { text: "fine" },
      { error: REFUSED },
      { text: "fine" },
    );
    await add(home, "every 1m", "hello");
    for (let minute = 1; minute <= 5; minute++) {
      await home.clock.advance(MINUTE);
      await ends(home, minute);
    }
    expect((await job(home)).enabled).toBe(true);
  });
});

describe("an occurrence while the one before has not ended", () => {
  async function running(overlap: string): Promise<TestKernel> {
    const home = await TestKernel.boot();
    home.model.will(INIT, { hold: true, text: "first" });
    await add(home, "every 1m", "hello", { overlap });
    await home.clock.advance(MINUTE);
    await home.holding();
    return home;
  }

  test("is skipped", async () => {
    await using home = await running("skip");
    await home.clock.advance(2 * MINUTE);
    expect((await history(home)).map(({ state }) => state)).toEqual(["skipped", "skipped", "running"]);
    home.model.release();
    expect(await ends(home, 3)).toEqual(["ok", "skipped", "skipped"]);
    expect(await job(home)).toMatchObject({ runs: 1 });
  });

  test("waits for it, one at a time", async () => {
    await using home = await running("queue");
    await home.clock.advance(2 * MINUTE);
    expect((await history(home)).map(({ state }) => state)).toEqual(["skipped", "queued", "running"]);
    home.model.release();
    expect(await ends(home, 3)).toEqual(["ok", "ok", "skipped"]);
  });

  test("replaces it", async () => {
    await using home = await running("replace");
    await home.clock.advance(MINUTE);
    expect(await ends(home, 2)).toEqual(["aborted", "ok"]);
  });
});

describe("a kernel", () => {
  test("stays for what is due within a day", async () => {
    await using home = await TestKernel.boot();
    expect(home.kernel.dueWithinMs()).toBeNull();
    await add(home, "in 3 hours", "hello");
    expect(home.kernel.dueWithinMs()).toBe(180 * MINUTE);
    await home.sys.call("sched.remove", { schedule: "job" });
    expect(home.kernel.dueWithinMs()).toBeNull();
  });

  test("that is gone when something is due: the next one starts it, once", async () => {
    await using home = await TestKernel.boot();
    await add(home, "every 1h", "hello");
    await home.kernel.close();
    await home.clock.advance(3 * 24 * 60 * MINUTE);
    await home.start();
    await home.clock.advance(0);
    expect(await ends(home, 1)).toEqual(["ok"]);
    expect((await history(home))[0]!.result.missed).toBeGreaterThanOrEqual(23);
  });

  test("that dies while the run goes on: the next one waits for its end", async () => {
    await using home = await TestKernel.boot();
    home.model.will(INIT, { hold: true });
    await add(home, "in 1 minute", "hello");
    await home.clock.advance(MINUTE);
    await home.holding();
    await home.restart();
    expect(await ends(home, 1)).toEqual(["ok"]);
    expect((await home.messages(INIT)).filter(({ role }) => role === "user").length).toBe(1);
  });

  test("that dies while a command runs: nobody knows its end", async () => {
    await using home = await TestKernel.boot();
    await add(home, "in 1 minute", "sleep 100", { exec: true });
    await home.clock.advance(MINUTE);
    await home.until("it runs", async () => (await history(home))[0]?.state === "running");
    await home.restart();
    expect(await ends(home, 1)).toEqual(["unknown"]);
    expect((await history(home))[0]!.error).toContain("gsv ended while it ran");
  });

  test("meets an instant after its clock was set forward", async () => {
    await using home = await TestKernel.boot();
    await add(home, "in 5 hours", "hello");
    home.clock.setWall(home.clock.now() + 5 * 60 * MINUTE);
    await home.clock.advance(MINUTE);
    expect(await ends(home, 1)).toEqual(["ok"]);
  });

  test("runs nothing twice when its clock is set back", async () => {
    await using home = await TestKernel.boot();
    await add(home, "0 * * * *", "hello", { tz: "UTC" });
    await home.clock.advance(60 * MINUTE);
    await ends(home, 1);
    home.clock.setWall(home.clock.now() - 2 * 60 * MINUTE);
    await home.clock.advance(119 * MINUTE);
    expect((await history(home)).length).toBe(1);
  });
});

describe("a clock that was wrong by years", () => {
  test("leaves no schedule waiting for its return, also without a look in between", async () => {
    await using home = await TestKernel.boot();
    const right = home.clock.now();
    home.clock.setWall(right + 1000 * 24 * 60 * MINUTE);
    await add(home, "0 * * * *", "hello", { tz: "UTC" });
    await add(home, "every 10m", "hello", { name: "often" });
    await home.clock.advance(60 * MINUTE);
    await ends(home, 7);
    home.clock.setWall(right);
    await home.clock.advance(MINUTE);
    expect((await job(home)).nextAt).toBe(Date.UTC(2026, 0, 2, 4));
    home.clock.setWall(right + 1000 * 24 * 60 * MINUTE);
    await home.clock.advance(MINUTE);
    home.clock.setWall(right);
    await home.restart();
    expect((await job(home)).nextAt).toBe(Date.UTC(2026, 0, 2, 4));
  });
});

test("with other rules of time zones, the next times are found again", async () => {
  await using home = await TestKernel.boot();
  const { nextAt } = await add(home, "0 9 * * *", "hello", { tz: "Europe/Berlin" });
  await home.restart();
  const change = (sql: string) => inKernelDb(home, (db) => db.run(sql));
  change("UPDATE schedules SET nominal_at = nominal_at + 3600000, next_run_at = next_run_at + 3600000");
  await home.restart();
  expect((await job(home)).nextAt).toBe(nextAt! + 60 * MINUTE);
  change("UPDATE config_kv SET value = 'older' WHERE key = 'due/zone-rules'");
  await home.restart();
  await home.until("it is found again", async () => (await job(home)).nextAt === nextAt);
});

test("sched.run starts it now, besides its times", async () => {
  await using home = await TestKernel.boot();
  const { nextAt } = await add(home, "every 1h", "hello");
  const run = await home.sys.call<Occurrence>("sched.run", { schedule: "job" });
  expect(run.state).toBe("claimed");
  expect(await ends(home, 1)).toEqual(["ok"]);
  expect((await job(home)).nextAt).toBe(nextAt);
});
