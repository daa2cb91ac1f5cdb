import { beforeEach, describe, expect, test } from "bun:test";
import { FAMILIES } from "../../commands/man/families.ts";
import { COMMANDS } from "../../commands/table.ts";
import { domains } from "../../commands/verbs.ts";
import { SysError } from "../../src/abi/errno.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { FakeIo, runs } from "../support/io.ts";
import { processInfo } from "../support/process-info.ts";

export const PROCESS = processInfo({ label: "sam's own", createdAt: Date.UTC(2026, 0, 2, 0, 4, 5) });

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
});

describe("gsv <domain> <verb>", () => {
  beforeEach(() => {
    io.fakeSys.answer("proc.list", () => ({ processes: [PROCESS, { ...PROCESS, pid: "task:abc123", label: null }] }));
  });

  test("the arguments become the call's arguments, and nothing else", async () => {
    expect(await runs(io, "proc", "list", "--uid", "1000")).toBe(0);
    expect(io.fakeSys.calls).toEqual([{ name: "proc.list", args: { uid: 1000 } }]);
  });

  test("in a pipe a list is aligned and complete, with the pid first and ISO times", async () => {
    await runs(io, "ps");
    expect(io.stdout.lines[0]).toMatch(/^PID {10}STATE {2}MODE {2}LAST {2}LABEL {6}OWNER .* SINCE/);
    expect(io.stdout.lines[1]).toStartWith("init:1000    idle   ask   -     sam's own");
    expect(io.stdout.lines[1]).toContain("2026-01-02T00:04:05.000Z");
    expect(io.stdout.lines.map((line) => line.split(/ +/)[0])).toEqual(["PID", "init:1000", "task:abc123"]);
    expect(io.stderr.text).toBe("");
  });

  test("on a terminal a list has ages and fits the width", async () => {
    io.terminal(60);
    io.fakeSys.answer("proc.list", () => ({
      processes: [{ ...PROCESS, label: "x".repeat(200), cwd: "/y".repeat(100) }],
    }));
    await runs(io, "ps");
    expect(io.stdout.lines[0]).toContain("AGE");
    expect(io.stdout.lines[1]).toContain(" 3h");
    for (const line of io.stdout.lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60);
  });

  test("--json prints one compact object per line, with the flag at any place", async () => {
    for (const argv of [
      ["--json", "proc", "list"],
      ["proc", "--json", "list"],
      ["ps", "--json"],
    ]) {
      io.stdout.text = "";
      expect(await runs(io, ...argv)).toBe(0);
      expect(io.stdout.lines.map((line) => JSON.parse(line).pid)).toEqual(["init:1000", "task:abc123"]);
    }
  });

  test("an empty list leaves stdout empty and prints a note on stderr", async () => {
    io.fakeSys.answer("proc.list", () => ({ processes: [] }));
    expect(await runs(io, "proc", "list")).toBe(0);
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toBe("(no processes)\n");
  });

  test("flags may precede the verb, with their value", async () => {
    expect(await runs(io, "proc", "--uid", "1000", "list")).toBe(0);
    expect(io.fakeSys.asked("proc.list")).toEqual([{ uid: 1000 }]);
  });

  test("spawn prints only the pid", async () => {
    io.fakeSys.answer("proc.spawn", () => ({ pid: "task:abc123", label: "docs audit" }));
    expect(await runs(io, "proc", "spawn", "--label", "docs audit", "--prompt", "help")).toBe(0);
    expect(io.stdout.text).toBe("task:abc123\n");
    expect(io.fakeSys.asked("proc.spawn")).toEqual([{ label: "docs audit", prompt: "help", profile: "task" }]);
  });

  test("text for a terminal is inert, text for a pipe is unchanged", async () => {
    io.fakeSys.answer("fs.read", () => ({ kind: "file", content: "a\x1b]0;t\x07b", path: "/x", lines: 1 }));
    await runs(io, "fs", "read", "/x");
    expect(io.stdout.text).toBe("a\x1b]0;t\x07b\n");
    io = new FakeIo().terminal();
    io.fakeSys.answer("fs.read", () => ({ kind: "file", content: "a\x1b]0;t\x07b", path: "/x", lines: 1 }));
    await runs(io, "fs", "read", "/x");
    expect(io.stdout.text).toBe("ab\n");
  });

  test("stop and resume send signals", async () => {
    io.fakeSys.answer("proc.signal", ({ pid }: { pid: string }) => ({ pid, state: "stopped" }));
    expect(await runs(io, "proc", "stop", "task:abc123")).toBe(0);
    expect(await runs(io, "proc", "resume", "task:abc123")).toBe(0);
    expect(io.fakeSys.asked("proc.signal").map(({ signal }) => signal)).toEqual(["STOP", "CONT"]);
    expect(io.stdout.lines[0]).toBe("task:abc123 stopped");
  });

  test("every visible syscall has a command, and its help shows its examples", async () => {
    for (const call of SYSCALLS.values()) {
      if (call.cli.hidden) continue;
      io.stdout.text = "";
      expect(await runs(io, ...call.name.split("."), "--help")).toBe(0);
      expect(io.stdout.text).toContain(call.summary);
      for (const example of call.cli.examples) expect(io.stdout.text).toContain(example);
      expect(io.stdout.text.indexOf("Examples")).toBeLessThan(io.stdout.text.indexOf("Flags"));
    }
    expect(io.fakeSys.calls).toEqual([]);
  });
});

