import { beforeEach, describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import { FakeIo, runs } from "../support/io.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
  io.fakeSys.answer("proc.signal", ({ pid, signal }: { pid: string; signal: string }) => {
    if (pid === "init:1000") throw new SysError("EPERM", "init:1000 cannot be killed: it is your init");
    if (signal === "STOP") return { pid, signal, state: "stopped" };
    const closed = {
      pid,
      archivedMessages: 2,
      archiveId: "x",
      archivedTo: "/var/sessions/sam/x.jsonl.gz",
      undelivered: 0,
    };
    return { pid, signal, state: null, closed };
  });
});

describe("gsv kill", () => {
  const ways: [args: string[], signal: string][] = [
    [["task:abc123"], "TERM"],
    [["-STOP", "task:abc123"], "STOP"],
    [["-SIGSTOP", "task:abc123"], "STOP"],
    [["-stop", "task:abc123"], "STOP"],
    [["-19", "task:abc123"], "STOP"],
    [["-9", "task:abc123"], "KILL"],
    [["-KILL", "task:abc123"], "KILL"],
    [["-15", "task:abc123"], "TERM"],
    [["-2", "task:abc123"], "INT"],
    [["-CONT", "task:abc123"], "CONT"],
    [["-s", "INT", "task:abc123"], "INT"],
    [["-s", "9", "task:abc123"], "KILL"],
    [["task:abc123", "-INT"], "INT"],
    [["--signal=SIGCONT", "task:abc123"], "CONT"],
    [["-KILL", "--", "task:abc123"], "KILL"],
  ];
  test.each(ways)("%j sends %s", async (args, signal) => {
    expect(await runs(io, "kill", ...args)).toBe(0);
    expect(io.fakeSys.asked("proc.signal")).toEqual([{ pid: "task:abc123", signal }]);
  });

  const wrong: [args: string[], exit: number][] = [
    [[], 2],
    [["-STOP"], 2],
    [["-FOO", "task:abc123"], 2],
    [["-99", "task:abc123"], 2],
    [["-STOP", "-KILL", "task:abc123"], 2],
    [["-s"], 2],
    [["-s", "-9", "task:abc123"], 2],
  ];
  test.each(wrong)("%j is refused with exit %d, and nothing is sent", async (args, exit) => {
    expect(await runs(io, "kill", ...args)).toBe(exit);
    expect(io.fakeSys.calls).toEqual([]);
    expect(io.stderr.lines[0]).toStartWith("gsv: ");
  });

  test("kill names the archive", async () => {
    await runs(io, "kill", "task:abc123");
    expect(io.stdout.text).toBe("killed task:abc123 (archived 2 messages to /var/sessions/sam/x.jsonl.gz)\n");
  });

  test("on a terminal, archives and messages have short ids and names in place of UUIDs", async () => {
    const id = "01900000-0000-7000-8000-0000a1b2c3d4";
    const closed = {
      pid: "task:abc123",
      archivedMessages: 2,
      archiveId: id,
      archivedTo: `/var/${id}.jsonl.gz`,
      undelivered: 0,
    };
    const row = { id, pid: "task:abc123", reason: "kill", messages: 2, bytes: 2048, createdAt: 0, path: `/var/${id}` };
    io.fakeSys.answer("proc.signal", ({ pid, signal }: object & { pid?: string; signal?: string }) => {
      return { pid, signal, state: null, closed };
    });
    io.fakeSys.answer("proc.send", () => ({ pid: "task:abc123", runId: id, status: "started", queued: true }));
    io.fakeSys.answer("archive.list", () => ({ archives: [row], next: null }));
    io.fakeSys.answer("archive.show", () => ({ records: [], path: "", inPart: [], next: null }));
    io.stdout.isTTY = true;
    expect(await runs(io, "kill", "task:abc123")).toBe(0);
    expect(await runs(io, "send", "--pid", "task:abc123", "go on")).toBe(0);
    expect(io.stdout.text).toBe(
      [
        "killed task:abc123 (archived 2 messages: gsv archive show a1b2c3d4)",
        "sent to task:abc123, after its current run",
        "",
      ].join("\n"),
    );
    expect(await runs(io, "archive", "list")).toBe(0);
    expect(io.stdout.text).toMatch(/MESSAGES +SIZE +WHEN.*\na1b2c3d4 {2}task:abc123 {2}kill +2 +2\.0 KiB /);
    expect(await runs(io, "archive", "show", "a1b2c3d4")).toBe(0);
    expect(io.fakeSys.asked("archive.show")).toMatchObject([{ id }]);
    expect(await runs(io, "archive", "show", "00000000")).toBe(3);
    io.stdout.isTTY = false;
    await runs(io, "send", "--pid", "task:abc123", "go on");
    expect(io.stdout.text).toEndWith(`${id}\n`);
  });

  test("every process is tried, and the last failure is the exit status", async () => {
    expect(await runs(io, "kill", "init:1000", "task:abc123")).toBe(1);
    expect(io.stderr.text).toContain("init:1000 cannot be killed");
    expect(io.stdout.text).toContain("killed task:abc123");
  });

  test("-0 prints nothing and exits by whether a process exists, without a kernel", async () => {
    io.fakeSys.answer("proc.get", ({ pid }: { pid: string }) => {
      if (pid !== "task:abc123") throw new SysError("ESRCH", `no such process: ${pid}`);
      return {};
    });
    expect(await runs(io, "kill", "-0", "task:abc123")).toBe(0);
    expect(io.stdout.text + io.stderr.text).toBe("");
    expect(await runs(io, "kill", "-0", "task:gone00")).toBe(3);
    expect(io.fakeSys.asked("proc.signal")).toEqual([]);
  });

  test("-l lists the signals", async () => {
    expect(await runs(io, "kill", "-l")).toBe(0);
    expect(io.stdout.lines).toEqual(["STOP", "CONT", "INT", "TERM", "KILL"]);
  });
});
