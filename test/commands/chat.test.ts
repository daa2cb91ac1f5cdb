import { beforeEach, describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import { APPROVAL_WAIT, Chat, OTHER_RUN, PID, RUN, said, waited } from "../support/chat.ts";
import { runs, stdinOf } from "../support/io.ts";

let chat: Chat;
beforeEach(() => {
  chat = new Chat();
});

describe("a pipe gets committed text only", () => {
  test("an answer ends with one newline, and stderr is empty", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(
      said.start(),
      said.delta("hel"),
      said.delta("lo"),
      said.text("hello"),
      said.complete("ok", "hello"),
    );
    expect(await exit).toBe(0);
    expect(chat.out).toBe("hello\n");
    expect(chat.err).toBe("");
  });

  test("chat does not subscribe to deltas", async () => {
    const { exit } = await chat.begin("hi");
    expect(chat.io.fakeSys.filters.some(({ names }) => names?.includes("chat.delta"))).toBe(false);
    await chat.play(said.complete("ok", "x"));
    await exit;
  });

  test("a retried answer is printed once", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.start(), said.delta("hel"), said.restart(), said.text("hello"), said.complete("ok", "hello"));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("hello\n");
    expect(chat.err).toBe("gsv: retrying (attempt 2): the connection broke\n");
  });

  test("each turn has its own lines, tools are on stderr, failed ones with their reason", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.start(), said.text("First."), said.call("Read", { path: "~/x" }), said.result(true, "x"));
    await chat.play(said.result(false, "\nno such file\nmore"), said.text("Done.\n", { seq: 4, turn: 2 }));
    await chat.play(said.complete("ok", "Done.\n"));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("First.\nDone.\n");
    expect(chat.err).toBe('[tool] Read {"path":"~/x"}\n[tool] Read failed: no such file\n');
  });

  test("--stream prints text as it arrives, and at the commit only the missing rest", async () => {
    const { exit } = await chat.begin("--stream", "hi");
    await chat.play(said.start(), said.delta("hel"));
    expect(chat.out).toBe("hel");
    await chat.play(said.call("Read", {}), said.text("hello"), said.complete("ok", "hello"));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("hello\n");
  });

  test("signals that arrive before the run id are kept", async () => {
    chat.io.fakeSys.answer("proc.send", () => {
      chat.io.fakeSys.emit(said.start(), said.text("hello"), said.complete("ok", "hello"));
      return { pid: PID, runId: RUN, status: "started", queued: false };
    });
    expect(await runs(chat.io, "chat", "hi")).toBe(0);
    expect(chat.out).toBe("hello\n");
  });

  test("signals of other runs are ignored", async () => {
    const { exit } = await chat.begin("--pid", PID, "hi");
    await chat.play(said.text("theirs", { run: OTHER_RUN }), said.complete("error", null, { run: OTHER_RUN }));
    await chat.play(said.text("ours"), said.complete("ok", "ours"));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("ours\n");
  });

  test("a message absorbed by another run waits for its own finish and prints the answer", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.text("both", { run: OTHER_RUN }), said.complete("ok", "both", { run: OTHER_RUN }));
    await chat.play(said.complete("ok", "both", { mergedInto: OTHER_RUN }));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("both\n");
    expect(chat.err).toContain(`in run ${OTHER_RUN}`);
  });

  test("a queued message is reported", async () => {
    chat.io.fakeSys.answer("proc.send", () => ({ pid: PID, runId: RUN, status: "started", queued: true }));
    const { exit } = await chat.begin("hi");
    expect(chat.err).toContain("queued: init:1000 is busy");
    await chat.play(said.complete("ok", "x"));
    expect(await exit).toBe(0);
  });

  test("stderr shows that the offline provider answers instead of a model", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.start({ model: "offline" }), said.text("x"), said.complete("ok", "x"));
    expect(await exit).toBe(0);
    expect(chat.err).toContain("no model configured");
    expect(chat.out).toBe("x\n");
  });
});

