// With no key and no network: the built-in provider drives the real tools, with approvals, and continues after them.

import { expect, test } from "bun:test";
import type { Approval } from "../../src/abi/process/process.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

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
