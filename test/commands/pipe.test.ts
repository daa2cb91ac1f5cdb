import { beforeEach, describe, expect, test } from "bun:test";
import { waited } from "../support/chat.ts";
import { FakeIo, runs, stdinOf, until } from "../support/io.ts";

let io: FakeIo;
/** What each agent was told. */
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
  test("each stage gets what the one before it answered, and the last answer is on stdout", async () => {
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

  test("a stage that fails ends the row: its status, its reason, nothing on stdout, and nobody after it begins", async () => {
    failing = "task:ada";
    expect(await runs(io, "pipe", "ada go | bob")).toBe(1);
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toContain("ada (task:ada) no luck");
    expect(told.has("task:bob")).toBe(false);
  });

  test("--json tells every stage with its status, --rm ends the processes", async () => {
    expect(await runs(io, "pipe", "ada go | bob", "--json", "--rm")).toBe(0);
    expect(JSON.parse(io.stdout.text)).toEqual({
      stages: [
        { who: "ada", told: "go", pid: "task:ada", status: "ok", exit: 0 },
        { who: "bob", told: "", pid: "task:bob", status: "ok", exit: 0 },
      ],
      text: "said by task:bob",
      exit: 0,
    });
    expect(io.fakeSys.asked("proc.kill")).toHaveLength(2);
  });

  test("ctrl-c ends the stage that is at work", async () => {
    io.fakeSys.answer("proc.wait", () => new Promise(() => {}));
    const over = runs(io, "pipe", "ada go | bob");
    await until(() => told.size === 1);
    io.interrupt("INT");
    expect(await over).toBe(130);
    expect(io.fakeSys.asked("proc.abort")).toEqual([{ pid: "task:ada" }]);
  });

  test("what makes no sense is refused before anybody begins", async () => {
    for (const line of ["", "|", "ada |", "| bob", "ada || bob", "ada"]) expect(await runs(io, "pipe", line)).toBe(2);
    expect(io.fakeSys.asked("proc.spawn")).toEqual([]);
  });

  test("quotes hold bars, spaces and other quotes, and an apostrophe is no quote", async () => {
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