describe("streaming on a terminal", () => {
  beforeEach(() => {
    chat.io.terminal();
  });

  test("deltas are printed at once and the commit adds nothing", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.start(), said.delta("hel"), said.delta("hm", { kind: "thinking" }), said.delta("lo"));
    expect(chat.out).toBe("hello");
    await chat.play(said.text("hello"), said.complete("ok", "hello"));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("hello\n");
  });

  test("a status line never shares a row with the answer", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.delta("hel"), said.restart());
    expect(chat.out).toBe("hel\n");
    await chat.play(said.delta("hello"), said.text("hello"), said.complete("ok", "hello"));
    await exit;
    expect(chat.out).toBe("hel\nhello\n");
  });

  test("an answer that is stored differently is marked and printed again in full", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.delta("hallo"), said.text("hello"), said.complete("ok", "hello"));
    await exit;
    expect(chat.out).toBe("hallo\nhello\n");
    expect(chat.err).toContain("stored answer differs");
  });

  test("no escape sequence of the model arrives, even if split in two", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.delta("a\x1b]52;c;"), said.delta("AAAA\x07b\x9b2"), said.delta("Jc"));
    await chat.play(said.text("a\x1b]52;c;AAAA\x07b\x9b2Jc"), said.complete("ok"));
    await exit;
    expect(chat.out).toBe("abc\n");
  });
});

describe("target of a message", () => {
  test("without a pid the kernel decides, and chat follows only its own runs", async () => {
    const { exit } = await chat.begin("hi");
    expect(chat.io.fakeSys.asked("proc.send")).toEqual([{ message: "hi" }]);
    expect(chat.io.fakeSys.filters[0]?.mine).toBe(true);
    await chat.play(said.complete("ok", "x"));
    await exit;
    expect(chat.io.fakeSys.filters).toEqual([]);
    expect(chat.io.handlesSignals).toBe(false);
    expect(chat.io.clock.pending).toBe(0);
  });

  test("--new creates a process, names it on stderr, and sends to it", async () => {
    chat.io.fakeSys.answer("proc.spawn", () => ({ pid: PID }));
    const { exit } = await chat.begin("--new", "--label", "docs audit", "hi");
    expect(chat.err).toBe("gsv: new process init:1000\n");
    await chat.play(said.text("x"), said.complete("ok", "x"));
    expect(await exit).toBe(0);
    expect(chat.io.fakeSys.asked("proc.spawn")).toEqual([{ label: "docs audit" }]);
    expect(chat.io.fakeSys.asked("proc.send")).toEqual([{ pid: PID, message: "hi" }]);
  });

  test("stdin without a message is the message; --interrupt is passed on", async () => {
    chat.io.stdin = stdinOf("pipe", ["from ", "stdin\n"]);
    const { exit } = await chat.begin("--interrupt");
    await chat.play(said.complete("ok", "x"));
    await exit;
    expect(chat.io.fakeSys.asked("proc.send")).toEqual([{ message: "from stdin\n", interrupt: true }]);
  });

  const wrong: string[][] = [
    [],
    ["--pid", PID, "--new", "hi"],
    ["--label", "x", "hi"],
    ["--kill-on-timeout", "hi"],
    ["--timeout", "x", "hi"],
    ["--json", "--output", "text", "hi"],
    ["--output", "yaml", "hi"],
  ];
  test.each(wrong.map((args) => [args]))("%j is a usage error", async (args) => {
    expect(await runs(chat.io.terminal(), "chat", ...args)).toBe(2);
    expect(chat.err).toContain("usage: gsv chat [FLAGS] [MESSAGE]");
    expect(chat.io.fakeSys.calls).toEqual([]);
  });

  test("two words, of which the first names no process, are a usage error", async () => {
    chat.io.fakeSys.answer("proc.list", () => ({ processes: [], next: null }));
    expect(await runs(chat.io.terminal(), "chat", "hi", "there")).toBe(2);
    expect(chat.err).toContain("text of several words needs quotes around it");
    expect(chat.io.fakeSys.asked("proc.send")).toEqual([]);
  });

  test("a missing process exits 3", async () => {
    chat.io.fakeSys.answer("proc.send", () => {
      throw new SysError("ESRCH", "no such process: task:gone00");
    });
    expect(await runs(chat.io, "chat", "--pid", "task:gone00", "hi")).toBe(3);
    expect(chat.out).toBe("");
    expect(chat.err).toBe("gsv: no such process: task:gone00\n");
  });
});

