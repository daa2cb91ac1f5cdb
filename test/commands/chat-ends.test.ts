import { beforeEach, describe, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import type { RunStatus } from "../../src/abi/process/process.ts";
import { Chat, PID, RUN, said, waited } from "../support/chat.ts";

let chat: Chat;
beforeEach(() => {
  chat = new Chat();
});

describe("the exit status follows the end of the run", () => {
  const ends: [RunStatus, number][] = [
    ["ok", 0],
    ["error", 1],
    ["aborted", 130],
    ["blocked", 5],
    ["limit", 6],
    ["unavailable", 75],
  ];
  test.each(ends)("%s exits %d", async (status, code) => {
    const { exit } = await chat.begin("hi");
    await chat.play(said.complete(status, null, { error: "because" }));
    expect(await exit).toBe(code);
    if (code !== 0) expect(chat.err).toContain(": because\n");
    expect(chat.out).toBe("");
  });
});

describe("signals of the operating system", () => {
  test("INT aborts this run, keeps the partial text, and exits 130", async () => {
    const { exit } = await chat.begin("--stream", "hi");
    await chat.play(said.delta("half an ans"));
    chat.io.interrupt("INT");
    await chat.settle();
    expect(chat.io.fakeSys.asked("proc.abort")).toEqual([{ pid: PID, runId: RUN }]);
    await chat.play(said.complete("aborted"));
    expect(await exit).toBe(130);
    expect(chat.out).toBe("half an ans\n");
    expect(chat.err).toContain("press ctrl-c again to quit now");
  });

  test("a second INT within 2 s leaves at once", async () => {
    const { exit } = await chat.begin("hi");
    chat.io.interrupt("INT");
    await chat.settle(1900);
    chat.io.interrupt("INT");
    expect(await exit).toBe(130);
  });

  test("a later second INT asks again", async () => {
    const { exit } = await chat.begin("hi");
    chat.io.interrupt("INT");
    await chat.settle(2100);
    chat.io.interrupt("INT");
    await chat.settle();
    expect(chat.io.fakeSys.asked("proc.abort")).toHaveLength(2);
    await chat.play(said.complete("aborted"));
    expect(await exit).toBe(130);
  });

  test("INT before the message is accepted aborts it on acceptance", async () => {
    const sending = Promise.withResolvers<object>();
    chat.io.fakeSys.answer("proc.send", () => sending.promise);
    const { exit } = await chat.begin("hi");
    chat.io.interrupt("INT");
    await chat.settle();
    expect(chat.io.fakeSys.asked("proc.abort")).toEqual([]);
    sending.resolve({ pid: PID, runId: RUN, status: "started", queued: false });
    await chat.settle();
    expect(chat.io.fakeSys.asked("proc.abort")).toHaveLength(1);
    await chat.play(said.complete("aborted"));
    expect(await exit).toBe(130);
  });

  test("INT on a queued message leaves it in the queue and reports that", async () => {
    chat.io.fakeSys.answer("proc.abort", () => ({ pid: PID, aborted: false }));
    const { exit } = await chat.begin("hi");
    chat.io.interrupt("INT");
    await chat.settle();
    expect(await exit).toBe(130);
    expect(chat.err).toContain(`stays in the queue of ${PID}`);
  });

  test.each([
    ["TERM", 143],
    ["HUP", 129],
  ] as const)("%s detaches with %d and the run continues", async (name, code) => {
    const { exit } = await chat.begin("hi");
    chat.io.interrupt(name);
    expect(await exit).toBe(code);
    expect(chat.io.fakeSys.asked("proc.abort")).toEqual([]);
    expect(chat.err).toContain("the run continues: gsv logs init:1000");
  });

  test("a closed pipe exits silently with 141, and the run continues", async () => {
    chat.io.stdout.writesMax = 1;
    const { exit } = await chat.begin("hi");
    await chat.play(said.text("a"), said.text("b", { seq: 3 }));
    expect(await exit).toBe(141);
    expect(chat.err).toBe("");
    expect(chat.io.fakeSys.asked("proc.abort")).toEqual([]);
  });
});

describe("--timeout", () => {
  test("exits 124 and the run continues", async () => {
    const { exit } = await chat.begin("--timeout", "2", "hi");
    await chat.settle(2000);
    expect(await exit).toBe(124);
    expect(chat.err).toContain("no answer within 2 s; the run goes on: gsv wait init:1000");
    expect(chat.io.fakeSys.asked("proc.abort")).toEqual([]);
  });

  test("--kill-on-timeout aborts the run", async () => {
    const { exit } = await chat.begin("--timeout", "0.5", "--kill-on-timeout", "hi");
    await chat.settle(500);
    expect(await exit).toBe(124);
    expect(chat.io.fakeSys.asked("proc.abort")).toEqual([{ pid: PID, runId: RUN }]);
  });

  test("it also ends the wait for a kernel that does not accept the message", async () => {
    chat.io.fakeSys.answer("proc.send", () => new Promise(() => {}));
    const { exit } = await chat.begin("--timeout", "1", "hi");
    await chat.settle(1000);
    expect(await exit).toBe(124);
    expect(chat.err).toContain("no kernel took the message");
  });
});

describe("a process created for a refused message", () => {
  beforeEach(() => {
    chat.io.fakeSys.answer("proc.spawn", () => ({ pid: "task:fresh1" }));
    chat.io.fakeSys.answer("proc.kill", () => ({ pid: "task:fresh1" }));
  });

  test("is deleted without a trace", async () => {
    chat.io.fakeSys.answer("proc.send", () => Promise.reject(new SysError("EFBIG", "proc.send takes 2 MiB")));
    const { exit } = await chat.begin("--new", "hi");
    expect(await exit).toBe(6);
    expect(chat.io.fakeSys.asked("proc.kill")).toEqual([{ pid: "task:fresh1", noArchive: true }]);
    expect(chat.err).toContain("gsv: proc.send takes 2 MiB\n");
  });

  test("stays if the message may have been accepted, and the error says so", async () => {
    chat.io.fakeSys.answer("proc.send", () => Promise.reject(new SysError("EAGAIN", "the kernel was stopped")));
    const { exit } = await chat.begin("--new", "hi");
    expect(await exit).toBe(75);
    expect(chat.io.fakeSys.asked("proc.kill")).toEqual([]);
    expect(chat.err).toContain("gsv: the new process task:fresh1 is still there. To end it: gsv kill task:fresh1\n");
  });

  test("is not deleted if it existed before", async () => {
    chat.io.fakeSys.answer("proc.send", () => Promise.reject(new SysError("EFBIG", "proc.send takes 2 MiB")));
    const { exit } = await chat.begin("--pid", "task:fresh1", "hi");
    expect(await exit).toBe(6);
    expect(chat.io.fakeSys.asked("proc.kill")).toEqual([]);
  });
});

describe("lost signals", () => {
  const assistant = (id: number, text: string, runId = RUN) => {
    return { id, role: "assistant", runId, timestamp: 0, content: { text } };
  };

  test("after a gap the texts come from history, each once", async () => {
    chat.io.fakeSys.answer("proc.history", ({ afterSeq }: { afterSeq: number }) => ({
      messages: [assistant(2, "one"), assistant(4, "two"), assistant(5, "theirs", "x")].filter(
        ({ id }) => id > afterSeq,
      ),
      hasMoreAfter: false,
      inPart: [],
    }));
    const { exit } = await chat.begin("--pid", PID, "hi");
    await chat.play(said.start(), said.text("one"), said.resync(1));
    await chat.play(said.text("two", { seq: 4 }), said.complete("ok", "two"));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("one\ntwo\n");
    expect(chat.io.fakeSys.asked("proc.history")).toEqual([{ pid: PID, limit: 500, afterSeq: 1 }]);
  });

  test("a long gap is read page by page", async () => {
    chat.io.fakeSys.answer("proc.history", ({ afterSeq }: { afterSeq: number }) => ({
      messages: [assistant(afterSeq + 1, `n${afterSeq + 1}`)],
      hasMoreAfter: afterSeq < 3,
      inPart: [],
    }));
    const { exit } = await chat.begin("--pid", PID, "hi");
    await chat.play(said.start(), said.resync(1), said.complete("ok", "n4"));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("n2\nn3\nn4\n");
  });

  test("a lost finish comes from proc.wait, the text from history", async () => {
    chat.io.fakeSys.answer("proc.history", () => ({
      messages: [assistant(7, "hello")],
      hasMoreAfter: true,
      inPart: [],
    }));
    const { exit } = await chat.begin("hi");
    chat.wait.resolve({ results: [waited({ text: "hello" })] });
    await chat.settle(200);
    expect(await exit).toBe(0);
    expect(chat.out).toBe("hello\n");
    expect(chat.io.fakeSys.asked("proc.history")).toEqual([{ pid: PID, limit: 500 }]);
  });

  test("an answer too long for a page is read in pieces and printed whole", async () => {
    const whole = `${"long ".repeat(1000)}end`;
    chat.io.fakeSys.answer("proc.history", () => ({
      messages: [assistant(7, "lo[…]nd")],
      hasMoreAfter: false,
      inPart: [7],
    }));
    chat.io.fakeSys.answer("proc.message", ({ offset }: { offset: number }) => ({
      pid: PID,
      seq: 7,
      text: whole.slice(offset, offset + 2000),
      next: offset + 2000 < whole.length ? offset + 2000 : null,
    }));
    const { exit } = await chat.begin("--output", "jsonl", "hi");
    chat.wait.resolve({ results: [waited({ text: "lo[…]nd", inPart: true })] });
    await chat.settle(200);
    expect(await exit).toBe(0);
    expect(chat.events.find(({ type }) => type === "message")?.text).toBe(whole);
    expect(chat.events.at(-1)).toMatchObject({ type: "result", text: whole });
  });

  test("an answer absorbed by another run that is too long for a signal is marked as such", async () => {
    chat.io.fakeSys.answer("proc.history", () => ({ messages: [], hasMoreAfter: false, inPart: [] }));
    const { exit } = await chat.begin("hi");
    chat.wait.resolve({ results: [waited({ text: "lo[…]nd", inPart: true })] });
    await chat.settle(200);
    expect(await exit).toBe(0);
    expect(chat.err).toContain(`all of it: gsv proc message --pid ${PID}`);
  });

  test("a finish that arrives shortly after proc.wait is not requested again", async () => {
    const { exit } = await chat.begin("hi");
    chat.wait.resolve({ results: [waited({ text: "hello" })] });
    await chat.settle(20);
    await chat.play(said.text("hello"), said.complete("ok", "hello"));
    expect(await exit).toBe(0);
    expect(chat.out).toBe("hello\n");
    expect(chat.io.fakeSys.asked("proc.history")).toEqual([]);
  });

  test("a process killed meanwhile exits 137", async () => {
    chat.io.fakeSys.answer("proc.history", () => ({ messages: [], hasMoreAfter: false, inPart: [] }));
    const { exit } = await chat.begin("hi");
    chat.wait.resolve({ results: [waited({ status: "killed", exit: 137 })] });
    await chat.settle(200);
    expect(await exit).toBe(137);
    expect(chat.err).toContain("the process was killed");
  });

  test("a kernel that was stopped ends the command with 75", async () => {
    const { exit } = await chat.begin("hi");
    chat.wait.reject(new SysError("EAGAIN", "the kernel was stopped", ["gsv kernel start"]));
    expect(await exit).toBe(75);
    expect(chat.err).toContain("gsv: the kernel was stopped\n  gsv kernel start\n");
  });
});
