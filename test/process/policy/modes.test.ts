// Modes of a process. No agent can change its mode through a call, file, script, child or rule.

import { expect, test } from "bun:test";
import type { ProcessInfo } from "../../../src/abi/process/process.ts";
import type { ShellAnswer } from "../../../src/syscalls/run/shell-service.ts";
import { INIT, TestKernel } from "../../support/kernel.ts";

async function outcomes(home: TestKernel, calls: readonly object[], pid = INIT): Promise<readonly string[]> {
  home.model.will(pid, { calls } as never, { text: "done" });
  const before = (await home.messages(pid)).length;
  await home.say("go", { pid });
  return (await home.messages(pid)).slice(before).flatMap((message) => {
    return message.role === "toolResult" ? [`${message.content.toolName} ${message.content.outcome}`] : [];
  });
}

const shell = (command: string) => ({ name: "Shell", args: { command } });

test("a process in mode plan reads and changes nothing, with any tool", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  await home.sys.call("fs.write", { path: "~/a.md", content: "a" });
  await home.sys.call("proc.mode", { pid: INIT, mode: "plan" });
  const looks = [{ name: "Read", args: { path: "~/a.md" } }, shell("ls ~; cat ~/a.md; echo x > /tmp/y")];
  expect(await outcomes(home, looks)).toEqual(["Read completed", "Shell completed"]);
  const changes = [
    { name: "Write", args: { path: "~/b.md", content: "b" } },
    { name: "Edit", args: { path: "~/a.md", oldString: "a", newString: "b" } },
    { name: "Delete", args: { path: "~/a.md" } },
    { name: "Shell", args: { target: "host", command: "touch x" } },
    shell("rm ~/a.md"),
  ];
  expect(await outcomes(home, changes)).toEqual(
    ["Write", "Edit", "Delete", "Shell", "Shell"].map((name) => `${name} failed`),
  );
  await outcomes(home, [shell("echo b > ~/b.md; gsv spawn; gsv send hello; a=r; $a'm' ~/a.md; fs write '~/c.md' x")]);
  const { directories, files } = await home.sys.call<{ directories: string[]; files: string[] }>("fs.read", {
    path: "~",
  });
  expect([...directories, ...files].filter((name) => /^[abc]\.md$/.test(name))).toEqual(["a.md"]);
  expect((await home.sys.call<{ processes: ProcessInfo[] }>("proc.list", {})).processes).toHaveLength(1);
});

test("mode yolo runs calls that would ask, but guarded ones ask and a deny wins", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  for (const name of ["a.md", "b.md"]) await home.sys.call("fs.write", { path: `~/${name}`, content: name });
  await home.stores.kernel.processes.set(INIT, { mode: "yolo" });
  const free = [{ name: "Delete", args: { path: "~/a.md" } }, shell("rm ~/b.md")];
  expect(await outcomes(home, free)).toEqual(["Delete completed", "Shell completed"]);
  await home.sys.call("policy.add", { action: "deny", command: "curl" });
  expect(await outcomes(home, [shell("curl -s example.org"), shell("echo $(curl x)")])).toEqual([
    "Shell denied",
    "Shell denied",
  ]);
  home.model.will(INIT, { calls: [{ name: "Write", args: { path: "~/context.d/x.md", content: "x" } }] });
  await home.send("go");
  await home.inState(INIT, "waiting_hil");
});

test("mode yolo without a sandbox is refused, unless the whole home allows it and gsv does not run as root", async () => {
  await using home = await TestKernel.boot();
  const refused = await home.refusal("proc.mode", { pid: INIT, mode: "yolo" });
  expect([refused.code, refused.message]).toEqual(["EPERM", expect.stringContaining("needs a sandbox")]);
  expect((await home.refusal("proc.spawn", { mode: "yolo" })).code).toBe("EPERM");
  await home.person(0).call("config.set", { key: "ai.tools.yoloWithoutSandbox", value: "true", system: true });
  const forced = home.sys.call("proc.mode", { pid: INIT, mode: "yolo" });
  if (process.getuid?.() === 0) await expect(forced).rejects.toThrow("gsv runs as root");
  else expect(await forced).toEqual({ pid: INIT, mode: "yolo" });
});