describe("a held process", () => {
  test("waits for an approval: chat shows the request and how to answer, and exits 5", async () => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.start(), said.hil(), said.state("waiting_hil", APPROVAL_WAIT));
    chat.wait.resolve({ results: [waited({ status: "held", exit: 5, waitsFor: APPROVAL_WAIT })] });
    await chat.settle(200);
    expect(await exit).toBe(5);
    expect(chat.err).toBe(
      [
        "gsv: init:1000 asks: Delete on gsv",
        "  | ~/x",
        "  to deletes ask first",
        "gsv: answer with: gsv approve k3x9   or: gsv deny k3x9",
        "gsv: run is on hold: your answer is needed (gsv wait --wait init:1000 waits for it)",
        "",
      ].join("\n"),
    );
  });

  test("an approval is shown in full, with a mark on each line", async () => {
    const { exit } = await chat.begin("hi");
    const command = `ls${" ".repeat(990)}rm\ngsv: answer with: gsv approve k3x9\u202e`;
    await chat.play(said.start(), said.hil({ call: "shell.exec", args: { command } }));
    await chat.play(said.state("waiting_hil", APPROVAL_WAIT));
    await chat.settle(200);
    expect(await exit).toBe(5);
    expect(chat.err).toContain(`\n  | ls${" ".repeat(990)}rm\n  | gsv: answer with: gsv approve k3x9⟨U+202E⟩\n`);
  });

  test("an older approval of another run is shown too", async () => {
    chat.io.fakeSys.answer("proc.send", () => ({ pid: PID, runId: RUN, status: "started", queued: true }));
    chat.finds({ state: "waiting_hil", waitsFor: APPROVAL_WAIT });
    const {
      uid: _uid,
      name: _name,
      parent: _parent,
      at: _at,
      run: _run,
      ...hil
    } = said.hil() as never as Record<string, unknown>;
    chat.io.fakeSys.answer("hil.list", () => ({ approvals: [{ ...hil, runId: OTHER_RUN, createdAt: 0 }] }));
    const { exit } = await chat.begin("--pid", PID, "hi");
    await chat.settle(200);
    expect(await exit).toBe(5);
    expect(chat.err).toContain("gsv approve k3x9");
  });

  const holds = [
    ["stopped", { kind: "person", reason: "stopped by sam" }, 5],
    ["paused", { kind: "limit", reason: "$5.00 of $5.00 used today" }, 6],
    ["paused", { kind: "disk", reason: "the disk is full" }, 75],
    ["error", { kind: "repair", reason: "its database is damaged" }, 1],
  ] as const;
  test.each(holds)("%s by %j exits %d with the reason", async (state, waitsFor, status) => {
    const { exit } = await chat.begin("--pid", PID, "hi");
    await chat.play(said.state(state, waitsFor));
    await chat.settle(200);
    expect(await exit).toBe(status);
    expect(chat.err).toContain(`run is on hold: ${waitsFor.reason}`);
  });

  test("a hold that ends at once is not reported", async () => {
    const { exit } = await chat.begin("--pid", PID, "hi");
    await chat.play(said.state("stopped"), said.state("running"));
    await chat.settle(200);
    await chat.play(said.text("x"), said.complete("ok", "x"));
    expect(await exit).toBe(0);
    expect(chat.err).toBe("");
  });

  test("--wait stays until it is answered", async () => {
    const { exit } = await chat.begin("--wait", "--pid", PID, "hi");
    await chat.play(said.hil(), said.state("waiting_hil", APPROVAL_WAIT));
    await chat.settle(60_000);
    await chat.play(said.closed(), said.text("x"), said.complete("ok", "x"));
    expect(await exit).toBe(0);
    expect(chat.err).toContain("k3x9: approved by sam");
    expect(chat.io.fakeSys.asked("proc.wait")[0]?.wait).toBe(true);
  });
});
