// A fork: the same messages up to one of them, in a new process that does not need the original.

import { expect, test } from "bun:test";
import type { Forked } from "../../src/syscalls/proc/history-service.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

function fork(home: TestKernel, args: object = {}, sys = home.sys): Promise<Forked> {
  return sys.call("proc.fork", { pid: INIT, ...args });
}

async function words(home: TestKernel, pid: string): Promise<string[]> {
  return (await home.messages(pid)).map(({ id, role }) => `${id} ${role}`);
}

test("a fork has the history of the original, diverges from it, and stays when the original is reset", async () => {
  await using home = await TestKernel.boot();
  await home.say("one");
  await home.say("two");
  const copy = await fork(home);
  expect(copy).toMatchObject({ from: INIT, through: 4, messages: 4, profile: "task" });
  const before = await home.messages(INIT);
  expect(await home.messages(copy.pid)).toEqual([...before]);
  await home.sys.call("proc.reset", { pid: INIT });
  await home.say("three", { pid: copy.pid });
  expect(await words(home, copy.pid)).toEqual([
    "1 user",
    "2 assistant",
    "3 user",
    "4 assistant",
    "5 user",
    "6 assistant",
  ]);
  expect(home.model.asked(copy.pid).at(-1)?.messages).toHaveLength(5);
  expect(await home.messages(INIT)).toHaveLength(0);
});

test("a fork at a message includes its turn with all results, or ends at the turn before", async () => {
  await using home = await TestKernel.boot();
  const calls = ["a", "b"].map((id) => ({ id, name: "Read", args: { path: "/proc/version" } }));
  home.model.will(INIT, { calls }, { text: "read" });
  await home.say("look");
  expect(await fork(home, { through: 3 })).toMatchObject({ through: 4 });
  expect(await fork(home, { through: 1 })).toMatchObject({ through: 1 });
  expect(await home.refusal("proc.fork", { pid: INIT, through: 99 })).toMatchObject({ code: "ENOENT" });
});

test("a fork has the summary of the original, unless it ends before it", async () => {
  await using home = await TestKernel.boot();
  for (const text of ["one", "two", "three"]) await home.say(text);
  home.model.will(INIT, { text: "## Task\nCount." });
  await home.sys.call("proc.compact", { pid: INIT, keep: 2 });
  const copy = await fork(home);
  await home.say("on", { pid: copy.pid });
  expect(home.model.asked(copy.pid).at(-1)?.messages).toHaveLength(4);
  const early = await fork(home, { through: 4 });
  await home.say("on", { pid: early.pid });
  expect(home.model.asked(early.pid).at(-1)?.messages).toHaveLength(5);
});

test("a fork has its own copies of media in its messages", async () => {
  await using home = await TestKernel.boot();
  const data = Buffer.from("a note").toString("base64");
  const id = "0190a1b2-0000-7000-8000-000000000001";
  const { media } = await home.sys.call<{ media: { path: string } }>("proc.media.put", {
    pid: INIT,
    id,
    offset: 0,
    data,
    more: false,
  });
  await home.say(`look at ${media.path}`);
  const copy = await fork(home);
  await home.sys.call("proc.reset", { pid: INIT });
  const [message] = await home.messages(copy.pid);
  const path = String(message?.content).replace("look at ", "");
  expect(path).toContain(copy.pid);
  expect(await home.sys.call("fs.read", { path })).toMatchObject({ content: "a note" });
});

test("a repeated request makes one fork, and a kernel that died halfway completes it", async () => {
  let fails = true;
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const graft: typeof ports.processes.graft = async (...args) => {
        if (fails) throw new Error("the kernel died here");
        return await ports.processes.graft(...args);
      };
      return { ...ports, processes: { ...ports.processes, graft } };
    },
  });
  await home.say("one");
  const request = { requestId: "the-same" };
  await home.sys.call("proc.fork", { pid: INIT }, request).catch(() => {});
  home.faults.splice(0);
  fails = false;
  await home.restart();
  const copy = await home.sys.call<Forked>("proc.fork", { pid: INIT }, request);
  expect(await words(home, copy.pid)).toEqual(["1 user", "2 assistant"]);
  expect(await home.sys.call<Forked>("proc.fork", { pid: INIT }, request)).toEqual(copy);
});

test("a fork belongs to the owner, keeps dropped capabilities, and one of an agent is the agent's child", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task({ drop: "net,shell", prompt: "hello", label: "narrow" });
  await home.inState(pid, "idle");
  const copy = await fork(home, { pid });
  const caps = await home.sys.call<{ dropped: string[] }>("proc.caps", { pid: copy.pid });
  expect(caps.dropped).toEqual(expect.arrayContaining(["net", "shell"]));
  expect(await home.get(copy.pid)).toMatchObject({ parentPid: INIT, label: "narrow (fork)", owner: "sam" });
  await home.say("one");
  const byAgent = await fork(home, {}, await home.insideOf(pid));
  expect(await home.get(byAgent.pid)).toMatchObject({ parentPid: pid, owner: "sam" });
  const narrow = await home.sys.call<{ dropped: string[] }>("proc.caps", { pid: byAgent.pid });
  expect(narrow.dropped).toEqual(expect.arrayContaining(["net", "shell"]));
  const ofRoot = await fork(home, {}, home.person(0));
  expect(await home.get(ofRoot.pid)).toMatchObject({ parentPid: INIT, owner: "sam" });
});

test("an empty history cannot be forked", async () => {
  await using home = await TestKernel.boot();
  expect(await home.refusal("proc.fork", { pid: INIT })).toMatchObject({ code: "ENOENT" });
});
