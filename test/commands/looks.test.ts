// Commands that show activity: events, w, uptime, last, perf.

import { beforeEach, describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import { said } from "../support/chat.ts";
import { FakeIo, runs, until } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
});

describe("gsv events", () => {
  test("prints signals as they arrive, one per line, and exits after the requested number", async () => {
    const over = runs(io, "events", "-n", "2");
    await until(() => io.fakeSys.filters.length === 1);
    io.fakeSys.emit(said.start(), said.delta("not this"), said.text("hello"), said.text("too late"));
    expect(await over).toBe(0);
    expect(io.stdout.lines.map((line) => JSON.parse(line).name)).toEqual(["chat.start", "chat.text"]);
  });

  test("subscribes to the named processes and signals, and to deltas on request", async () => {
    io.fakeSys.answer("proc.get", () => ({}));
    const over = runs(io, "events", "task:abc123", "init:1000", "chat.delta", "-n", "1");
    await until(() => io.fakeSys.filters.length === 2);
    expect(io.fakeSys.filters).toEqual([
      { pid: "task:abc123", names: ["chat.delta"] },
      { pid: "init:1000", names: ["chat.delta"] },
    ]);
    io.fakeSys.emit(said.delta("x"));
    expect(await over).toBe(0);
  });

  test("an unknown signal is refused instead of waited for", async () => {
    expect(await runs(io, "events", "chat.txet")).toBe(2);
    expect(io.stderr.text).toContain("no such process or signal: chat.txet");
    expect(io.stderr.text).toContain("did you mean chat.text");
    for (const word of ["init:1e3", "chat", "proces.*", ""]) expect(await runs(new FakeIo(), "events", word)).toBe(2);
    expect(io.fakeSys.filters).toEqual([]);
    expect(await runs(io, "approvals", "k3x9", "--watch")).toBe(2);
  });

  test("a process that does not exist is refused instead of waited for", async () => {
    await using home = await TestKernel.boot();
    io.sys = (() => home.sys) as never;
    expect(await runs(io, "events", "task:zzzzzz", "-n", "1")).toBe(3);
    expect(io.stderr.text).toContain("no such process: task:zzzzzz");
  });

  test("ends when the kernel was stopped, because no more events can come", async () => {
    io.fakeSys.answer("proc.get", () => ({}));
    const over = runs(io, "events", "task:abc123");
    await until(() => io.fakeSys.calls.length === 1);
    io.kernel.start = async () => {
      throw new SysError("EAGAIN", "the kernel was stopped", ["gsv kernel start starts it again"]);
    };
    io.fakeSys.emit({ name: "resync", pid: "task:abc123", uid: -1, parent: null, at: 0, afterSeq: 0 });
    expect(await over).toBe(75);
    expect(io.stderr.text).toContain("the kernel was stopped");
  });

  test("a slow reader gets the number of missed signals", async () => {
    const over = runs(io, "events");
    await until(() => io.fakeSys.filters.length === 1);
    for (let number = 0; number < 10_050; number++) io.fakeSys.emit(said.text(`${number}`));
    await until(() => io.stdout.lines.length === 10_001);
    io.interrupt("INT");
    expect(await over).toBe(130);
    expect(io.stdout.lines.map((line) => JSON.parse(line)).find(({ name }) => name === "lost")).toEqual({
      name: "lost",
      count: 50,
    });
  });
});

describe("cost of runs", () => {
  test("the latest runs come first, each with its process; another account's are not listed", async () => {
    await using home = await TestKernel.boot();
    const pid = await home.task({ label: "docs" });
    await home.say("one");
    await home.say("two", { pid });
    const { runs: last } = await home.sys.call<{ runs: { pid: string; label: string | null; turns: number }[] }>(
      "proc.runs",
      {},
    );
    expect(last).toEqual([
      expect.objectContaining({ pid, label: "docs", turns: 1 }),
      expect.objectContaining({ pid: "init:1000", turns: 1 }),
    ]);
    const { runs: one } = await home.sys.call<{ runs: unknown[] }>("proc.runs", { pid, limit: 5 });
    expect(one).toHaveLength(1);
    const idle = await home.task();
    expect(await home.sys.call<{ runs: unknown[] }>("proc.runs", { pid: idle })).toEqual({ runs: [] });
    for (const unknown of ["task:nosuch", "init:5"])
      expect((await home.refusal("proc.runs", { pid: unknown })).code).toBe("ESRCH");
    await home.sys.call("proc.kill", { pid });
    expect((await home.sys.call<{ runs: unknown[] }>("proc.runs", { pid })).runs).toHaveLength(1);
    await home.sys.call("account.create", { username: "bob" }, {}).catch(() => {});
    expect((await home.person(0).call<{ runs: unknown[] }>("proc.runs", { limit: 1 })).runs).toHaveLength(1);
  });
});

