// Faults stay within one process: a broken invariant ends the run, a full disk is waited out, and other processes continue.

import { expect, test } from "bun:test";
import { StoreUnavailable } from "../../src/store/open.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

test("an internal error ends the run with one line, and the queue continues", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { fault: "a wire format nobody knows", hold: true }, { text: "fine" });
  const first = await home.send("one");
  await home.holding();
  const second = await home.send("two");
  home.model.release();
  expect(await home.ended(first.runId)).toMatchObject({
    status: "error",
    reason: "fault",
    error: "internal error; see log/kernel.log",
  });
  expect(await home.ended(second.runId)).toMatchObject({ status: "ok", text: "fine" });
  expect(home.faults.splice(0).join()).toContain("a wire format nobody knows");
});

test("a fault in one process does not affect any other", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  home.model.will(pid, { fault: "broken" });
  const [bad, good] = await Promise.all([home.say("one", { pid }), home.say("two")]);
  expect([bad.status, good.status]).toEqual(["error", "ok"]);
  home.faults.splice(0);
});

/** While `disk.full` is set, no process can write. */
function withDisk(disk: { full: boolean }): Promise<TestKernel> {
  const refuse = () => {
    if (disk.full) throw new StoreUnavailable("disk", "not saved: the disk is full");
  };
  return TestKernel.boot({
    config: { "kernel.diskRetryMs": 2000 },
    ports: (ports) => {
      const { admit, commitTurn } = ports.processes;
      const processes: typeof ports.processes = {
        ...ports.processes,
        admit: async (...args) => {
          refuse();
          return await admit(...args);
        },
        commitTurn: async (...args) => {
          refuse();
          return await commitTurn(...args);
        },
      };
      return { ...ports, processes };
    },
  });
}

test("a message on a full disk is refused with 75 and leaves nothing", async () => {
  const disk = { full: true };
  await using home = await withDisk(disk);
  const refused = await home.refusal("proc.send", { message: "lost?" });
  expect([refused.code, refused.message]).toEqual(["ENOSPC", "not saved: the disk is full"]);
  disk.full = false;
  await home.say("saved");
  expect(await home.outline(INIT)).toEqual(["user: saved", "assistant: done"]);
});

test("a run on a full disk is paused, answers waiting clients with 75, and resumes automatically", async () => {
  const disk = { full: false };
  await using home = await withDisk(disk);
  home.model.will(INIT, { text: "cannot be saved", hold: true }, { text: "saved" });
  const { runId } = await home.send("hello");
  await home.holding();
  disk.full = true;
  home.model.release();
  const held = await home.inState(INIT, "paused");
  expect(held.waitsFor).toEqual({ kind: "disk", reason: "the disk is full; continues when there is space" });
  expect(await home.wait(INIT)).toMatchObject({ status: "held", exit: 75, waitsFor: { kind: "disk" } });
  expect(home.heard("process.state").at(-1)).toMatchObject({ state: "paused", waitsFor: { kind: "disk" } });
  const patient = home.wait(INIT, { wait: true });
  disk.full = false;
  await home.clock.advance(2000);
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "saved" });
  expect(await patient).toMatchObject({ status: "ok" });
  expect(await home.outline(INIT)).toEqual(["user: hello", "assistant: saved"]);
});

test("a disk that stays full is checked again and again, and nothing is lost or done twice", async () => {
  const disk = { full: false };
  await using home = await withDisk(disk);
  home.model.will(
    INIT,
    { text: "first try", hold: true },
    { text: "next try" },
    { text: "next try" },
    { text: "kept" },
  );
  const { runId } = await home.send("hello");
  await home.holding();
  disk.full = true;
  home.model.release();
  await home.inState(INIT, "paused");
  for (let look = 0; look < 2; look++) {
    await home.clock.advance(2000);
    await home.until("it is asked again", () => home.model.requests.length === look + 2);
    await home.inState(INIT, "paused");
  }
  disk.full = false;
  await home.clock.advance(2000);
  expect(await home.ended(runId)).toMatchObject({ status: "ok", text: "kept" });
});
