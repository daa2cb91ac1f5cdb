// With no key and no network: the built-in provider drives the real tools, with approvals, and continues after them.

import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Approval } from "../../src/abi/process/process.ts";
import type { Sent } from "../../src/syscalls/services.ts";
import { INIT, TestKernel } from "../support/kernel.ts";
import { scratchDirectory } from "../support/scratch.ts";

function boot(): Promise<TestKernel> {
  return TestKernel.boot({ realProviders: true });
}

test("write, read, find and change work as plain words on real files", async () => {
  await using home = await boot();
  expect((await home.say("write buy milk to ~/list.md")).text).toBe("Written to ~/list.md.");
  expect((await home.say("read ~/list.md")).text).toContain("buy milk");
  expect((await home.say("find milk in ~")).text).toContain("/home/sam/list.md:1:buy milk");
  expect((await home.say('replace "milk" with "bread" in ~/list.md')).text).toBe("Changed ~/list.md.");
  expect(await home.sys.call<object>("fs.read", { path: "~/list.md" })).toMatchObject({
    content: expect.stringContaining("buy bread"),
  });
});

test("delete asks first: if denied the file stays and the answer names the person, if approved it is deleted", async () => {
  await using home = await boot();
  await home.say("write x to ~/old.md");
  for (const [decision, said] of [
    ["deny", "Not done: delete ~/old.md. It was denied by sam."],
    ["approve", "Deleted ~/old.md."],
  ]) {
    const { runId } = await home.send("delete ~/old.md");
    await home.inState(INIT, "waiting_hil");
    const [asked] = (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals;
    await home.sys.call("hil.answer", { id: asked?.id, decision });
    expect((await home.ended(runId)).text).toBe(said ?? "");
  }
  expect((await home.say("read ~/old.md")).text).toContain("no such file");
});

test("what is running lists every process with its state, as the owner sees it", async () => {
  await using home = await boot();
  const pid = await home.task({ label: "docs audit" });
  await home.sys.call("proc.signal", { pid, signal: "STOP" });
  const { text } = await home.say("what is running?");
  expect(text).toContain("2 processes");
  expect(text).toMatch(new RegExp(`${pid} +stopped +docs audit`));
  expect(text).toMatch(/init:1000 +\w+/);
});

test("a question is answered with the command from the manual, and names its page", async () => {
  await using home = await boot();
  const { text } = await home.say("How do I stop a process?");
  expect(text).toContain("gsv proc stop");
  expect(text).toMatch(/manual: \w+/);
});

test("an order that was unanswered when the kernel died is carried out once by the next", async () => {
  await using home = await boot();
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  const { runId } = await home.send("write x to ~/once.md");
  await home.restart();
  await home.sys.call("proc.signal", { pid: INIT, signal: "CONT" });
  expect((await home.wait(INIT, { run: runId })).text).toBe("Written to ~/once.md.");
  expect(await home.outline(INIT)).toEqual([
    "user: write x to ~/once.md",
    "assistant:  [Write]",
    "Write: completed",
    "assistant: Written to ~/once.md.",
  ]);
});

test("the model of a message stays with its run across kernels", async () => {
  const script = join(scratchDirectory("script"), "script.jsonl");
  await Bun.write(script, '{"text":"from the script"}\n');
  await using home = await TestKernel.boot({ realProviders: true, env: { GSV_MODEL: `script:${script}` } });
  await home.sys.call("proc.signal", { pid: INIT, signal: "STOP" });
  const { runId } = await home.send("hello");
  await home.restart();
  await home.person(1000).call("proc.signal", { pid: INIT, signal: "CONT" });
  expect((await home.wait(INIT, { run: runId })).text).toBe("from the script");
  expect((await home.person(1000).call<Sent>("proc.send", { message: "hello" })).runId).not.toBe(runId);
  await home.inState(INIT, "idle");
  expect((await home.outline(INIT)).at(-1)).toMatch(/^assistant: Hello/);
  rmSync(dirname(script), { recursive: true });
});

test("an unknown model is refused at its sender, and nothing is stored", async () => {
  await using home = await TestKernel.boot({ realProviders: true, env: { GSV_MODEL: "gpt-9" } });
  const refused = await home.refusal("proc.send", { message: "hello" });
  expect(refused).toMatchObject({ code: "ECONFIG", message: 'unknown provider "gpt-9"' });
  expect((await home.refusal("proc.spawn", { prompt: "hello" })).code).toBe("ECONFIG");
  expect((await home.sys.call<{ processes: object[] }>("proc.list", {})).processes).toHaveLength(1);
  expect(await home.messages(INIT)).toEqual([]);
});

test("remember that writes to the owner's knowledge, a version each, and a question finds it there", async () => {
  await using home = await boot();
  expect((await home.say("remember that the hotel in Rome is called Albergo Sole")).text).toStartWith("Noted in ");
  expect((await home.say("remember: the key is under the third stone")).text).toStartWith("Noted in ");
  expect(await home.sys.call<object>("fs.read", { path: "~/knowledge/notes.md" })).toMatchObject({
    content: "# Notes\n\n- the key is under the third stone\n- the hotel in Rome is called Albergo Sole",
  });
  const { commits } = await home.sys.call<{ commits: { author: string }[] }>("repo.log", {});
  expect(commits.map(({ author }) => author)).toEqual(["friday", "friday"]);
  expect((await home.say("what is the hotel in Rome called?")).text).toContain("Albergo Sole");
});

test("summarise my workspace describes the files of a workspace", async () => {
  await using home = await boot();
  const { pid, workspaceId } = await home.spawn({ workspace: "new" });
  await home.sys.call("fs.write", { path: `/workspaces/${workspaceId}/README.md`, content: "# Rome\n\nThree days.\n" });
  const { text } = await home.say("Summarise my workspace", { pid });
  expect(text).toContain(`The workspace /workspaces/${workspaceId} holds 1 file and 1 directory`);
  expect(text).toContain("README.md begins:\n\n    # Rome");
});
