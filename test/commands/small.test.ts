import { beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SysError } from "../../src/abi/errno.ts";
import { FakeIo, runs, STATUS, until } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { type } from "../support/shell.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
});

const APPROVAL = { id: "k3x9", pid: "task:abc123", tool: "Delete", decision: "approve", by: "sam" };

describe("gsv approve and deny", () => {
  beforeEach(() => io.fakeSys.answer("hil.list", () => ({ approvals: [] })));

  test("they answer, and print the answer", async () => {
    io.fakeSys.answer("hil.answer", ({ decision }: { decision: string }) => ({ ...APPROVAL, decision }));
    expect(await runs(io, "approve", "k3x9")).toBe(0);
    expect(await runs(io, "deny", "k3x9")).toBe(0);
    expect(io.fakeSys.asked("hil.answer")).toEqual([
      { id: "k3x9", decision: "approve" },
      { id: "k3x9", decision: "deny" },
    ]);
    expect(io.stdout.lines).toEqual(["approved k3x9: Delete of task:abc123", "denied k3x9: Delete of task:abc123"]);
  });

  test("a different second answer fails and names the first approver", async () => {
    io.fakeSys.answer("hil.answer", () => {
      throw new SysError("ECONFLICT", "k3x9 was approved by sam");
    });
    expect(await runs(io, "deny", "k3x9")).toBe(1);
    expect(io.stderr.text).toBe("gsv: k3x9 was approved by sam\n");
  });
});

test("an approval with cut arguments says so and how to see them all, in any form", async () => {
  for (const form of [[], ["--json"]]) {
    const io = new FakeIo();
    io.fakeSys.answer("hil.list", () => ({
      approvals: [{ ...APPROVAL, inPart: true, args: {}, why: "", createdAt: 0 }],
    }));
    expect(await runs(io, "approvals", ...form)).toBe(0);
    expect(io.stderr.text).toBe(`${APPROVAL.id} is cut; see all of it: gsv approvals ${APPROVAL.id}\n`);
  }
});

test("one request in full names the network and the process once, and two processes of one label have their pids", async () => {
  const io = new FakeIo();
  const about = {
    ...{ target: "host", directory: "/srv/app", sandboxed: true, diff: null, grants: ["network"] },
    reasons: ["curl example.com: uses the network"],
  };
  const asked = {
    ...{ ...APPROVAL, about, tool: "Shell", call: "shell.exec", pid: "task:aaaaaa", label: "build", createdAt: 0 },
    args: { command: "curl example.com", target: "host", network: true },
    why: "run on this computer in /srv/app, in a sandbox with network, for this command only: curl example.com",
  };
  io.fakeSys.answer("hil.list", ({ id }: { id?: string }) => ({
    approvals: id === undefined ? [asked, { ...asked, pid: "task:bbbbbb" }] : [asked],
  }));
  expect(await runs(io, "approvals", asked.id)).toBe(0);
  expect(io.stdout.text.match(/network/g)).toHaveLength(1);
  expect(io.stdout.text).toStartWith("build asks: Shell on host in /srv/app\n");
  expect(await runs(io, "approvals")).toBe(0);
  expect(io.stdout.text).toMatch(/ build aaaaaa .*\n.* build bbbbbb /);
});

describe("gsv fs read", () => {
  const view = { kind: "file", path: "/home/sam/my notes", content: "a\nb", firstLine: 3, lines: 9, truncated: true };

  test("for a cut file stdout has the text alone, and stderr its size and how to continue, in any form", async () => {
    for (const form of [[], ["--json"]]) {
      const io = new FakeIo();
      io.fakeSys.answer("fs.read", () => view);
      expect(await runs(io, "fs", "read", "~/my notes", ...form)).toBe(0);
      if (form.length === 0) expect(io.stdout.text).toBe("a\nb\n");
      expect(io.stderr.text).toBe("lines 3 to 4 of 9; more: gsv fs read '/home/sam/my notes' --offset 4\n");
    }
  });

  test("a whole file and a directory are printed without a note", async () => {
    for (const answer of [
      { ...view, truncated: false },
      { kind: "directory", path: "/", directories: [], files: ["a"] },
    ]) {
      const io = new FakeIo();
      io.fakeSys.answer("fs.read", () => answer);
      expect(await runs(io, "fs", "read", "/a")).toBe(0);
      expect(io.stderr.text).toBe("");
    }
  });

  test("a directory and lines too long for an answer are reported as cut", async () => {
    for (const [answer, said] of [
      [{ ...view, lines: 4 }, "long lines are cut\n"],
      [
        { kind: "directory", path: "/", directories: [], files: ["a"], truncated: true },
        "more names than fit are in this directory\n",
      ],
    ] as const) {
      const io = new FakeIo();
      io.fakeSys.answer("fs.read", () => answer);
      await runs(io, "fs", "read", "/a");
      expect(io.stderr.text).toBe(said);
    }
  });
});