describe("errors", () => {
  test("an expected failure is one line, with hints below, and its exit status", async () => {
    io.fakeSys.answer("proc.list", () => {
      throw new SysError("EPERM", "only root may look at\nuid 0", ["gsv ps shows yours"]);
    });
    expect(await runs(io, "proc", "list", "--uid", "0")).toBe(1);
    expect(io.stderr.text).toBe("gsv: only root may look at⏎uid 0\n  gsv ps shows yours\n");
    expect(io.stdout.text).toBe("");
  });

  test("with --json it is one object on stderr", async () => {
    expect(await runs(io, "proc", "history", "--pid", "task:NOPE", "--json")).toBe(3);
    expect(JSON.parse(io.stderr.text)).toEqual({
      type: "error",
      code: "ESRCH",
      message: "no such process: task:NOPE",
      hints: ["gsv ps lists your processes"],
      exit: 3,
    });
  });

  test("an internal error exits 1 without a stack trace", async () => {
    io.fakeSys.answer("proc.list", () => {
      throw new TypeError("x is undefined");
    });
    expect(await runs(io, "ps")).toBe(1);
    expect(io.stderr.text).toBe("gsv: internal error: x is undefined\n");
  });

  test("a closed pipe ends the command silently with 141", async () => {
    io.stdout.writesMax = 0;
    io.fakeSys.answer("proc.list", () => ({ processes: [PROCESS] }));
    expect(await runs(io, "ps")).toBe(141);
    expect(io.stderr.text).toBe("");
  });
});

describe("an output that fails", () => {
  test("is reported in one line, with the status of the failure, for any command", async () => {
    for (const [code, status] of [
      ["ENOSPC", 75],
      ["EIO", 1],
    ] as const) {
      const io = new FakeIo();
      io.fakeSys.answer("proc.list", () => ({ processes: [PROCESS] }));
      io.stdout.closed = true;
      io.stdout.failure = new SysError(code, "cannot write the output");
      expect(await runs(io, "ps")).toBe(status);
      expect(io.stderr.text).toBe("gsv: cannot write the output\n");
    }
  });
});

