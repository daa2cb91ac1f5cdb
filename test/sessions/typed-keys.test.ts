// Typed session keys: an empty variable is refused instead of meaning the default, an agent is matched by its exact name, and two people
// never share a conversation.

import { expect, test } from "bun:test";
import type { SessionAddress } from "../../src/syscalls/session/session-service.ts";
import { runs } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { KernelIo } from "../support/kernel-io.ts";

async function typed(home: TestKernel, ...line: string[]): Promise<readonly [status: number, stderr: string]> {
  const io = new KernelIo(home.sys);
  return [await runs(io, ...line), io.stderr.lines[0] ?? ""];
}

test("an empty name is refused", async () => {
  await using home = await TestKernel.boot();
  await home.say("nutmeg");
  const lines = [
    ...["get", "reset", "compact", "preview", "export", "history", "stats"].map((verb) => ["session", verb, ""]),
    ["session", "set", "", "label", "x"],
    ["chat", "--session", "", "hi"],
    ["chat", "--session", " ", "hi"],
    ["council", "Why?", "--members", "friday,,ada"],
    ["council", "Why?", "--members", "friday,"],
  ];
  for (const line of lines) expect([line, (await typed(home, ...line))[0]]).toEqual([line, 2]);
  expect((await home.messages("init:1000")).length).toBe(2);
});

test("an agent is matched by its exact name", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("agent.create", { name: "bot" });
  expect(await typed(home, "chat", "--session", "agent:_bot:cli:dm:x", "hi")).toEqual([3, "gsv: no such agent: _bot"]);
  expect(await typed(home, "chat", "--session", "agent:Bot:cli:dm:x", "hi")).toEqual([3, "gsv: no such agent: Bot"]);
  expect(await typed(home, "chat", "--session", "agent:bot:Telegram:dm:x", "hi")).toEqual([
    2,
    "gsv: the name of a channel cannot contain T (U+0054)",
  ]);
  expect(await typed(home, "session", "route", "x", "--agent", "nobody")).toEqual([3, "gsv: no such agent: nobody"]);
  expect(await typed(home, "chat", "--session", "agent:my bot:cli:dm:x", "hi")).toEqual([
    2,
    "gsv: the name of an agent cannot contain U+0020",
  ]);
  const { sessions } = await home.sys.call<{ sessions: readonly { readonly key: string }[] }>("session.list", {});
  expect(sessions.map(({ key }) => key)).toEqual(["agent:main:cli:dm:main"]);
  expect((await typed(home, "chat", "--session", "agent:bot:cli:dm:x", "hi"))[0]).toBe(0);
});

test("two people have two conversations, and their names are labels", async () => {
  await using home = await TestKernel.boot();
  const open = (peer: string) =>
    home.sys.call<SessionAddress & { readonly pid: string }>("session.open", { key: `agent:main:cli:dm:${peer}` });
  const opened = await Promise.all(["李雷", "韩梅", "Ann Lee", "ann_lee", "ann lee"].map(open));
  expect(new Set(opened.map(({ pid }) => pid)).size).toBe(5);
  expect(await home.get(opened[0]?.pid ?? "")).toMatchObject({ label: "李雷" });
  expect(opened[2]?.key).toBe("agent:main:cli:dm:Ann%20Lee");
  // A key in its listed form names the same session.
  for (const { key, pid } of opened) expect((await open(key.split(":").at(-1) ?? "")).pid).toBe(pid);
});

test("names of JavaScript object properties are no accounts", async () => {
  await using home = await TestKernel.boot();
  for (const name of ["__proto__", "constructor", "kernel", "users"])
    expect(await typed(home, "agent", "create", name)).toEqual([2, expect.stringContaining(`${name} is reserved`)]);
});
