// INT, TERM, KILL and 0: their effects and limits.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { exitStatusOf } from "../../src/abi/errno.ts";
import type { Closed, Signalled } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const VERSION = { name: "Read", args: { path: "/proc/version" } };

function signal(home: TestKernel, pid: string, name: string, requestId?: string): Promise<Signalled> {
  return home.sys.call("proc.signal", { pid, signal: name }, requestId === undefined ? {} : { requestId });
}

test("INT aborts the current run and the process stays", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "never said", hold: true });
  const { runId } = await home.send("one");
  await home.holding();
  expect(await signal(home, INIT, "INT")).toEqual({ pid: INIT, signal: "INT", state: "idle" });
  expect(await home.ended(runId)).toMatchObject({ status: "aborted", reason: "user.abort" });
  expect(await home.say("two")).toMatchObject({ status: "ok" });
  expect(await signal(home, INIT, "INT")).toMatchObject({ state: "idle" });
});

test("TERM waits for the current turn, then archives and removes the process", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  home.model.will(pid, { text: "last words", calls: [VERSION], hold: true });
  const { runId } = await home.send("work", { pid });
  await home.holding();
  const ending = signal(home, pid, "TERM");
  await home.quiet();
  expect((await home.get(pid)).state).toBe("running");
  home.model.release();
  const { closed, state } = await ending;
  expect(state).toBeNull();
  expect(closed).toMatchObject({ pid, archivedMessages: 3, undelivered: 0 });
  expect(await home.ended(runId)).toMatchObject({ status: "aborted", reason: "process.kill" });
  expect((await home.refusal("proc.get", { pid })).code).toBe("ESRCH");
  expect(home.heard("process.exit")).toMatchObject([{ pid, archive: closed?.archivedTo }]);
});

test("TERM has a limit for waiting on a silent model", async () => {
  await using home = await TestKernel.boot({ config: { "kernel.termMs": 5000 } });
  const pid = await home.task();
  home.model.will(pid, { text: "never said", hold: true });
  const { runId } = await home.send("work", { pid });
  await home.holding();
  const ending = signal(home, pid, "TERM");
  await home.quiet();
  expect((await home.get(pid)).state).toBe("running");
  await home.clock.advance(5000);
  expect((await ending).closed).toMatchObject({ archivedMessages: 1 });
  expect(await home.ended(runId)).toMatchObject({ status: "aborted" });
});

test("KILL ends at once, in any state, and archives the history", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  home.model.will(pid, { text: "never said", hold: true });
  const { runId } = await home.send("work", { pid });
  await home.holding();
  const { closed } = await signal(home, pid, "KILL");
  expect(closed).toMatchObject({
    archivedMessages: 1,
    archivedTo: expect.stringMatching(/^\/var\/sessions\/sam\/task:/),
  });
  expect(await home.ended(runId)).toMatchObject({ status: "aborted", reason: "process.kill" });
  expect((await home.refusal("proc.send", { pid, message: "there?" })).code).toBe("ESRCH");
});

test("KILL also ends a stopped process and one that waits for approval", async () => {
  await using home = await TestKernel.boot();
  const stopped = await home.task({ prompt: "hello" });
  await home.inState(stopped, "idle");
  await signal(home, stopped, "STOP");
  const asking = await home.task();
  home.model.will(asking, { calls: [{ name: "Delete", args: { path: "~/a" } }] });
  await home.send("delete", { pid: asking });
  await home.inState(asking, "waiting_hil");
  for (const pid of [stopped, asking]) {
    expect((await signal(home, pid, "KILL")).closed?.archivedMessages).toBeGreaterThan(1);
    expect((await home.refusal("proc.get", { pid })).code).toBe("ESRCH");
  }
});

test("0 tests for existence and changes nothing", async () => {
  await using home = await TestKernel.boot();
  expect(await signal(home, INIT, "0")).toEqual({ pid: INIT, signal: "0", state: "idle" });
  const absent = await home.refusal("proc.signal", { pid: "task:zzzzzz", signal: "0" });
  expect([absent.code, exitStatusOf(absent)]).toEqual(["ESRCH", 3]);
  expect(home.signals).toEqual([]);
});

test("an init process refuses TERM, KILL and kill, with the reason and an alternative", async () => {
  await using home = await TestKernel.boot();
  await home.say("hello");
  const tries = [
    { name: "proc.signal", args: { pid: INIT, signal: "TERM" } },
    { name: "proc.signal", args: { pid: INIT, signal: "KILL" } },
    { name: "proc.kill", args: { pid: INIT } },
    { name: "proc.kill", args: { pid: INIT, noArchive: true } },
  ];
  for (const { name, args } of tries) {
    const refused = await home.refusal(name, args);
    expect(refused.code).toBe("EPERM");
    expect(refused.message).toBe("init:1000 is an init process and cannot be killed");
    expect(refused.hints.join()).toContain("gsv proc reset --pid init:1000");
  }
  expect(await home.say("still there?")).toMatchObject({ status: "ok" });
});

test("calls that race with a kill come before it or find no process, and nothing is left behind", async () => {
  await using home = await TestKernel.boot();
  const other = await home.client();
  for (const name of ["proc.kill", "proc.reset", "proc.abort", "proc.send", "proc.signal"]) {
    for (const turns of [0, 1, 3, 6]) {
      const pid = await home.task();
      await home.say("hello", { pid });
      const args = { pid, message: "too late", signal: "STOP" };
      const killed = home.sys.call<Closed>("proc.kill", { pid });
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const [kill, late] = await Promise.allSettled([killed, other.call(name, args)]);
      expect(kill.status).toBe("fulfilled");
      if (late.status === "rejected") expect(late.reason).toMatchObject({ code: "ESRCH" });
      const { archives } = await home.sys.call<{ archives: object[] }>("archive.list", { pid });
      expect(archives).toHaveLength(1);
      expect(home.heard("process.exit").filter((signal) => signal.pid === pid)).toHaveLength(1);
      expect(existsSync(join(home.paths.procDir, `${pid}.db`))).toBe(false);
    }
  }
});