describe("gsv logs", () => {
  const page = {
    messages: [{ id: 1, role: "user", content: "hi", runId: null, timestamp: 0 }],
    pid: "task:abc123",
    inPart: [],
    messageCount: 9,
    hasMoreBefore: true,
  };

  test("it prints the newest page as text and notes on stderr that there is more", async () => {
    io.fakeSys.answer("proc.history", () => page);
    expect(await runs(io, "logs", "task:abc123", "--limit", "1")).toBe(0);
    expect(io.fakeSys.asked("proc.history")).toEqual([{ pid: "task:abc123", limit: 1 }]);
    expect(io.stdout.text).toBe("[1970-01-01T00:00:00.000Z] user: hi\n");
    expect(io.stderr.text).toContain("9 in all");
  });

  test("a partial message is reported on stderr, with the command for all of it, in any form", async () => {
    io.fakeSys.answer("proc.history", () => ({ ...page, inPart: [1] }));
    for (const form of [[], ["--json"]]) {
      expect(await runs(io, "logs", ...form, "task:abc123")).toBe(0);
      expect(io.stderr.text).toContain("message 1 is cut; all of it: gsv proc message --pid task:abc123 1");
      io.stderr.text = "";
    }
  });

  test("since a time it prints all pages; with a number the newest messages of it", async () => {
    const said = (id: number) => ({ id, role: "user", content: `m${id}`, runId: null, timestamp: 0 });
    const pages = { 0: [said(3), said(4)], 4: [said(5)] } as const;
    io.fakeSys.answer("proc.history", ((query: { afterSeq?: 0 | 4; limit: number }) =>
      query.afterSeq === undefined
        ? { ...page, messages: [said(5)] }
        : { ...page, messages: pages[query.afterSeq], hasMoreAfter: query.afterSeq === 0 }) as never);
    expect(await runs(io, "logs", "task:abc123", "--since", "2h")).toBe(0);
    expect(io.stdout.lines.map((line) => line.split(" ").at(-1))).toEqual(["m3", "m4", "m5"]);
    expect(io.fakeSys.asked("proc.history")[0]).toMatchObject({ since: "2h", afterSeq: 0 });
    io.stdout.text = "";
    expect(await runs(io, "logs", "task:abc123", "--since", "2h", "-n", "1")).toBe(0);
    expect(io.stdout.lines).toHaveLength(1);
    expect(io.fakeSys.asked("proc.history").at(-1)).toEqual({ pid: "task:abc123", limit: 1, since: "2h" });
  });

  test("an empty result is reported on stderr, and stdout is empty", async () => {
    io.fakeSys.answer("proc.history", () => ({ ...page, messages: [], hasMoreBefore: false }));
    expect(await runs(io, "logs", "--since", "today")).toBe(0);
    expect([io.stdout.text, io.stderr.text]).toEqual(["", "(no messages since today)\n"]);
  });

  test("with --json stderr stays empty", async () => {
    io.fakeSys.answer("proc.history", () => page);
    await runs(io, "logs", "--json", "task:abc123");
    expect(JSON.parse(io.stdout.text).content).toBe("hi");
    expect(io.stderr.text).toBe("");
  });
});

