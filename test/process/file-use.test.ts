// Reads and writes of files: lsof from the records of processes, audit for one file from rows and from the history of versioned places.

import { expect, test } from "bun:test";
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { FileUseInfo, FileWriterInfo } from "../../src/syscalls/fs/fs-use.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { addHuman } from "../support/people.ts";
import { host, Project, undo, works } from "../support/worker.ts";

const PATH = "/home/sam/plan.md";

async function calls(
  home: TestKernel,
  pid: string,
  ...made: readonly { name: string; args: object }[]
): Promise<string> {
  home.model.will(pid, { calls: made });
  return (await home.say("go", { pid })).run;
}

const uses = async (home: TestKernel, query: object = {}, sys = home.sys) =>
  (await sys.call<{ uses: readonly FileUseInfo[] }>("fs.uses", query)).uses;

const writers = async (home: TestKernel, path: string, query: object = {}, sys = home.sys) =>
  (await sys.call<{ writers: readonly FileWriterInfo[] }>("fs.writers", { path, ...query })).writers;

const read = { name: "Read", args: { path: PATH } };

test("lsof shows each process that read or wrote a file, with version and run, and marks outdated readers", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: PATH, content: "one\n" });
  const other = await home.task({ label: "spelling" });
  const first = await calls(home, INIT, read);
  await home.clock.advance(1000);
  const second = await calls(home, other, read, {
    name: "Edit",
    args: { path: PATH, oldString: "one", newString: "1" },
  });
  await home.clock.advance(1000);
  await calls(home, other, { name: "Shell", args: { command: "echo x > ~/list.txt" } });
  const [wrote, seen] = await uses(home, { path: "~/plan.md" });
  expect(wrote).toMatchObject({ pid: other, label: "spelling", how: "wrote", isStale: false, run: second, path: PATH });
  expect(seen).toMatchObject({ pid: INIT, how: "read", isStale: true, run: first });
  expect(seen?.version).not.toBe(wrote?.version ?? "");
  const of = (rows: readonly FileUseInfo[]) => rows.map(({ path, how }) => `${how} ${path}`);
  expect(of(await uses(home, { pid: other }))).toEqual([`wrote /home/sam/list.txt`, `wrote ${PATH}`]);
  expect(of(await uses(home))).toEqual(["wrote /home/sam/list.txt", `wrote ${PATH}`, `read ${PATH}`]);
  expect(await home.sys.call<object>("fs.uses", { limit: 1 })).toMatchObject({ uses: [{ pid: other }], more: true });
});

test("a look at all files opens no database of a process without messages", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: PATH, content: "one\n" });
  const [idle, busy] = [await home.task(), await home.task()];
  await calls(home, busy, read);
  await home.restart();
  // SQLite keeps this file while the database is open.
  const isOpen = (pid: string) => existsSync(join(home.paths.procDir, `${pid}.db-wal`));
  expect(await uses(home)).toMatchObject([{ pid: busy, how: "read" }]);
  expect([isOpen(busy), isOpen(idle)]).toEqual([true, false]);
  await calls(home, idle, read);
  expect((await uses(home)).map(({ pid }) => pid)).toEqual([idle, busy]);
});

test("the records survive a restart and end with their process; others see only their own", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: PATH, content: "one\n" });
  const pid = await home.task();
  await calls(home, pid, read);
  await home.restart();
  expect(await uses(home, { path: PATH })).toMatchObject([{ pid, how: "read", isStale: false }]);
  const { sys: bob } = await addHuman(home, "bob");
  expect(await uses(home, {}, bob)).toEqual([]);
  expect((await home.refusal("fs.uses", { pid }, bob)).code).toBe("ESRCH");
  expect(await uses(home, { path: PATH }, home.person(0))).toMatchObject([{ pid }]);
  await home.sys.call("proc.kill", { pid });
  expect(await uses(home, { path: PATH })).toEqual([]);
});

