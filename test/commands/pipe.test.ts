import { beforeEach, describe, expect, test } from "bun:test";
import { LIMITS } from "../../src/abi/config/limits.ts";
import { SysError } from "../../src/abi/errno.ts";
import { waited } from "../support/chat.ts";
import { FakeIo, runs, stdinOf, until } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { begin, finish, type } from "../support/shell.ts";

let io: FakeIo;
/** The messages to each agent. */
let told: Map<string, string>;
let failing: string | null;

beforeEach(() => {
  io = new FakeIo();
  told = new Map();
  failing = null;
  const { fakeSys } = io;
  fakeSys.answer("proc.spawn", ({ as, model }: { as?: string; model?: string }) => ({ pid: `task:${as ?? model}` }));
  fakeSys.answer("proc.send", ({ pid, message }: { pid: string; message: string }) => {
    told.set(pid, message);
    return { pid, runId: pid, status: "started", queued: false };
  });
  fakeSys.answer("proc.wait", ({ pids: [pid = ""] }: { pids: string[] }) => {
    const failed = { status: "error", exit: 1, error: "no luck", text: null } as const;
    return { results: [waited({ pid, ...(pid === failing ? failed : { text: `said by ${pid}` }) })] };
  });
  fakeSys.answer("proc.kill", () => ({}));
  fakeSys.answer("proc.abort", () => ({ aborted: true }));
});