describe("gsv kernel", () => {
  const off = { ...STATUS, running: false, pid: null, startedAt: null };

  test("status shows the running kernel, and starts none", async () => {
    io.fakeSys.answer("system.status", () => STATUS);
    expect(await runs(io, "kernel", "status")).toBe(0);
    expect(io.stdout.lines[0]).toBe("kernel      running (pid 4711, up 4m)");
    io.stdout.text = "";
    expect(await runs(io, "kernel", "status", "--json")).toBe(0);
    expect(JSON.parse(io.stdout.text)).toEqual(STATUS);
  });

  test("stop without a kernel starts none", async () => {
    io.fakeSys.answer("system.status", () => off);
    expect(await runs(io, "kernel", "stop")).toBe(0);
    expect(io.stdout.text).toBe("no kernel was running\n");
    expect(io.fakeSys.asked("sys.drain")).toEqual([]);
  });

  test("stop returns when the kernel has ended", async () => {
    const seen = [STATUS, STATUS, STATUS, off];
    io.fakeSys.answer("system.status", () => seen.shift());
    io.fakeSys.answer("sys.drain", () => ({ pid: 4711 }));
    let exit: number | null = null;
    const stopping = runs(io, "kernel", "stop").then((status) => {
      exit = status;
    });
    await until(() => io.clock.pending > 0);
    expect(exit).toBeNull();
    await io.clock.advance(60);
    expect(exit).toBeNull();
    await io.clock.advance(60);
    await stopping;
    expect(exit as number | null).toBe(0);
    expect(io.fakeSys.asked("sys.drain")).toEqual([{ why: "stop" }]);
    expect(io.stdout.text).toBe("kernel 4711 stopped\n");
  });

  test("a connection that was closed by the stop counts as ended", async () => {
    let asked = 0;
    io.fakeSys.answer("system.status", () => {
      if (asked++ > 0) throw new SysError("EAGAIN", "the kernel was stopped");
      return STATUS;
    });
    io.fakeSys.answer("sys.drain", () => ({ pid: 4711 }));
    expect(await runs(io, "kernel", "stop")).toBe(0);
  });

  test("a kernel that does not end is reported with exit 75", async () => {
    io.fakeSys.answer("system.status", () => STATUS);
    io.fakeSys.answer("sys.drain", () => ({ pid: 4711 }));
    const stopping = runs(io, "kernel", "stop");
    await until(() => io.clock.pending > 0);
    await io.clock.advance(16_000);
    expect(await stopping).toBe(75);
    expect(io.stderr.text).toContain("still finishing");
  });

  test("restart waits for a different kernel than the old one", async () => {
    io.fakeSys.answer("system.status", () => STATUS);
    io.fakeSys.answer("sys.drain", () => ({ pid: 4711 }));
    io.starts.push(STATUS, { ...STATUS, pid: 4712 });
    const restarting = runs(io, "kernel", "restart");
    await until(() => io.clock.pending > 0);
    await io.clock.advance(100);
    expect(await restarting).toBe(0);
    expect(io.fakeSys.asked("sys.drain")).toEqual([{ why: "restart" }]);
    expect(io.stdout.text).toBe("kernel 4712 started, 4711 left\n");
  });

  test("start shows the running kernel", async () => {
    expect(await runs(io, "kernel", "start")).toBe(0);
    expect(io.stdout.lines[0]).toContain("pid 4711");
  });

  test("other arguments are a usage error", async () => {
    for (const args of [[], ["run"], ["halt"], ["start", "now"]]) expect(await runs(io, "kernel", ...args)).toBe(2);
  });
});

describe("gsv sh NAME", () => {
  test("a program's name is refused as a script, unless a script of that name exists", async () => {
    await using home = await TestKernel.boot();
    for (const name of ["ls", "/bin/ls"])
      expect(await type(home, "sh", name)).toEqual({
        status: 126,
        stdout: "",
        stderr: "gsv: ls is a program, not a script. To run it: gsv sh -c 'ls'\n",
      });
    await type(home, "sh", "-c", 'echo "echo mine \\$1" > ls');
    expect(await type(home, "sh", "ls", "too")).toEqual({ status: 0, stdout: "mine too\n", stderr: "" });
    expect((await type(home, "sh", "nosuch")).stderr).toContain("nosuch: No such file or directory");
  });

  test("a script of this computer runs over gsv's files, unless gsv has one of that path", async () => {
    await using home = await TestKernel.boot();
    const directory = mkdtempSync(join(tmpdir(), "gsv-script-"));
    const file = join(directory, "hello.sh");
    writeFileSync(file, 'echo "$0 got $1"; ls ~; exit 7\n');
    await type(home, "touch", "~/mine");
    expect(await type(home, "sh", file, "a b")).toEqual({ status: 7, stdout: `${file} got a b\nmine\n`, stderr: "" });
    expect((await type(home, "sh", "-c", `sh ${file}`)).status).toBe(127);
    expect(await type(home, "sh", directory)).toMatchObject({
      stderr: `gsv: ${directory}: Is a directory\n`,
    });
    writeFileSync(file, new Uint8Array([0xff]));
    expect(await type(home, "sh", file)).toMatchObject({ status: 2, stdout: "" });
    await type(home, "sh", "-c", `mkdir -p /tmp; echo "echo from gsv" > /tmp/both.sh`);
    expect(await type(home, "sh", "/tmp/both.sh")).toMatchObject({ stdout: "from gsv\n" });
    rmSync(directory, { recursive: true });
  });
});

test("caps and perf mean the init when no process is named", async () => {
  await using home = await TestKernel.boot();
  for (const name of ["caps", "perf"]) {
    const { status, stdout } = await type(home, name, "--json");
    expect([status, JSON.parse(stdout).pid]).toEqual([0, "init:1000"]);
  }
  expect((await type(home, "sh", "-c", "perf --jq .pid")).stdout).toBe("init:1000\n");
});

test("ps accepts the arguments of other systems", async () => {
  await using home = await TestKernel.boot();
  const { status, stdout } = await type(home, "ps", "-l");
  expect(status).toBe(0);
  for (const habit of ["aux", "ax", "-ef", "-e", "-A", "-aux"])
    expect(await type(home, "ps", habit)).toEqual({ status: 0, stdout, stderr: "" });
  expect((await type(home, "ps", "-x9")).status).toBe(2);
});
