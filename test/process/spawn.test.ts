// New processes: owner, account, start directory, and idempotent requests.

import { expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Spawned } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

async function listed(home: TestKernel): Promise<ProcessInfo[]> {
  return (await home.sys.call<{ processes: ProcessInfo[] }>("proc.list", {})).processes;
}

test("a spawned process has the requested options, belongs to its caller and acts as the personal agent", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.mkdir", { path: "~/docs" });
  const made = await home.spawn({ label: "docs audit", cwd: "~/docs", prompt: "begin" });
  expect(made).toMatchObject({ label: "docs audit", profile: "task", cwd: "/home/sam/docs" });
  expect(made.pid).toMatch(/^task:[a-z0-9]{6}$/);
  await home.ended(made.runId ?? "");
  const agent = (await home.get(INIT)).runAs;
  expect(agent).not.toBe("sam");
  expect(await home.get(made.pid)).toMatchObject({
    label: "docs audit",
    owner: "sam",
    uid: 1000,
    runAs: agent,
    profile: "task",
    parentPid: INIT,
    state: "idle",
    cwd: "/home/sam/docs",
    createdAt: home.clock.now(),
  });
  expect(await home.outline(made.pid)).toEqual(["user: begin", "assistant: done"]);
  expect(home.heard("process.spawn")).toMatchObject([{ pid: made.pid, label: "docs audit", parent: INIT }]);
});

test("without a prompt there is no run", async () => {
  await using home = await TestKernel.boot();
  const { pid, runId } = await home.spawn();
  expect(runId).toBeNull();
  await home.quiet();
  expect(await home.get(pid)).toMatchObject({ state: "idle", label: null, cwd: "/home/sam", lastActiveAt: null });
  expect(home.model.requests).toEqual([]);
});

test("a child starts in its parent's directory and acts as its account, unless requested otherwise", async () => {
  await using home = await TestKernel.boot();
  for (const path of ["~/project", "~/other"]) await home.sys.call("fs.mkdir", { path });
  const parent = await home.task({ cwd: "/home/sam/project" });
  const inside = await home.insideOf(parent);
  const child = await inside.call<Spawned>("proc.spawn", { label: "child" });
  const elsewhere = await inside.call<Spawned>("proc.spawn", { cwd: "../other" });
  expect(await home.get(child.pid)).toMatchObject({ parentPid: parent, cwd: "/home/sam/project", owner: "sam" });
  expect(elsewhere.cwd).toBe("/home/sam/other");
  expect((await home.get(child.pid)).runAs).toBe((await home.get(parent)).runAs);
});

test("a spawn that was cut between its steps is completed by the next kernel, prompt included", async () => {
  let cut = true;
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const create: typeof ports.processes.create = async (pid, about) => {
        if (cut && pid !== INIT) await new Promise(() => {});
        await ports.processes.create(pid, about);
      };
      return { ...ports, processes: { ...ports.processes, create } };
    },
  });
  void home.sys.call("proc.spawn", { label: "cut off", prompt: "go" }, { requestId: "spawn-1" }).catch(() => {});
  await home.until("the first step is stored", async () => (await home.stores.kernel.processes.count(1000)) === 2);
  expect(await listed(home)).toHaveLength(1);
  cut = false;
  await home.restart();
  const made = await home.sys.call<Spawned>("proc.spawn", { label: "cut off", prompt: "go" }, { requestId: "spawn-1" });
  expect(await home.wait(made.pid)).toMatchObject({ status: "ok", runId: made.runId });
  expect(await listed(home)).toHaveLength(2);
});

test("processes have a maximum depth of nesting", async () => {
  await using home = await TestKernel.boot();
  let parent = INIT;
  for (let depth = 1; depth <= LIMITS.spawnDepthMax; depth++) parent = await home.task({ parent });
  const refused = await home.refusal("proc.spawn", { parent });
  expect([refused.code, refused.message]).toEqual([
    "ELIMIT",
    `processes can be nested at most ${LIMITS.spawnDepthMax} levels deep`,
  ]);
});

test("invalid requests: an unknown parent, an init, a foreign account, an unknown profile", async () => {
  await using home = await TestKernel.boot();
  const before = await listed(home);
  const cases: [object, string][] = [
    [{ parent: "task:zzzzzz" }, "ESRCH"],
    [{ parent: "not a pid" }, "ESRCH"],
    [{ profile: "init" }, "EINVAL"],
    [{ profile: "robot" }, "EINVAL"],
    [{ as: "root" }, "ENOENT"],
    [{ as: "nobody-such" }, "ENOENT"],
    [{ as: "sam" }, "ENOENT"],
    [{ label: "x".repeat(LIMITS.labelCharsMax + 1) }, "EINVAL"],
    [{ cwd: "" }, "EINVAL"],
    [{ cwd: "/a\0b" }, "EINVAL"],
  ];
  for (const [args, code] of cases) {
    const refused = await home.refusal("proc.spawn", args);
    expect(`${JSON.stringify(args)} ${refused.code}`).toBe(`${JSON.stringify(args)} ${code}`);
    expect(refused.message).toMatch(/^[^\n]+$/);
  }
  expect(await listed(home)).toEqual(before);
});

test("the personal agent may be named, and each profile except init is possible", async () => {
  await using home = await TestKernel.boot();
  const agent = (await home.get(INIT)).runAs;
  const made = await home.spawn({ as: agent, profile: "review" });
  expect(await home.get(made.pid)).toMatchObject({ runAs: agent, profile: "review" });
  for (const profile of ["task", "cron", "mcp", "app"] as const)
    expect((await home.spawn({ profile })).profile).toBe(profile);
});

test("an account has a maximum number of processes", async () => {
  await using home = await TestKernel.boot({
    ports: (ports) => {
      const count = async () => LIMITS.processesPerOwnerMax;
      return { ...ports, kernel: { ...ports.kernel, processes: { ...ports.kernel.processes, count } } };
    },
  });
  expect(await home.refusal("proc.spawn", {})).toMatchObject({ code: "ELIMIT" });
  expect(await listed(home)).toHaveLength(1);
});