describe("gsv pipe", () => {
  test("each stage gets the previous answer, and the last answer is on stdout", async () => {
    io.stdin = stdinOf("pipe", ["the brief"]);
    expect(await runs(io, "pipe", `ada "Find the | faults." | openai/m`)).toBe(0);
    expect(told.get("task:ada")).toBe('Find the | faults.\n\n<stdin bytes="9">\nthe brief\n</stdin>');
    expect(told.get("task:openai/m")).toBe("said by task:ada");
    expect(io.stdout.text).toBe("said by task:openai/m\n");
    expect(io.fakeSys.asked("proc.spawn")).toEqual([
      { label: "pipe: ada", as: "ada" },
      { label: "pipe: openai/m", model: "openai/m" },
    ]);
  });

  test("a failed stage ends the pipe: its status and reason, nothing on stdout, and no later stage starts", async () => {
    failing = "task:ada";
    expect(await runs(io, "pipe", "ada go | bob")).toBe(1);
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toContain("ada (task:ada) no luck");
    expect(told.has("task:bob")).toBe(false);
  });

  test("--json prints every stage with its status, --rm ends the processes", async () => {
    expect(await runs(io, "pipe", "ada go | bob", "--json", "--rm")).toBe(0);
    expect(JSON.parse(io.stdout.text)).toEqual({
      stages: [
        { who: "ada", task: "go", pid: "task:ada", status: "ok", exit: 0 },
        { who: "bob", task: "", pid: "task:bob", status: "ok", exit: 0 },
      ],
      text: "said by task:bob",
      exit: 0,
    });
    expect(io.fakeSys.asked("proc.kill")).toHaveLength(2);
  });

  test("all agents are checked first: an unknown name costs no answer, and leaves nothing", async () => {
    io.fakeSys.answer("proc.spawn", ({ as }: { as?: string }) => {
      if (as === "nobody") throw new SysError("EPERM", "you may not start processes as nobody", ["leave --as out"]);
      return { pid: `task:${as}` };
    });
    expect(await runs(io, "pipe", "ada go | nobody | bob")).toBe(1);
    expect(io.stderr.text).toContain("you have no agent nobody\n  a stage starts with an agent");
    expect(io.stderr.text).not.toContain("--as");
    expect(told.size).toBe(0);
    expect(io.fakeSys.asked("proc.kill")).toEqual([{ pid: "task:ada" }]);
  });

  test("stages after a failed one are removed, and those that ran are kept for inspection", async () => {
    failing = "task:bob";
    expect(await runs(io, "pipe", "ada go | bob | cleo", "--json")).toBe(1);
    const { stages, text, exit } = JSON.parse(io.stdout.text);
    expect([text, exit]).toEqual([null, 1]);
    expect(stages.map(({ who, status }: { who: string; status: string }) => `${who} ${status}`)).toEqual([
      "ada ok",
      "bob error",
    ]);
    expect(io.fakeSys.asked("proc.kill")).toEqual([{ pid: "task:cleo" }]);
  });

  test("a stage that waits for approval fails with 5 and its request", async () => {
    const waitsFor = { kind: "approval", id: "k3x9", tool: "Delete", summary: "rm -r old" } as const;
    io.fakeSys.answer("proc.wait", ({ pids: [pid = ""] }: { pids: string[] }) => ({
      results: [waited({ pid, status: "held", exit: 5, text: null, waitsFor })],
    }));
    expect(await runs(io, "pipe", "ada go | bob")).toBe(5);
    expect(io.stderr.lines.at(-1)).toMatch(/^gsv: ada \(task:ada\) is held: .*k3x9/);
  });

  test("the text between two stages has the limit of a message", async () => {
    io.fakeSys.answer("proc.wait", ({ pids: [pid = ""] }: { pids: string[] }) => ({
      results: [waited({ pid, text: "x".repeat(LIMITS.messageCharsMax + 1) })],
    }));
    expect(await runs(io, "pipe", "ada go | bob")).toBe(6);
    expect(io.stderr.text).toContain(`input of bob too long: ${LIMITS.messageCharsMax + 1} characters`);
    expect(told.has("task:bob")).toBe(false);
    expect(io.fakeSys.asked("proc.kill")).toEqual([{ pid: "task:bob" }]);
  });

  test("--timeout ends the running stage with 124, and a closed pipe makes it 141", async () => {
    io.stdout.writesMax = 0;
    expect(await runs(io, "pipe", "ada go | bob")).toBe(141);
    io = new FakeIo();
    io.fakeSys.answer("proc.spawn", ({ as }: { as: string }) => ({ pid: `task:${as}` }));
    io.fakeSys.answer("proc.send", () => ({ runId: "r" }));
    io.fakeSys.answer("proc.wait", () => new Promise(() => {}));
    io.fakeSys.answer("proc.abort", () => ({ aborted: true }));
    io.fakeSys.answer("proc.kill", () => ({}));
    const over = runs(io, "pipe", "ada go | bob", "--timeout", "5");
    await until(() => io.fakeSys.asked("proc.wait").length === 1);
    await io.clock.advance(5000);
    expect(await over).toBe(124);
    expect(io.fakeSys.asked("proc.abort")).toEqual([{ pid: "task:ada" }]);
    expect(io.fakeSys.asked("proc.kill")).toEqual([{ pid: "task:bob" }]);
  });

  test("with a real kernel each stage is a process of its agent, with its own history and status", async () => {
    await using home = await TestKernel.boot();
    await type(home, "agent", "create", "researcher");
    await type(home, "agent", "create", "writer");
    const piped = await finish(
      home,
      await begin(home, ["pipe", "researcher | writer"], stdinOf("pipe", ["the brief\n"])),
    );
    expect([piped.status, piped.stdout]).toEqual([0, "done\n"]);
    const pids = piped.stderr.match(/task:\w{6}/g) ?? [];
    expect(pids).toHaveLength(2);
    expect(await Promise.all(pids.map((pid) => home.outline(pid)))).toEqual([
      ["user: the brief\n", "assistant: done"],
      ["user: done", "assistant: done"],
    ]);
    expect((await home.get(pids[1] ?? "")).runAs).toBe("writer");
    expect((await type(home, "wait", ...pids)).stdout).toBe(`${pids[0]} ok\n${pids[1]} ok\n`);
  });

  test("ctrl-c ends the running stage", async () => {
    io.fakeSys.answer("proc.wait", () => new Promise(() => {}));
    const over = runs(io, "pipe", "ada go | bob");
    await until(() => told.size === 1);
    io.interrupt("INT");
    expect(await over).toBe(130);
    expect(io.fakeSys.asked("proc.abort")).toEqual([{ pid: "task:ada" }]);
  });

  test("an invalid pipe is refused before any stage starts", async () => {
    for (const line of ["", "|", "ada |", "| bob", "ada || bob", "ada"]) expect(await runs(io, "pipe", line)).toBe(2);
    expect(io.fakeSys.asked("proc.spawn")).toEqual([]);
  });

  test("quotes contain bars, spaces and other quotes, and an apostrophe is no quote", async () => {
    for (const [line, said] of [
      [`ada "it's | fine"`, "it's | fine"],
      ["ada it's fine", "it's fine"],
      [`ada 'x | "y"'`, 'x | "y"'],
    ] as const) {
      expect(await runs(io, "pipe", line)).toBe(0);
      expect(told.get("task:ada")).toBe(said);
    }
  });
});