test("audit shows people, tools and scripts that wrote a file, newest first, with run and call, also of ended processes", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: PATH, content: "one\n" });
  const pid = await home.task();
  await home.clock.advance(1000);
  const run = await calls(home, pid, { name: "Edit", args: { path: PATH, oldString: "one", newString: "1" } });
  await home.clock.advance(1000);
  await calls(home, pid, { name: "Shell", args: { command: "echo two >> ~/plan.md" } });
  await home.sys.call("proc.kill", { pid });
  await home.clock.advance(1000);
  await home.sys.call("fs.rename", { from: PATH, to: "/home/sam/old.md" });
  const rest = { target: "gsv", path: PATH, commit: null, movedFrom: null };
  const all = await writers(home, "~/plan.md");
  expect(all).toMatchObject([
    { ...rest, what: "removed", account: "sam", pid: null, run: null, tool: null },
    { ...rest, what: "wrote", account: "friday", pid, tool: "Shell" },
    {
      ...rest,
      what: "wrote",
      account: "friday",
      pid,
      run,
      tool: "Edit",
      call: expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
    { ...rest, what: "wrote", account: "sam", pid: null },
  ] as never);
  expect(await writers(home, "/home/sam/old.md")).toMatchObject([
    { what: "moved here", movedFrom: PATH, account: "sam" },
  ]);
  expect(await writers(home, PATH, { limit: 2 })).toHaveLength(2);
  expect(await writers(home, PATH, { since: "1s" })).toHaveLength(2);
  expect((await home.refusal("fs.writers", { path: PATH, since: "when?" })).code).toBe("EINVAL");
  // An unreadable file has no visible records either; processes cannot ask.
  const { sys: bob } = await addHuman(home, "bob");
  expect((await home.refusal("fs.writers", { path: "/home/sam/old.md" }, bob)).code).toBe("EACCES");
  expect((await home.refusal("fs.writers", { path: PATH }, await home.insideOf(INIT))).code).toBe("EPERM");
});

test("each change of a versioned file is listed once, with its version, also edits outside gsv", async () => {
  await using home = await TestKernel.boot();
  const path = "/home/sam/knowledge/facts.md";
  await home.sys.call("fs.write", { path, content: "one\n" });
  await home.clock.advance(60_000);
  appendFileSync(join(home.paths.reposDir, "sam", "home", "knowledge", "facts.md"), "by an editor\n");
  await home.clock.advance(60_000);
  await calls(home, INIT, { name: "Write", args: { path, content: "two\n" } });
  const all = await writers(home, path);
  expect(all.map(({ account, pid, tool, commit }) => [account, pid, tool, commit !== null])).toEqual([
    ["friday", INIT, "Write", true],
    ["sam", null, null, true],
    ["sam", null, null, true],
  ]);
  expect(new Set(all.map(({ commit }) => commit)).size).toBe(3);
});

test("audit of a host file shows writes of tools, effects of commands, and undos", async () => {
  using project = new Project({ "main.ts": "let a = 1;\n" });
  await using home = await TestKernel.boot({ cwd: project.directory });
  const { pid } = await home.spawn({ workspace: project.directory });
  const path = join(project.directory, "main.ts");
  await works(home, pid, { name: "Write", args: { target: "host", path, content: "let a = 2;\n" } });
  await home.clock.advance(60_000);
  await works(home, pid, host("echo 'let b = 3;' >> main.ts"));
  await home.clock.advance(60_000);
  await undo(home, pid);
  const all = await writers(home, path, { target: "host" });
  expect(all[0]).toMatchObject({ account: "sam", pid: null, what: "wrote", target: "host" });
  expect(all.some((row) => row.pid === pid && row.tool === "Write")).toBe(true);
  expect(all.some((row) => row.pid === pid && row.tool === null && row.commit !== null)).toBe(true);
  expect(await uses(home, { path, target: "host" })).toMatchObject([{ pid, how: "wrote", isStale: true }]);
});
