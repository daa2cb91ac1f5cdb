// Reset and kill: the messages are archived unchanged, and a fresh history follows.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Closed } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

function reset(home: TestKernel, pid = INIT): Promise<Closed> {
  return home.sys.call("proc.reset", { pid });
}

/** The file on disk, read without gsv's code. */
async function archived(home: TestKernel, closed: Closed): Promise<{ [field: string]: unknown }[]> {
  const file = join(home.paths.objectsDir, closed.archivedTo ?? "nothing");
  const text = gunzipSync(await Bun.file(file).bytes()).toString();
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("a reset puts the whole history into one archive, with every field of every message", async () => {
  await using home = await TestKernel.boot();
  const path = "/proc/version";
  home.model.will(
    INIT,
    { text: "look", thinking: "hm", calls: [{ id: "c1", name: "Read", args: { path } }] },
    { text: "gsv ❄" },
  );
  const { runId } = await home.send("which version?");
  await home.ended(runId);
  const before = await home.messages(INIT);
  const closed = await reset(home);
  expect(closed).toMatchObject({ pid: INIT, archivedMessages: 4, undelivered: 0 });
  expect(closed.archivedTo).toBe(`/var/sessions/sam/${INIT}/${closed.archiveId}.jsonl.gz`);
  const common = { conversation_id: "default", generation: 1, run_id: runId, ts: home.clock.now() };
  const origin = before[0]?.origin;
  expect(await archived(home, closed)).toEqual([
    { id: 1, role: "user", content: "which version?", origin, ...common },
    {
      id: 2,
      role: "assistant",
      content: "look",
      thinking: "hm",
      tool_calls: [{ id: "c1", name: "Read", args: { path } }],
      ...common,
    },
    {
      id: 3,
      role: "toolResult",
      content: expect.stringContaining("gsv"),
      tool_call_id: "c1",
      toolName: "Read",
      isError: false,
      outcome: "completed",
      ...common,
    },
    { id: 4, role: "assistant", content: "gsv ❄", ...common },
  ]);
});

test("after a reset the history is empty, numbers continue, and the model gets nothing of the past", async () => {
  await using home = await TestKernel.boot();
  await home.say("remember nutmeg");
  await reset(home);
  expect(await home.messages(INIT)).toEqual([]);
  await home.say("which word?");
  expect((await home.messages(INIT)).map((message) => message.id)).toEqual([3, 4]);
  expect(JSON.stringify(home.model.requests.at(-1)?.messages)).not.toContain("nutmeg");
  const again = await archived(home, await reset(home));
  expect(again.map((record) => [record.id, record.generation])).toEqual([
    [3, 2],
    [4, 2],
  ]);
});

test("a reset of a busy process ends its run and archives the queue, marked as undelivered", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { text: "never said", hold: true });
  const first = await home.send("one");
  await home.holding();
  const second = await home.send("two");
  const third = await home.send("three");
  const closed = await reset(home);
  expect(closed).toMatchObject({ archivedMessages: 1, undelivered: 2 });
  for (const { runId } of [first, second, third]) {
    expect(await home.ended(runId)).toMatchObject({ status: "aborted", reason: "process.reset" });
  }
  const records = await archived(home, closed);
  expect(records.map(({ id, content, undelivered }) => [id, content, undelivered])).toEqual([
    [1, "one", undefined],
    [null, "two", true],
    [null, "three", true],
  ]);
  expect(records[1]?.run_id).toBe(second.runId);
  expect(await home.get(INIT)).toMatchObject({ state: "idle", queued: 0, activeRunId: null });
  expect(await home.wait(INIT, { run: third.runId })).toMatchObject({ status: "aborted", exit: 130 });
});

test("an empty history leaves no archive", async () => {
  await using home = await TestKernel.boot();
  const nothing = { archivedMessages: 0, archiveId: null, archivedTo: null, undelivered: 0 };
  expect(await reset(home)).toEqual({ pid: INIT, ...nothing });
  const pid = await home.task();
  expect(await home.sys.call<Closed>("proc.kill", { pid })).toEqual({ pid, ...nothing });
  expect(await home.sys.call<object>("archive.list", {})).toMatchObject({ archives: [] });
});

test("undelivered messages are archived too, even if there is nothing else", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  await home.send("unheard");
  const closed = await reset(home);
  expect(closed).toMatchObject({ archivedMessages: 0, undelivered: 1 });
  expect(await archived(home, closed)).toMatchObject([{ id: null, content: "unheard", undelivered: true }]);
  expect((await home.get(INIT)).state).toBe("stopped");
});

test("two parallel resets run one after the other: the second finds an empty history", async () => {
  await using home = await TestKernel.boot();
  await home.say("one");
  const other = await home.client();
  const both = await Promise.all([reset(home), other.call<Closed>("proc.reset", {})]);
  expect(both.map((closed) => closed.archivedMessages).sort()).toEqual([0, 2]);
  expect(home.heard("process.reset")).toHaveLength(2);
});

test("a process that resets or kills itself gets a promise, finishes its turn, and then it happens", async () => {
  await using home = await TestKernel.boot();
  for (const verb of ["reset", "kill"] as const) {
    const pid = await home.task();
    home.model.will(pid, { text: "bye", calls: [{ name: "Read", args: { path: "/proc/version" } }], hold: true });
    const { runId } = await home.send("end yourself", { pid });
    await home.holding();
    const inside = await home.insideOf(pid);
    expect(await inside.call<Closed>(`proc.${verb}`, { pid })).toMatchObject({ pid, pending: true, archivedTo: null });
    await home.quiet();
    expect((await home.get(pid)).state).toBe("running");
    home.model.release();
    expect(await home.ended(runId)).toMatchObject({ status: "aborted", reason: `process.${verb}` });
    const name = verb === "reset" ? "process.reset" : "process.exit";
    await home.until("it is done", () => home.heard(name).some((signal) => signal.pid === pid));
    const [archive] = (await home.sys.call<{ archives: object[] }>("archive.list", { pid })).archives;
    expect(archive).toMatchObject({ reason: verb, messages: 3 });
    if (verb === "reset") expect(await home.get(pid)).toMatchObject({ state: "idle" });
    else expect(await home.refusal("proc.get", { pid })).toMatchObject({ code: "ESRCH" });
  }
});
