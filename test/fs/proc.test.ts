// /proc as its reader sees it, over a Sys that only knows the reader's own processes.

import { describe, expect, test } from "bun:test";
import { Namespace } from "../../fs/namespace.ts";
import { procFs } from "../../fs/proc/proc.ts";
import { searchTree } from "../../fs/read/search.ts";
import { SysError } from "../../src/abi/errno.ts";
import type { Caller } from "../../src/abi/identity.ts";
import type { Message } from "../../src/abi/process/message.ts";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import type { Sys } from "../../src/abi/sys.ts";
import { historyLines, waitsForText } from "../../src/syscalls/format.ts";
import { segmentName } from "../../src/syscalls/proc/history-service.ts";
import { agent, bob, sam } from "../support/caller.ts";
import { FakeClock } from "../support/clock.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { processInfo } from "../support/process-info.ts";
import { codeOf } from "../support/refusal.ts";

const init = processInfo({
  label: "init\nState:\tfaked",
  runAs: "echo",
  state: "waiting_hil",
  queued: 2,
  waitsFor: { kind: "approval", id: "k3x9", tool: "Delete", summary: "delete /home/sam/a" },
});

function proc() {
  const clock = new FakeClock();
  const processes = new Map<string, ProcessInfo>([
    [init.pid, init],
    [
      "task:abc123",
      { ...init, pid: "task:abc123", parentPid: "init:1000", label: null, state: "running", waitsFor: null },
    ],
  ]);
  const messages: Message[] = Array.from({ length: 1201 }, (_, n) => ({
    id: n + 1,
    runId: null,
    timestamp: n,
    role: "user",
    content: `message ${n + 1}`,
  }));
  const calls: string[] = [];
  const sysFor = (caller: Caller): Sys => ({
    call: async <R>(name: string, args: object) => {
      calls.push(name);
      const { pid = "", afterSeq = 0, limit = 0 } = args as { pid?: string; afterSeq?: number; limit?: number };
      const mine = caller.ownerUid === 1000 ? processes : new Map<string, ProcessInfo>();
      if (name === "proc.list") return { processes: [...mine.values()] } as R;
      if (name === "system.status") return { version: "1.2.3", startedAt: clock.now() - 61_500 } as R;
      const info = mine.get(pid);
      if (info === undefined) throw new SysError("ESRCH", `no such process: ${pid}`);
      if (name === "proc.get") return info as R;
      if (name === "proc.context.list") return { files: [] } as R;
      if (name === "proc.segments") return { segments: [{ fromSeq: 1, toSeq: 600, summarySeq: 1200 }] } as R;
      const page = messages.filter(({ id }) => id > afterSeq).slice(0, limit);
      return { messages: page, hasMoreAfter: (page.at(-1)?.id ?? 0) < messages.length } as R;
    },
    on: () => () => undefined,
    close: async () => undefined,
  });
  const files = new Namespace([
    { at: "/", fs: memoryMount() },
    { at: "/proc", fs: procFs({ sysFor, actFor: sysFor, clock, historyLines, segmentName, waitsForText }) },
  ]);
  const read = async (path: string, caller: Caller = sam, bytesMax = 1 << 20) =>
    new TextDecoder().decode((await files.read(caller, path, { bytesMax })).bytes);
  const names = async (path: string, caller: Caller = sam) =>
    (await files.list(caller, path)).map((entry) => entry.name);
  return { files, read, names, processes, calls };
}

describe("/proc", () => {
  test("lists the reader's processes next to the system files, and each process's files", async () => {
    const { names } = proc();
    expect(await names("/proc")).toEqual(["init:1000", "loadavg", "self", "task:abc123", "uptime", "version"]);
    expect((await names("/proc/init:1000")).join(" ")).toBe(
      "approvals caps clients cmdline context.d ctl cwd environ history identity limits maps messages model note notifications pending queue segments status stream usage",
    );
    expect(await names("/proc", bob)).toEqual(["loadavg", "self", "uptime", "version"]);
  });

  test("status has one Key:<tab>value a line, and a label of several lines cannot fake another", async () => {
    const { read } = proc();
    const status = await read("/proc/init:1000/status");
    expect(status.split("\n").map((line) => line.split("\t")[0])).toEqual([
      "Name:",
      "Pid:",
      "PPid:",
      "Owner:",
      "RunAs:",
      "Profile:",
      "Mode:",
      "State:",
      "Run:",
      "Queue:",
      "Cwd:",
      "Workspace:",
      "Cost:",
      "Tokens:",
      "WaitsFor:",
      "NextTry:",
      "Failure:",
      "Restart:",
      "LastRun:",
      "Created:",
      "LastActive:",
      "",
    ]);
    expect(status).toContain("State:\twaiting_hil\n");
    expect(status).toContain("Name:\tinit State: faked\n");
    expect(status).toContain("WaitsFor:\tapproval k3x9 (delete /home/sam/a)\n");
    expect(await read("/proc/task:abc123/status")).toContain("PPid:\tinit:1000\n");
  });

  test("messages has the stored ones, one JSON object a line; history has the same as text", async () => {
    const { read } = proc();
    const rows = (await read("/proc/init:1000/messages")).trimEnd().split("\n");
    expect(rows.length).toBe(1201);
    expect(JSON.parse(rows[1200] ?? "")).toMatchObject({ id: 1201, content: "message 1201" });
    expect((await read("/proc/init:1000/history")).split("\n")[1]).toBe("[1970-01-01T00:00:00.001Z] user: message 2");
  });

  test("the beginning of a long history is read without fetching the rest", async () => {
    const { read, calls } = proc();
    await read("/proc/init:1000/messages", sam, 100);
    expect(calls.filter((name) => name === "proc.history").length).toBe(1);
  });

  test("another account's process does not exist on any path", async () => {
    const { files } = proc();
    for (const path of [
      "/proc/init:1000",
      "/proc/init:1000/status",
      "/proc/nonsense",
      "/proc/__proto__",
      "/proc/self",
    ]) {
      expect(await codeOf(files.stat(bob, path))).toBe("ENOENT");
    }
  });

  test("self is the calling process, and a person's init", async () => {
    const { read, files } = proc();
    expect(await read("/proc/self/status", agent)).toContain("Pid:\ttask:abc123\n");
    expect(await read("/proc/self/status", sam)).toContain("Pid:\tinit:1000\n");
    expect((await files.lstat(sam, "/proc/self")).target).toBe("init:1000");
  });

  test("a process that was just spawned or killed appears or disappears at once", async () => {
    const { files, names, processes } = proc();
    processes.set("task:zzzzzz", { ...init, pid: "task:zzzzzz" });
    expect(await names("/proc")).toContain("task:zzzzzz");
    processes.delete("task:zzzzzz");
    expect(await codeOf(files.read(sam, "/proc/task:zzzzzz/status", { bytesMax: 1 }))).toBe("ENOENT");
  });

  test("a search finds the state of every process at once", async () => {
    const { files } = proc();
    const signal = new AbortController().signal;
    const found = await searchTree({
      namespace: files,
      caller: sam,
      root: "/proc",
      query: "State:",
      include: "status",
      signal,
    });
    expect(found.matches.filter(({ line }) => line === 8)).toEqual([
      { path: "/proc/init:1000/status", line: 8, content: "State:\twaiting_hil" },
      { path: "/proc/task:abc123/status", line: 8, content: "State:\trunning" },
    ]);
  });

  test("version and uptime show the version and the running time", async () => {
    const { read } = proc();
    expect(await read("/proc/version")).toBe("gsv 1.2.3\n");
    expect(await read("/proc/uptime")).toBe("61.50\n");
  });
});
