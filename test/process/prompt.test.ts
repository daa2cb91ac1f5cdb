// Context files in the prompt: the owner's before the agent's, an index of skills, read again each turn, within a budget.

import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StoreUnavailable } from "../../src/store/open.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

async function systemOf(home: TestKernel, pid = INIT): Promise<string> {
  await home.say("hello", { pid });
  return home.model.asked(pid).at(-1)?.system ?? "";
}

test("the owner's files come before the agent's, in the order of their names, then the skills", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/context.d/20-b.md", content: "the second word\n" });
  await home.sys.call("fs.write", { path: "~/context.d/10-a.md", content: "the first word\n" });
  await home.sys.call("fs.write", { path: "~/context.d/notes.txt", content: "no context\n" });
  const system = await systemOf(home);
  const places = [
    "Instructions from sam:",
    '<context path="/home/sam/context.d/10-a.md">\nthe first word\n</context>',
    "the second word",
    "Your own instructions (friday):",
    "/home/friday/context.d/00-style.md",
    "Skills: ",
    "- versions: ",
  ].map((text) => system.indexOf(text));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((left, right) => left - right));
  expect(system).not.toContain("no context");
});

test("an edit with an editor applies from the next turn of a running process, committed or not", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/context.d/10-a.md", content: "words as they were\n" });
  home.model.will(INIT, { hold: true, calls: [{ name: "Read", args: { path: "~" } }] });
  const { runId } = await home.send("go");
  await home.holding();
  writeFileSync(join(home.paths.reposDir, "sam/home/context.d/10-a.md"), "words as they are!\n");
  home.model.release();
  await home.ended(runId);
  const [first, second] = home.model.asked(INIT).map(({ system }) => system);
  expect(first).toContain("words as they were");
  expect(second).toContain("words as they are");
  expect(second).not.toContain("words as they were");
});

test("a folder that is too long ends before the file that does not fit and names the missing ones; others stay whole", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "ai.maxContextBytes", value: "3000" });
  for (const [name, size] of [
    ["10-a.md", 1000],
    ["20-b.md", 5000],
    ["30-c.md", 10],
  ] as const)
    await home.sys.call("fs.write", { path: `~/context.d/${name}`, content: `${name} ${"x".repeat(size)}\n` });
  const system = await systemOf(home);
  expect(system).toContain("10-a.md xxx");
  expect(system).not.toContain("20-b.md xxx");
  expect(system).not.toContain("30-c.md xxx");
  expect(system).toContain(
    "(too long for this prompt, read when needed: /home/sam/context.d/20-b.md, /home/sam/context.d/30-c.md)",
  );
  expect(system).toContain("/home/friday/context.d/10-user.md");
});

test("another account's context is never included, whatever a link points to", async () => {
  await using home = await TestKernel.boot();
  const root = home.person(0);
  const { uid } = await root.call<{ uid: number }>("account.create", { username: "bob" });
  await home.person(uid).call("fs.write", { path: "/home/bob/context.d/10-a.md", content: "bob's secret\n" });
  const tree = join(home.paths.reposDir, "sam/home/context.d");
  mkdirSync(tree, { recursive: true });
  symlinkSync("/home/bob/context.d/10-a.md", join(tree, "10-in-gsv.md"));
  symlinkSync(join(home.paths.reposDir, "bob/home/context.d/10-a.md"), join(tree, "20-on-host.md"));
  writeFileSync(join(home.directory, "outside.md"), "the host's secret");
  symlinkSync(join(home.directory, "outside.md"), join(tree, "30-outside.md"));
  const system = await systemOf(home);
  expect(system).not.toContain("bob's secret");
  expect(system).not.toContain("the host's secret");
});

test("an index of skills is as long as the setting allows", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("config.set", { key: "ai.skills.indexMode", value: "names" });
  expect(await systemOf(home)).toContain("Skills: approvals, files-and-memory, processes, versions");
  await home.sys.call("config.set", { key: "ai.skills.indexMode", value: "off" });
  expect(await systemOf(home)).not.toContain("Skills");
});

test("a full disk during gathering is waited out: no turn runs without its context", async () => {
  const disk = { full: false };
  await using home = await TestKernel.boot({
    config: { "kernel.diskRetryMs": 2000 },
    ports: (ports) => {
      const { accounts } = ports.kernel;
      const identity: typeof accounts.identity = async (uid) => {
        if (disk.full && uid === agentUid) throw new StoreUnavailable("disk", "not read: the disk is full");
        return await accounts.identity(uid);
      };
      return { ...ports, kernel: { ...ports.kernel, accounts: { ...accounts, identity } } };
    },
  });
  const agentUid = (await home.stores.kernel.processes.get(INIT))?.uid;
  await home.sys.call("fs.write", { path: "~/context.d/10-a.md", content: "never push to main\n" });
  disk.full = true;
  const { runId } = await home.send("hello");
  await home.inState(INIT, "paused");
  expect(home.model.asked(INIT)).toEqual([]);
  disk.full = false;
  await home.clock.advance(2000);
  expect(await home.ended(runId)).toMatchObject({ status: "ok" });
  expect(home.model.asked(INIT).map(({ system }) => system.includes("never push to main"))).toEqual([true]);
});