describe("words that are no command", () => {
  const cases: [argv: string[], says: string, hint: string][] = [
    [["cht"], "unknown command: cht", "or gsv chat"],
    [["pss"], "unknown command: pss", "did you mean gsv ps"],
    [["trace"], "unknown command: trace", "did you mean gsv proc trace"],
    [["version"], "unknown command: version", "did you mean gsv --version\n"],
    [["whoami"], "unknown command: whoami", "did you mean gsv system whoami\n"],
    [["hello"], "unknown command: hello", 'gsv chat "…" sends a message'],
    [["__proto__"], "unknown command: __proto__", "gsv help"],
    [["proc", "lst"], "unknown command: proc lst", "did you mean gsv proc list"],
    [["proc", "constructor"], "unknown command: proc constructor", "usage: gsv proc COMMAND"],
    [["sys", "drain"], "unknown command: sys", "did you mean gsv system"],
    [["--uid", "1", "ps"], "--uid must come after the command", "flags of a command follow it"],
    [["fix the bug"], "unknown command: fix the bug", 'to send it as a message: gsv chat "…"'],
    [["cost"], "unknown command: cost", "did you mean gsv usage\n"],
    [["resume"], "unknown command: resume", "did you mean gsv attach"],
    [["login"], "give the address of a server", "usage: gsv login"],
    [["-p", "fix the bug"], "-p must come after the command", 'gsv chat "…"'],
    [["--continue"], "--continue must come after the command", "gsv resumes where you left"],
    [["--model", "sonnet", "hi"], "--model must come after the command", 'gsv chat --model MODEL "…"'],
    [["--init"], "gsv --init needs a terminal on stdin and stdout", 'gsv chat "…"'],
    [["--init", "--plain"], "gsv --init needs a terminal", "gsv sh FILE"],
    [["--plain", "ps"], "--plain takes no command and no other flags: gsv --plain", ""],
    [["--init", "--json"], "--init takes no command and no other flags", ""],
    [["-v"], "-v must come after the command", "gsv --version"],
    [["spawn", "fix the bug"], "unexpected argument fix the bug", 'gsv spawn --prompt "…"'],
    [["run", "--no-stdin"], "nothing to send", "usage: gsv run [FLAGS]"],
    [["mode", "init:1000", "auto"], 'MODE must be one of plan, ask, accept-edits, yolo, not "auto"', "accept-edits"],
  ];
  test.each(cases)("%j is refused with exit 2 and never runs a suggestion", async (argv, says, hint) => {
    expect(await runs(io, ...argv)).toBe(2);
    expect(io.stderr.lines[0]).toContain(says);
    expect(io.stderr.text).toContain(hint);
    expect(io.fakeSys.calls).toEqual([]);
  });

  test("a word of a hundred thousand characters is refused in a line", async () => {
    expect(await runs(io, "x".repeat(100_000))).toBe(2);
    expect(io.stderr.text.length).toBeLessThan(300);
  });
});

describe("help", () => {
  test("gsv alone on a terminal is help", async () => {
    expect(await runs(io.terminal())).toBe(0);
    expect(io.stdout.text).toContain("gsv ps");
  });

  test("gsv alone in a script is a usage error, with the help on stderr", async () => {
    expect(await runs(io)).toBe(2);
    expect(io.stdout.text).toBe("");
    expect(io.stderr.text).toContain("gsv ps");
  });

  test("a noun alone lists its verbs on stderr and exits 2; with --help it is help", async () => {
    expect(await runs(io, "proc")).toBe(2);
    expect(io.stderr.text).toContain("gsv proc get");
    expect(await runs(io, "proc", "--help")).toBe(0);
    expect(io.stdout.text).toContain("gsv proc resume");
  });

  test("every form of help prints the same text", async () => {
    const texts = [];
    for (const argv of [
      ["help", "proc", "spawn"],
      ["proc", "spawn", "--help"],
      ["proc", "--help", "spawn"],
      ["--help", "proc", "spawn"],
    ]) {
      io.stdout.text = "";
      expect(await runs(io, ...argv)).toBe(0);
      texts.push(io.stdout.text);
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain("--prompt TEXT");
  });

  test("every command has help with an example", async () => {
    for (const name of [
      "chat",
      "ps",
      "spawn",
      "send",
      "wait",
      "logs",
      "kill",
      "approvals",
      "approve",
      "deny",
      "kernel",
      "help",
    ]) {
      io.stdout.text = "";
      expect(await runs(io, name, "--help")).toBe(0);
      expect(io.stdout.text).toContain("Examples\n  gsv ");
    }
  });

  test("gsv help is one screen with every command; help topics has a line for each", async () => {
    expect(await runs(io, "help")).toBe(0);
    const screen = io.stdout.text;
    expect(screen.trimEnd().split("\n").length).toBeLessThanOrEqual(24);
    io.stdout.text = "";
    expect(await runs(io, "help", "topics")).toBe(0);
    const commands = [...COMMANDS].flatMap(([name, { hidden }]) => (hidden ? [] : [name]));
    expect(FAMILIES.flatMap(([, names]) => names.split(" ")).toSorted()).toEqual(commands.toSorted());
    for (const name of [...commands, "proc", "--no-input", "exit-status"])
      expect(io.stdout.text).toContain(`  ${name} `);
    expect(screen).toContain(`  nouns         ${[...(await domains()).keys()].join(" ")}`);
  });
});
