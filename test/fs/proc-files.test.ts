// The files of a process, over a kernel that runs it.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { sam } from "../support/caller.ts";
import { TestKernel } from "../support/kernel.ts";
import { type Mounted, mounted } from "../support/mounted.ts";

let home: TestKernel;
let tree: Mounted;
let pid: string;
const read = (name: string) => tree.read(sam, `/proc/${pid}/${name}`);

beforeAll(async () => {
  home = await TestKernel.boot();
  tree = mounted(home);
  await home.sys.call("fs.mkdir", { path: "/home/sam/my docs" });
  pid = await home.task({ label: "audit", cwd: "/home/sam/my docs", drop: "net,shell" });
  // As an older gsv let it be.
  await home.stores.kernel.processes.set(pid, { label: "audit\nState: x" });
});
afterAll(() => home[Symbol.asyncDispose]());

test("identity is one JSON object, and cmdline the command that starts a process like it", async () => {
  expect(JSON.parse(await read("identity"))).toMatchObject({ pid, owner: "sam", runAs: "friday", profile: "task" });
  expect(await read("cmdline")).toBe(
    "gsv spawn --profile task --as friday --cwd '/home/sam/my docs' --parent init:1000 --drop net,shell --label 'audit State: x'\n",
  );
  expect(await tree.read(sam, "/proc/init:1000/cmdline")).toBe("init\n");
  expect(await read("cwd")).toBe("/home/sam/my docs\n");
});

test("environ has the allowed names and no secret", async () => {
  expect((await read("environ")).split("\n").map((line) => line.split("=")[0])).toEqual(["GSV_PID", "USER", "PWD", ""]);
});

test("caps lists the account's remaining capabilities, one a line; limits and the model are shown", async () => {
  const caps = (await read("caps")).trimEnd().split("\n");
  expect(caps).toContain("fs.*");
  expect(caps.filter((each) => each.startsWith("shell"))).toEqual([]);
  expect(await read("limits")).toMatch(/^TurnsPerRun:\t\d+$/m);
  expect(await read("model")).toBe("default\n");
});

test("queue, pending and stream follow a run", async () => {
  home.model.will(pid, { text: "Let me look.", calls: [{ name: "Delete", args: { path: "/home/sam/x" } }] });
  await home.send("clean up", { pid });
  await home.inState(pid, "waiting_hil");
  await home.send("and hurry", { pid });
  expect(await read("queue")).toBe("Queued:\t1\n");
  expect(JSON.parse(await read("pending"))).toMatchObject({ name: "Delete", args: { path: "/home/sam/x" } });
  expect(await read("stream")).toBe("Let me look.");
  const { id } = JSON.parse(await read("approvals")) as { id: string };
  await home.sys.call("hil.answer", { id, decision: "deny" });
  await home.inState(pid, "idle");
  for (const name of ["pending", "approvals", "note"]) expect([name, await read(name)]).toEqual([name, ""]);
  // The last message.
  expect(await read("stream")).toStartWith("Let me look.\n");
  expect(await read("usage")).toMatch(/^Turns:\t[1-9]\d*\nWasted:\t0\n/);
  expect(await read("maps")).toMatch(
    /^# next request to \S+: about \d+ tokens.*\n(?:#?.*\n)*messages\t\d+\t\d+\t[\d.]+%\tuser messages\n/,
  );
});

test("a repeated write of unknown outcome takes effect once", async () => {
  const receipt = { uid: sam.uid, requestId: "r7", bodyHash: "h", answer: {}, now: home.clock.now() };
  const other = await home.task();
  for (let attempt = 0; attempt < 2; attempt++) await tree.write(sam, `/proc/${other}/note`, "once", { receipt });
  await home.inState(other, "idle");
  expect((await home.outline(other)).filter((line) => line === "user: once")).toEqual(["user: once"]);
});

test("a reader can write the files of their own process that allow it, and no others", async () => {
  const row = await home.stores.kernel.processes.get(pid);
  if (row === null) throw new Error("the process is gone");
  const agent = await home.kernel.callers.process(row);
  for (const name of ["ctl", "note"])
    expect(await tree.files.stat(agent, `/proc/${pid}/${name}`)).toMatchObject({ uid: agent.uid, mode: 0o600 });
  expect(await tree.files.stat(agent, `/proc/${pid}/status`)).toMatchObject({ uid: 0, mode: 0o444 });
});

test("loadavg shows the number of running processes out of all", async () => {
  expect(await tree.read(sam, "/proc/loadavg")).toBe("0/3\n");
  expect(await tree.names(sam, `/proc/${pid}/context.d`)).toEqual([]);
});
