// A process is named by its label wherever a pid is asked for.

import { beforeEach, describe, expect, test } from "bun:test";
import { FakeIo, runs } from "../support/io.ts";
import { processInfo } from "../support/process-info.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
  const processes = [
    processInfo({ pid: "init:1000", label: "init (sam)" }),
    processInfo({ pid: "task:abc123", label: "build" }),
    processInfo({ pid: "task:def456", label: "docs audit" }),
    processInfo({ pid: "task:aaaaaa", label: "twice" }),
    processInfo({ pid: "task:bbbbbb", label: "twice", state: "running" }),
    processInfo({ pid: "task:cccccc", label: "Case" }),
    processInfo({ pid: "task:dddddd", label: "case" }),
  ];
  io.fakeSys.answer("proc.list", () => ({ processes, next: null }));
  io.fakeSys.answer("proc.signal", ({ pid, signal }) => ({ pid, signal, state: "stopped" }));
  io.fakeSys.answer("proc.wait", () => ({ results: [] }));
});

describe("a process by its name", () => {
  test.each([
    ["build", "task:abc123"],
    ["BUILD", "task:abc123"],
    ["docs audit", "task:def456"],
    ["def456", "task:def456"],
    ["Case", "task:cccccc"],
    ["task:abc123", "task:abc123"],
    ["nobody", "nobody"],
    ["bui", "bui"],
  ])("kill -STOP %s stops %s", async (word, pid) => {
    expect(await runs(io, "kill", "-STOP", word)).toBe(0);
    expect(io.fakeSys.asked("proc.signal")).toEqual([{ pid, signal: "STOP" }]);
  });

  test("each of a list is looked up, in one reading of the processes", async () => {
    await runs(io, "wait", "build", "task:cccccc", "docs audit");
    expect(io.fakeSys.asked("proc.wait")[0]).toMatchObject({ pids: ["task:abc123", "task:cccccc", "task:def456"] });
    expect(io.fakeSys.asked("proc.list")).toHaveLength(1);
  });

  test("a name before the text of send is the process, and two words that name none are a mistake", async () => {
    io.fakeSys.answer("proc.send", ({ pid }) => ({ pid, runId: "r1", status: "started", queued: false }));
    expect(await runs(io, "send", "build", "Continue.")).toBe(0);
    expect(io.fakeSys.asked("proc.send")).toMatchObject([{ pid: "task:abc123", message: "Continue." }]);
    expect(await runs(io, "send", "hello", "world")).toBe(2);
    expect(io.stderr.lines).toEqual([
      "gsv: unexpected argument world",
      "  text of several words needs quotes around it",
    ]);
    expect(io.fakeSys.asked("proc.send")).toHaveLength(1);
  });

  test("a pid needs no look at the processes", async () => {
    await runs(io, "wait", "task:abc123");
    expect(io.fakeSys.asked("proc.list")).toEqual([]);
  });

  test("a name of two processes is refused with both pids, and nothing is sent", async () => {
    expect(await runs(io, "kill", "twice")).toBe(2);
    expect(io.stderr.lines).toEqual([
      "gsv: 2 processes are named twice; give a pid",
      "  task:aaaaaa (idle), task:bbbbbb (running)",
    ]);
    expect(io.fakeSys.asked("proc.signal")).toEqual([]);
  });
});
