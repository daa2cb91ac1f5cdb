// A process that was killed is not simply unknown: callers get to know when, and where its history is. And nothing starts where nothing is.

import { expect, test } from "bun:test";
import type { Closed, WaitResult } from "../../src/syscalls/services.ts";
import { runs } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { KernelIo } from "../support/kernel-io.ts";
import { addHuman } from "../support/people.ts";

test("a killed process is named with its time and its archive, to its owner", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  await home.say("hello", { pid });
  const closed = await home.sys.call<Closed>("proc.kill", { pid });
  const refused = await home.refusal("proc.send", { pid, message: "again" });
  expect([refused.code, refused.message]).toEqual(["ESRCH", `${pid} was killed at 2026-01-02T03:04:05.000Z`]);
  expect(refused.hints).toEqual([
    `its history: ${closed.archivedTo}`,
    `gsv archive show ${closed.archiveId?.slice(-8)}`,
  ]);
  const alice = await addHuman(home, "alice");
  expect((await home.refusal("proc.get", { pid }, alice.sys)).message).toBe(`no such process: ${pid}`);
});

test("waiting for it answers at once, as a shell does after a KILL", async () => {
  await using home = await TestKernel.boot();
  const [pid, silent] = [await home.task(), await home.task()];
  await home.say("hello", { pid });
  for (const each of [pid, silent]) await home.sys.call("proc.kill", { pid: each });
  const { results } = await home.sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [pid, silent] });
  expect(results).toMatchObject([
    { status: "killed", exit: 137, error: expect.stringContaining("its history: /var/sessions/") },
    { status: "killed", exit: 137, error: expect.stringContaining("nothing was archived") },
  ]);
  const io = new KernelIo(home.sys);
  expect(await runs(io, "wait", pid)).toBe(137);
  expect(await runs(io, "wait", "task:never1")).toBe(3);
});

test("a process starts in a directory that exists", async () => {
  await using home = await TestKernel.boot();
  const io = new KernelIo(home.sys);
  expect(await runs(io, "spawn", "--cwd", "/nowhere/x")).toBe(3);
  expect(io.stderr.lines[0]).toBe("gsv: cannot start in /nowhere/x: no such file or directory");
  const schedule = (...more: string[]) => runs(io, "sched", "add", "every 1h", "x", "--name", "job", ...more);
  for (const cwd of ["/nowhere/x", "sub"])
    for (const kind of ["--new", "--exec"]) {
      expect([cwd, kind, await schedule(kind, "--cwd", cwd)]).toEqual([cwd, kind, 3]);
      expect(io.stderr.text).toContain(`gsv: cannot start in ${cwd}: no such file or directory\n`);
    }
  expect(await schedule("--new", "--cwd", "~")).toBe(0);
  expect(await runs(io, "sched", "edit", "job", "--cwd", "/nowhere/x")).toBe(3);
  await home.sys.call("fs.write", { path: "~/note.md", content: "milk" });
  expect((await home.refusal("proc.spawn", { cwd: "~/note.md" })).code).toBe("ENOTDIR");
  await home.sys.call("fs.mkdir", { path: "~/work" });
  expect(await home.spawn({ cwd: "~/work" })).toMatchObject({ cwd: "/home/sam/work" });
});

test("a label is one line without control characters", async () => {
  await using home = await TestKernel.boot();
  const pid = await home.task();
  const calls = [
    ["proc.spawn", { label: "a\u001b[31mb" }],
    ["proc.spawn", { label: "a\nb" }],
    ["proc.label", { pid, label: "a\u0007" }],
    ["workspace.create", { label: "a\tb" }],
    ["session.set", { key: "main", path: "label", value: JSON.stringify("a\rb") }],
  ] as const;
  for (const [call, args] of calls) {
    const { code, message } = await home.refusal(call, args);
    expect([call, code, message]).toEqual([
      call,
      "EINVAL",
      expect.stringContaining("label contains a control character (U+00"),
    ]);
  }
});

test("an empty message, or a file that cannot be read, starts no process", async () => {
  await using home = await TestKernel.boot();
  const io = new KernelIo(home.sys);
  expect(await runs(io, "chat", "--new", "")).toBe(2);
  expect(await runs(io, "run", "--", " ")).toBe(2);
  io.side = {
    look: async () => ({ kind: "file", size: 3 }),
    async *read() {
      yield* [];
      throw new Error("cannot read");
    },
  } as never;
  expect(await runs(io, "chat", "--new", "-a", "secret.png", "look")).not.toBe(0);
  expect(io.stderr.text).not.toContain("new process");
  expect((await home.sys.call<{ processes: unknown[] }>("proc.list", {})).processes).toHaveLength(1);
});