describe("gsv ps aux", () => {
  test("and ps -l show every column with content, and no line is wider than the screen", async () => {
    const about = {
      owner: "sam",
      runAs: "friday",
      createdAt: 0,
      lastActiveAt: 0,
      costUsd: 0.5,
      queued: 0,
      mode: "ask",
    };
    const where = { cwd: "/workspaces/dir_kvoyqq", workspaceId: "dir_kvoyqq", waitsFor: null, profile: "task" };
    io.fakeSys.answer("proc.list", () => ({
      processes: [{ ...about, ...where, pid: "task:abc123", label: "fix the cart", state: "idle", lastStatus: "ok" }],
    }));
    expect(await runs(io.terminal(100), "ps", "aux")).toBe(0);
    for (const head of ["PID", "STATE", "LABEL", "OWNER", "COST", "CWD", "WORKSPACE"])
      expect(io.stdout.lines[0]).toContain(head);
    expect(Math.max(...io.stdout.lines.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(100);
    io.stdout.text = "";
    io.fakeSys.answer("workspace.list", () => ({
      workspaces: [{ id: "dir_kvoyqq", directory: "/srv/shop" }],
      next: null,
    }));
    expect(await runs(io.terminal(60), "ps", "-l")).toBe(0);
    expect(Math.max(...io.stdout.lines.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(60);
    expect(io.stdout.lines[0]).not.toContain("…");
    expect(io.stdout.lines.slice(2)).toEqual([
      "      ask",
      "      task",
      "      $0.50",
      "      sam",
      "      /srv/shop",
      "      dir_kvoyqq",
    ]);
  });
});

describe("gsv w", () => {
  const STATUS = { running: true, startedAt: 0, clients: 2 };
  const about = { label: "docs", runAs: "friday", createdAt: 0, lastActiveAt: 0, costUsd: 0.5, waitsFor: null };

  beforeEach(() => {
    io.fakeSys.answer("system.status", () => STATUS);
    io.fakeSys.answer("proc.usage", () => ({ rows: [], total: { costUsd: 1.25 } }));
    io.fakeSys.answer("proc.list", () => ({
      processes: [
        { ...about, pid: "task:abc123", state: "running" },
        { ...about, pid: "task:def456", state: "idle" },
      ],
    }));
  });

  test("prints the load in a line, and lists active processes", async () => {
    expect(await runs(io, "w")).toBe(0);
    const [head, heads, row, ...rest] = io.stdout.lines;
    expect(head).toMatch(/^up \S+, 2 clients, 2 processes, 1 running, \$1\.25 today$/);
    expect(heads).toStartWith("RUN AS  PID ");
    expect(row).toMatch(/^friday +task:abc123 +running +.* +docs$/);
    expect(rest).toEqual([]);
  });

  test("uptime is that line, or its numbers", async () => {
    expect(await runs(io, "uptime", "--json")).toBe(0);
    expect(JSON.parse(io.stdout.text)).toEqual({ ...STATUS, processes: 2, atWork: 1, todayUsd: 1.25 });
  });
});

describe("gsv top", () => {
  test("as objects it has the data of ps, the model and the fill of the context", async () => {
    await using home = await TestKernel.boot();
    await home.say("hello");
    io.sys = (() => home.sys) as never;
    expect(await runs(io, "ps", "--json")).toBe(0);
    const listed = io.stdout.lines.map((line) => JSON.parse(line));
    io.stdout.text = "";
    expect(await runs(io, "top", "--once", "--json")).toBe(0);
    const { model, context, ...process } = JSON.parse(io.stdout.text) as { model: string; context: number };
    expect([process]).toEqual(listed);
    expect(model).toBeString();
    expect(context).toBeWithin(0, 1);
  });

  test("unreadable processes are listed nevertheless", async () => {
    const about = {
      ...{ label: null, owner: "sam", profile: "task", cwd: "/", queued: 0 },
      lastActiveAt: 0,
      createdAt: 0,
    };
    io.fakeSys.answer("proc.list", () => ({
      processes: [{ ...about, pid: "task:abc123", parentPid: null, state: "idle", waitsFor: null }],
    }));
    expect(await runs(io, "top", "--once", "--json")).toBe(0);
    expect(JSON.parse(io.stdout.text)).toMatchObject({ pid: "task:abc123", model: null, context: null });
    io.stdout.text = "";
    expect(await runs(io, "top", "-b", "-n1")).toBe(0);
    expect(io.stdout.text).toContain("task:abc123");
  });

  test("-n sets the number and -d the interval of snapshots, for a file", async () => {
    io.fakeSys.answer("proc.list", () => ({ processes: [] }));
    const running = runs(io, "top", "-b", "-n", "3", "-d", "60");
    for (const asked of [1, 2, 3]) {
      while (io.fakeSys.asked("proc.list").length < asked) await new Promise(setImmediate);
      await io.clock.advance(59_000);
      expect(io.fakeSys.asked("proc.list")).toHaveLength(asked);
      await io.clock.advance(1000);
    }
    expect(await running).toBe(0);
    expect(io.stdout.lines.filter((line) => line.startsWith("PID"))).toHaveLength(3);
  });
});

describe("gsv perf", () => {
  test("adds up models, calls, files and started programs", async () => {
    io.fakeSys.answer("proc.usage", () => ({
      rows: [{ key: "script", turns: 2, input: 10, output: 5, costUsd: 0, runMs: 900 }],
    }));
    const call = (id: number, path: string, outcome = "ok") => ({
      ...{ id, at: 0, call: "fs.read", outcome, ms: 2 },
      args: JSON.stringify({ path }),
    });
    io.fakeSys.answer("proc.trace", ({ after }: { after: number }) => ({
      rows: after > 0 ? [] : [call(1, "~/a"), call(2, "~/b", "ENOENT"), call(3, "~/a")],
    }));
    const one = (pid: string, parentPid: string | null) => ({ pid, parentPid, label: null, costUsd: 0.5, tokens: 7 });
    io.fakeSys.answer("proc.list", () => ({
      processes: [one("task:abc123", null), one("task:def456", "task:abc123"), one("task:xyz789", "task:def456")],
    }));
    expect(await runs(io, "perf", "task:abc123", "--json")).toBe(0);
    const { calls, files, children } = JSON.parse(io.stdout.text);
    expect(calls).toEqual([{ call: "fs.read", calls: 3, errors: 1, ms: 6 }]);
    expect(files).toEqual([
      { path: "~/a", calls: 2, ms: 4 },
      { path: "~/b", calls: 1, ms: 2 },
    ]);
    expect(children.map(({ pid }: { pid: string }) => pid)).toEqual(["task:def456", "task:xyz789"]);
  });
});

describe("gsv approvals on a terminal", () => {
  const asked = (id: string, command: string) => ({
    ...{ id, kind: "approval", pid: "task:abc123", tool: "Shell", call: "shell.exec", createdAt: 0, expiresAt: null },
    ...{ why: "run a command (needs approval by default)", hash: "", about: null },
    args: { command, target: "host" },
  });

  test("shows each request as its card does; a pipe gets the table with the arguments", async () => {
    const all = [asked("k3x9", "make\ninstall"), asked("q7ab", "ls")];
    io.fakeSys.answer("hil.list", ({ id }: { id?: string }) => ({
      approvals: all.filter((each) => id === undefined || each.id === id),
      next: null,
    }));
    expect(await runs(io.terminal(60), "approvals")).toBe(0);
    expect(io.stdout.text).toMatch(
      /^k3x9 {2}\S+ {2}task:abc123 asks: Shell on gsv\n {2}\| make\n {2}\| install\n {2}to run a command.*\nanswer with: gsv approve k3x9 .*\n\nq7ab /,
    );
    expect(io.stdout.text).not.toContain("{");
  });
});
