import { beforeEach, describe, expect, test } from "bun:test";
import type { RunStatus } from "../../src/abi/process/process.ts";
import { Chat, PID, said } from "../support/chat.ts";
import { runs, until } from "../support/io.ts";

let chat: Chat;
beforeEach(() => {
  chat = new Chat();
  chat.io.fakeSys.answer("proc.spawn", () => ({ pid: PID }));
  chat.io.fakeSys.answer("proc.kill", () => ({ pid: PID }));
});

async function ran(status: RunStatus, ...args: string[]): Promise<number> {
  const exit = runs(chat.io, "run", ...args, "--", "look");
  await until(() => chat.io.fakeSys.asked("proc.send").length > 0);
  await chat.settle();
  await chat.play(said.start(), said.complete(status, status === "ok" ? "seen" : null));
  return await exit;
}

describe("gsv run", () => {
  test("starts a task with its options, prints the answer and exits with its status", async () => {
    expect(await ran("ok", "--label", "audit", "--no-tools", "--system", "Be short.")).toBe(0);
    expect(chat.out).toBe("seen\n");
    const [spawned] = chat.io.fakeSys.asked("proc.spawn");
    expect(spawned).toEqual({ label: "audit", system: "Be short.", drop: "*" });
    expect(chat.io.fakeSys.asked("proc.send")).toEqual([{ pid: PID, message: "look" }]);
    expect(chat.io.fakeSys.asked("proc.kill")).toEqual([]);
  });

  test("--rm ends the process after the run, also after a failure", async () => {
    expect(await ran("error", "--rm")).toBe(1);
    expect(chat.io.fakeSys.asked("proc.kill")).toEqual([{ pid: PID }]);
  });

  test("a run held by a limit is not finished, and its process stays", async () => {
    expect(await ran("limit", "--rm")).toBe(6);
    expect(chat.io.fakeSys.asked("proc.kill")).toEqual([]);
    expect(chat.err).toContain(`${PID} is still running`);
  });

  test("it takes no existing process", async () => {
    expect(await runs(chat.io, "run", "--pid", PID, "look")).toBe(2);
  });

  test("wrong arguments get its own usage, not that of gsv chat", async () => {
    for (const typed of [[], ["--kill-on-timeout", "--", "look"], ["--file", "a.md", "--", "look"], ["--timeout", "x"]])
      expect(await runs(chat.io, "run", ...typed)).toBe(2);
    expect(chat.err.match(/usage: gsv run /g)).toHaveLength(4);
    expect(chat.err).not.toContain("gsv chat");
  });
});

describe("gsv explain", () => {
  test("explains an exit status, from the manual", async () => {
    expect(await runs(chat.io, "explain", "exit", "5")).toBe(0);
    expect(chat.out).toContain("The process needs you");
    expect(chat.out).not.toContain("status 6");
  });

  test("every exit status in the code is explained", async () => {
    for (const status of [0, 1, 2, 3, 4, 5, 6, 75, 78, 124, 126, 127, 129, 130, 137, 141, 143])
      expect(await runs(chat.io, "explain", "exit", String(status))).toBe(0);
  });

  test("an unused status is refused with the list of used ones", async () => {
    expect(await runs(chat.io, "explain", "exit", "139")).toBe(2);
    expect(chat.err).toContain("signal 11");
  });
});
