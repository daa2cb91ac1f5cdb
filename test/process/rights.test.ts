// A process acts as its agent and never as a person: it answers no request, raises no right, and stops where no person can approve.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import type { Approval } from "../../src/abi/process/process.ts";
import { INIT, TestKernel } from "../support/kernel.ts";

test("a process cannot answer an approval, its own or another's, nor drain the kernel", async () => {
  await using home = await TestKernel.boot();
  home.model.will(INIT, { calls: [{ name: "Delete", args: { path: "~/a" } }] });
  await home.send("delete a");
  await home.inState(INIT, "waiting_hil");
  const [asked] = (await home.sys.call<{ approvals: Approval[] }>("hil.list", {})).approvals;
  for (const pid of [INIT, await home.task()]) {
    const inside = await home.insideOf(pid);
    const refused = await home.refusal("hil.answer", { id: asked?.id ?? "", decision: "approve" }, inside);
    expect([refused.code, refused.message]).toEqual(["EPERM", "hil.answer is for people: a process may not call it"]);
    expect((await home.refusal("sys.drain", {}, inside)).code).toBe("EPERM");
  }
  expect((await home.get(INIT)).state).toBe("waiting_hil");
});

test("a revoked capability is gone from the next call on, for the person and for its agents", async () => {
  await using home = await TestKernel.boot();
  const inside = await home.insideOf(INIT);
  await inside.call("fs.write", { path: "~/a", content: "x" });
  withDatabase(home, (db) => db.run("DELETE FROM group_capabilities WHERE capability = 'fs.*'"));
  for (const sys of [home.sys, inside]) {
    const refused = await home.refusal("fs.read", { path: "~/a" }, sys);
    expect(refused.code).toBe("EPERM");
    expect(refused.message).toMatch(/^\w+ may not call fs\.read \(needs fs\.read\)$/);
  }
  home.model.will(INIT, { calls: [{ name: "Read", args: { path: "~/a" } }] }, { text: "I may not" });
  expect(await home.say("read a")).toMatchObject({ status: "ok", text: "I may not" });
  const result = (await home.messages(INIT)).find((message) => message.role === "toolResult");
  expect(result?.content).toMatchObject({ outcome: "failed", output: expect.stringContaining("EPERM") });
});

test("changes to context, skills and hooks need approval; ordinary files do not, and forbidden ones fail", async () => {
  await using home = await TestKernel.boot();
  const asks = [
    "~/context.d/rules.md",
    "/home/sam/skills.d/x/SKILL.md",
    "~/notes/../hooks.d/on-end",
    "context.d/relative.md",
    "//home//sam/./context.d/x",
  ];
  for (const path of asks) {
    const pid = await home.task();
    home.model.will(pid, { calls: [{ name: "Write", args: { path, content: "x" } }] });
    await home.send("write", { pid });
    await home.inState(pid, "waiting_hil");
  }
  const pid = await home.task();
  const calls = ["~/notes.md", "~/context.dx", "/tmp/context.d/x", "/etc/motd", "/root/context.d/x"].map((path) => ({
    name: "Write",
    args: { path, content: "x" },
  }));
  home.model.will(pid, { calls });
  expect(await home.say("write", { pid })).toMatchObject({ status: "ok" });
  expect((await home.outline(pid)).filter((line) => line.startsWith("Write:"))).toEqual([
    ...["Write: completed", "Write: completed", "Write: completed"],
    // Modes forbid these to the agent, so nobody is asked.
    ...["Write: failed", "Write: failed"],
  ]);
});

test("a process without an approver gets an error at once and continues without the call", async () => {
  await using home = await TestKernel.boot();
  await home.sys.call("fs.write", { path: "~/a", content: "x" });
  for (const profile of ["cron", "app"] as const) {
    const pid = await home.task({ profile });
    home.model.will(pid, { calls: [{ name: "Delete", args: { path: "~/a" } }] }, { text: "could not" });
    expect(await home.say("tidy up", { pid })).toMatchObject({ status: "ok", text: "could not" });
    const result = (await home.messages(pid)).find((message) => message.role === "toolResult");
    expect(result?.content).toMatchObject({
      outcome: "denied",
      output: "Delete needs approval, and this process cannot ask anyone.",
    });
  }
  expect(await home.sys.call<object>("fs.read", { path: "~/a" })).toMatchObject({ kind: "file" });
});

test("every call of a process is in its log with its outcome, without secrets in arguments", async () => {
  await using home = await TestKernel.boot();
  const key = "sk-test-0123456789abcdef";
  const calls = [
    { name: "Write", args: { path: "~/a", content: `key ${key}` } },
    { name: "Read", args: { path: "~/none" } },
  ];
  home.model.will(INIT, { calls });
  await home.say("try");
  const { rows } = await home.sys.call<{ rows: { call: string; args: string; outcome: string }[] }>("proc.trace", {
    pid: INIT,
  });
  expect(rows.map(({ call, outcome }) => `${call} ${outcome}`)).toEqual([
    "llm.chat ok",
    "fs.write ok",
    "fs.read ENOENT",
    "llm.chat ok",
  ]);
  expect(JSON.stringify(rows)).not.toContain(key);
});

test("the log of a process is bounded: the newest rows stay, and numbers are never reused", async () => {
  await using home = await TestKernel.boot();
  const inside = await home.insideOf(INIT);
  for (let call = 0; call < LIMITS.syscallLogRowsMax + 5; call++) await inside.call("sys.version", {});
  const first = await home.sys.call<{ rows: { id: number }[] }>("proc.trace", { pid: INIT, after: 0, limit: 1 });
  const last = await home.sys.call<{ rows: { id: number }[] }>("proc.trace", {
    pid: INIT,
    after: LIMITS.syscallLogRowsMax,
  });
  expect([first.rows[0]?.id, last.rows.at(-1)?.id]).toEqual([6, LIMITS.syscallLogRowsMax + 5]);
});

function withDatabase(home: TestKernel, change: (db: Database) => void): void {
  const db = new Database(home.paths.kernelDb);
  change(db);
  db.close();
}