test("a process changes no mode, rule or answer, and its children have no wider ones", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  await home.sys.call("fs.write", { path: "~/old.md", content: "x" });
  await home.sys.call("proc.mode", { pid: INIT, mode: "plan" });
  const inside = await home.insideOf(INIT);
  const tries = [
    ["proc.mode", { pid: INIT, mode: "yolo" }],
    ["policy.add", { action: "auto", match: "*" }],
    ["policy.revoke", { id: "abcd" }],
    ["hil.answer", { id: "abcd", decision: "approve" }],
    ["config.set", { key: "ai.tools.approval", value: '{"default":"auto"}' }],
    ["fs.write", { path: `/sys/users/1000/config/ai.tools.approval`, content: '{"default":"auto"}' }],
    ["fs.write", { path: `/proc/${INIT}/ctl`, content: "mode yolo" }],
    ["proc.spawn", {}],
  ] as const;
  for (const [call, args] of tries)
    expect(`${call} ${(await home.refusal(call, args, inside)).code}`).toBe(`${call} EPERM`);
  await home.sys.call("proc.mode", { pid: INIT, mode: "ask" });
  const asking = await home.insideOf(INIT);
  expect((await home.refusal("proc.spawn", { mode: "yolo" }, asking)).code).toBe("EPERM");
  await home.sys.call("proc.mode", { pid: INIT, mode: "accept-edits" });
  const editing = await home.insideOf(INIT);
  const { pid } = await editing.call<{ pid: string }>("proc.spawn", { parent: INIT });
  expect((await home.get(pid)).mode).toBe("accept-edits");
  const script =
    "gsv mode init:1000 yolo; gsv policy add auto '*'; mode init:1000 yolo; echo yolo > /proc/init:1000/ctl";
  const { exit } = await editing.call<ShellAnswer>("shell.run", { id: crypto.randomUUID(), script });
  expect(exit).not.toBe(0);
  expect((await home.get(INIT)).mode).toBe("accept-edits");
  expect((await home.sys.call<{ rules: unknown[] }>("policy.list", {})).rules).toEqual([]);
});

test("the mode command without a pid means init", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("proc.mode", { pid: INIT, mode: "plan" });
  await home.sys.call("proc.model", { pid: INIT, model: "openai/some" });
  await home.sys.call("proc.think", { pid: INIT, level: "high" });
  expect(await home.sys.call<object>("proc.mode", {})).toMatchObject({ mode: "plan" });
  expect(await home.sys.call<object>("proc.model", {})).toMatchObject({ model: "openai/some" });
  expect(await home.sys.call<object>("proc.think", {})).toMatchObject({ thinking: "high" });
});

test("earlier names of a mode still work, in calls and in stored rows", async () => {
  await using home = await TestKernel.boot();
  for (const name of ["auto-edit", "acceptEdits"])
    expect(await home.sys.call<object>("proc.mode", { pid: INIT, mode: name })).toMatchObject({ mode: "accept-edits" });
  await home.stores.kernel.processes.set(INIT, { mode: "auto-edit" as never });
  expect((await home.get(INIT)).mode).toBe("accept-edits");
});

test("mode yolo asks before a whole home or workspace would be removed", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  await home.stores.kernel.processes.set(INIT, { mode: "yolo" });
  await home.sys.call("fs.write", { path: "~/a.md", content: "a" });
  for (const command of ["find ~ -delete", "rm -rf ~/*", "rm -rf *"]) {
    home.model.will(INIT, { calls: [shell(command)] }, { text: "done" });
    await home.send("go");
    await home.inState(INIT, "waiting_hil");
    const { approvals } = await home.sys.call<{ approvals: { id: string; about: object }[] }>("hil.list", {});
    expect(approvals).toMatchObject([{ about: { reasons: [expect.stringMatching(/^removes everything in /)] } }]);
    await home.sys.call("hil.answer", { id: approvals[0]?.id ?? "", decision: "deny" });
    await home.inState(INIT, "idle");
  }
  expect(await outcomes(home, [shell("rm -rf ~/a.md")])).toEqual(["Shell completed"]);
});
