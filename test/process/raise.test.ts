// An agent cannot raise its own rights: no tool, file, child, dropped capability or call gives a process more than it has, and its attempts
// are logged.

import { expect, test } from "bun:test";
import type { ProcessCaps } from "../../src/syscalls/account/account-service.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import type { ShellAnswer } from "../../src/syscalls/run/shell-service.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

const caps = (home: TestKernel, pid: string) => home.sys.call<ProcessCaps>("proc.caps", { pid });

test("a process cannot call anything that changes accounts, groups, tokens, approvals or the kernel", async () => {
  await using home = await TestKernel.boot();
  const { pid } = await home.person(0).call<{ pid: string }>("proc.spawn", { as: "root", parent: INIT });
  const forPeople = [...SYSCALLS.values()].filter(({ by }) => by !== "anyone");
  expect(forPeople.length).toBeGreaterThan(10);
  for (const each of [INIT, pid]) {
    const inside = await home.insideOf(each);
    for (const { name } of forPeople)
      expect(`${name} ${(await home.refusal(name, {}, inside)).code}`).toBe(`${name} EPERM`);
  }
  for (const call of SYSCALLS.values()) {
    if (/^(?:account|group|sys\.token)\./.test(call.name) && call.class === "keyed")
      expect(`${call.name} ${call.by}`).toBe(`${call.name} person`);
  }
});

test("no identity file can be written: not in /etc, /proc or another home, by tool or by call", async () => {
  await using home = await TestKernel.boot();
  const paths = [
    "/etc/passwd",
    "/etc/shadow",
    "/etc/group",
    `/proc/${INIT}/status`,
    `/proc/${INIT}/caps`,
    "/sys/capabilities/100",
    "/root/x",
    "/var/x",
  ];
  const inside = await home.insideOf(INIT);
  for (const path of paths) {
    const refused = await home.refusal("fs.write", { path, content: "root::0:0" }, inside);
    expect(["EACCES", "EROFS", "EPERM", "ENOSYS", "ENOENT"]).toContain(refused.code);
  }
  const before = await caps(home, INIT);
  const pid = await home.task({ profile: "cron" });
  home.model.will(pid, { calls: paths.map((path) => ({ name: "Write", args: { path, content: "x" } })) });
  await home.say("raise yourself", { pid });
  expect((await home.outline(pid)).filter((line) => line.includes("completed"))).toEqual([]);
  expect(await caps(home, INIT)).toEqual(before);
});

test("a child has at most its parent's rights: dropped ones stay dropped, for its children and other accounts too", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("account.create", { username: "scout", agent: true });
  const root = home.person(0);
  await root.call("group.mod", { name: "scout", grant: "adapter.*" });
  const pid = await home.task({ drop: "net,shell,fs.write,archive" });
  const inside = await home.insideOf(pid);
  for (const args of [{}, { drop: "hil" }, { as: "scout" }, { parent: pid }, { parent: INIT }]) {
    const child = await inside.call<{ pid: string }>("proc.spawn", args);
    const door = await home.insideOf(child.pid);
    expect((await home.refusal("fs.write", { path: "~/a", content: "x" }, door)).message).toBe(
      `${child.pid} may not call fs.write (needs fs.write)`,
    );
    expect((await home.refusal("archive.list", {}, door)).code).toBe("EPERM");
    await door.call("fs.read", { path: "~" });
    expect((await caps(home, child.pid)).dropped).toEqual(
      expect.arrayContaining(["net", "shell", "fs.write", "archive"]),
    );
  }
  const asScout = await home.task({ as: "scout" });
  expect((await caps(home, asScout)).capabilities).not.toContain("adapter.*");
  await home.restart();
  expect((await home.refusal("fs.write", { path: "~/a", content: "x" }, await home.insideOf(pid))).code).toBe("EPERM");
});

test("a dropped capability stays dropped in every route: a tool, /proc, and a run after a restart", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task({ drop: "fs.edit,proc" });
  home.model.will(pid, { calls: [{ name: "Edit", args: { path: "~/a", oldString: "a", newString: "b" } }] });
  await home.say("edit", { pid });
  expect((await home.outline(pid)).join("\n")).toContain("Edit: failed");
  const inside = await home.insideOf(pid);
  for (const path of [`/proc/${INIT}/status`, `/proc/${INIT}/messages`]) {
    expect((await home.refusal("fs.read", { path }, inside)).code).toBe("EPERM");
  }
  for (const name of ["proc.list", "proc.spawn", "proc.history"])
    expect((await home.refusal(name, {}, inside)).code).toBe("EPERM");
});

test("a process cannot start one as a foreign account, an init, or one with an empty drop", async () => {
  await using home = await TestKernel.boot();
  const inside = await home.insideOf(INIT);
  for (const as of ["root", "sam", "nemo"])
    expect(`${as} ${(await home.refusal("proc.spawn", { as }, inside)).code}`).toBe(`${as} ENOENT`);
  expect((await home.refusal("proc.spawn", { profile: "init" }, inside)).code).toBe("EINVAL");
  for (const drop of ["nte", "fs,", "f*", "shell;net", "FS"]) {
    const tried = await inside.call("proc.spawn", { drop }).then(
      () => "ok",
      (error) => error.code,
    );
    expect(`${drop} ${tried}`).toBe(drop === "fs," ? "fs, ok" : `${drop} EINVAL`);
  }
});

test("every refusal of a process is in the audit log of its owner", async () => {
  await using home = await TestKernel.boot();
  const inside = await home.insideOf(INIT);
  await home.refusal("account.passwd", { username: "root", password: "a new password", typed: true }, inside);
  await home.refusal("group.mod", { name: "users", grant: "*" }, inside);
  const { entries } = await home.sys.call<{ entries: object[] }>("audit.list", { denied: true });
  expect(entries).toMatchObject([
    { account: "friday", pid: INIT, call: "account.passwd", outcome: "EPERM" },
    { account: "friday", pid: INIT, call: "group.mod", outcome: "EPERM" },
  ]);
  const { rows } = await home.sys.call<{ rows: { args: string }[] }>("proc.trace", { pid: INIT });
  expect(JSON.stringify(rows)).not.toContain("a new password");
});

test("a script without approval cannot delete, or change agent instructions", async () => {
  await using home = await TestKernel.boot({ realTime: true });
  await home.sys.call("fs.write", { path: "~/kept", content: "x" });
  const script =
    "rm ~/kept; echo x > ~/context.d/10-a.md; echo x > /sys/config/ai/model; echo stop > /proc/init:1000/ctl";
  for (const kind of ["device", "service"] as const) {
    const machine = home.kernel.sysFor(1000, async () => ({
      ...(await home.kernel.callers.person(1000, "/home/sam")),
      kind,
    }));
    const { output } = await machine.call<ShellAnswer>("shell.run", { id: Bun.randomUUIDv7(), script });
    const told = output.pieces.map(({ bytes }) => Buffer.from(bytes, "base64").toString()).join("");
    expect([kind, told.match(/needs the user's approval/g)?.length]).toEqual([kind, 4]);
    for (const [path, content] of [
      ["~/context.d/10-a.md", "x"],
      [`/proc/${INIT}/ctl`, "stop"],
    ])
      expect((await home.refusal("fs.write", { path, content }, machine)).code).toBe("EPERM");
  }
  expect(await home.sys.call<object>("fs.read", { path: "~/kept" })).toMatchObject({ content: "x" });
  expect((await home.refusal("fs.read", { path: "~/context.d/10-a.md" })).code).toBe("ENOENT");
  expect((await home.get(INIT)).state).toBe("idle");
});
