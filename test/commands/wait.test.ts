import { beforeEach, describe, expect, test } from "bun:test";
import type { WaitResult } from "../../src/syscalls/services.ts";
import { FakeIo, runs, until } from "../support/io.ts";

const OK: WaitResult = {
  pid: "task:abc123",
  runId: null,
  status: "ok",
  exit: 0,
  text: "hi",
  inPart: false,
  error: null,
  waitsFor: null,
  usage: null,
};
const HELD: WaitResult = {
  ...OK,
  status: "held",
  exit: 5,
  text: null,
  waitsFor: { kind: "approval", id: "k3x9", tool: "Delete", summary: "Delete ~/x" },
};

let io: FakeIo;
let results: WaitResult[];
beforeEach(() => {
  io = new FakeIo();
  results = [OK];
  io.fakeSys.answer("proc.wait", () => ({ results }));
});

describe("gsv wait", () => {
  test("one process prints nothing and passes its status on", async () => {
    expect(await runs(io, "wait", "task:abc123")).toBe(0);
    results = [{ ...OK, status: "killed", exit: 137 }];
    expect(await runs(io, "wait", "task:abc123")).toBe(137);
    expect(io.stdout.text).toBe("");
    expect(io.fakeSys.asked("proc.wait")[0]).toEqual({ pids: ["task:abc123"], wait: false });
  });

  test("several print a line each and the last one decides", async () => {
    results = [
      { ...OK, status: "error", exit: 1, error: "no luck" },
      { ...OK, pid: "task:def456" },
    ];
    expect(await runs(io, "wait", "task:abc123", "task:def456")).toBe(0);
    expect(io.stdout.lines).toEqual(["task:abc123 error", "task:def456 ok"]);
    expect(io.stderr.lines).toEqual(["gsv: task:abc123: no luck"]);
  });

  test("a held process's reason is on stderr", async () => {
    results = [HELD];
    expect(await runs(io, "proc", "wait", "task:abc123")).toBe(5);
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toBe("gsv: task:abc123 is on hold: approval k3x9 (Delete ~/x)\n");
  });

  test("--wait waits for people too", async () => {
    await runs(io, "wait", "--wait", "task:abc123");
    expect(io.fakeSys.asked("proc.wait")).toEqual([{ pids: ["task:abc123"], wait: true }]);
  });

  test("--json prints one object per process", async () => {
    results = [OK, HELD];
    expect(await runs(io, "wait", "--json", "task:abc123", "task:abc123")).toBe(5);
    expect(io.stdout.lines.map((line) => JSON.parse(line).status)).toEqual(["ok", "held"]);
  });

  test("--timeout ends with 124 and cancels the call", async () => {
    let given: AbortSignal | undefined;
    io.fakeSys.answer("proc.wait", (_args, { signal }) => {
      given = signal;
      return new Promise(() => {});
    });
    const waiting = runs(io, "wait", "--timeout", "1.5", "task:abc123");
    await until(() => given !== undefined);
    await io.clock.advance(1499);
    expect(given?.aborted).toBe(false);
    await io.clock.advance(1);
    expect(await waiting).toBe(124);
    expect(given?.aborted).toBe(true);
    expect(io.stderr.text).toContain("still running after 1.5 s");
  });

  test("-n returns the pid of the first that ends, and cancels the others", async () => {
    const others: AbortSignal[] = [];
    io.fakeSys.answer("proc.wait", ({ pids: [pid = ""] }: { pids: string[] }, { signal }) => {
      if (pid === "task:def456") return { results: [{ ...OK, pid, status: "error", exit: 1, error: "no luck" }] };
      if (signal !== undefined) others.push(signal);
      return new Promise(() => {});
    });
    expect(await runs(io, "wait", "-n", "task:abc123", "task:def456", "task:xyz789")).toBe(1);
    expect(io.stdout.lines).toEqual(["task:def456"]);
    expect(io.stderr.lines).toEqual(["gsv: task:def456: no luck"]);
    expect(others.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  test("an answer in time leaves no timer", async () => {
    expect(await runs(io, "wait", "--timeout", "5", "task:abc123")).toBe(0);
    expect(io.clock.pending).toBe(0);
  });
});
