// Before anything is sent: timeouts, interrupts and invalid input. Each has its exit status and its result.

import { beforeEach, describe, expect, test } from "bun:test";
import type { Side } from "../../commands/files/copy/side.ts";
import { SysError } from "../../src/abi/errno.ts";
import { Chat } from "../support/chat.ts";
import { checkEvent } from "../support/chat-events.ts";
import { runs, stdinOf, until } from "../support/io.ts";

// biome-ignore lint/correctness/useYield: it fails before there is anything to yield.
async function* failing(): AsyncGenerator<Uint8Array> {
  throw new SysError("ENOENT", "no such file");
}

let chat: Chat;
beforeEach(() => {
  chat = new Chat();
});

describe("a timeout counted from the start of the command", () => {
  test("ends a read of endless stdin, and nothing is sent", async () => {
    chat.io.stdin = stdinOf("pipe", ["half a mess", new Promise(() => {})]);
    const exit = runs(chat.io, "chat", "--timeout", "3", "-");
    await until(() => chat.io.clock.isDueWithin(3000));
    await chat.settle(3000);
    expect(await exit).toBe(124);
    expect(chat.err).toEndWith("gsv: stdin did not end within 3 s; nothing was sent\n");
    expect(chat.io.fakeSys.asked("proc.send")).toEqual([]);
  });

  test("is a result like any other in JSON", async () => {
    chat.io.stdin = stdinOf("pipe", [new Promise(() => {})]);
    const exit = runs(chat.io, "chat", "--json", "--timeout", "3", "-");
    await until(() => chat.io.clock.isDueWithin(3000));
    await chat.settle(3000);
    expect(await exit).toBe(124);
    expect(chat.events.at(-1)).toMatchObject({ type: "result", status: "timeout", exit: 124, run: null });
    expect(chat.events.map(checkEvent)).toEqual(chat.events.map(() => null));
  });

  test.each([
    ["INT", "aborted", 130],
    ["TERM", "detached", 143],
    ["HUP", "detached", 129],
  ] as const)("%s while stdin is read sends nothing, and has its result", async (name, status, code) => {
    chat.io.stdin = stdinOf("pipe", ["half a mess", new Promise(() => {})]);
    const exit = runs(chat.io, "chat", "--json");
    await until(() => chat.io.clock.pending > 0);
    chat.io.interrupt(name);
    expect(await exit).toBe(code);
    expect(chat.events.map(({ type }) => type)).toEqual(["init", "warning", "result"]);
    expect(chat.events.map(checkEvent)).toEqual([null, null, null]);
    expect(chat.events.at(-1)).toMatchObject({ status, exit: code, error: "nothing was sent", pid: null, run: null });
    expect(chat.io.fakeSys.asked("proc.send")).toEqual([]);
    expect(chat.io.handlesSignals).toBe(false);
  });

  test.each([
    [["chat", "--json"], 2],
    [["chat", "--json", "--label", "x", "hi"], 2],
    [["chat", "--output", "json", "--schema", "none.json", "hi"], 3],
    [["chat", "--json", "--timeout", "0", "hi"], 2],
  ] as const)("%j sends nothing, and has its result", async (argv, code) => {
    chat.io.side = { look: async () => null, read: () => failing() } as unknown as Side;
    expect(await runs(chat.io, ...argv)).toBe(code);
    expect(chat.events.at(-1)).toMatchObject({ type: "result", status: "error", exit: code, run: null });
    expect(chat.io.fakeSys.asked("proc.send")).toEqual([]);
  });

  test("includes the time of reading", async () => {
    const data = Promise.withResolvers<Uint8Array>();
    chat.io.stdin = stdinOf("pipe", [data.promise]);
    const exit = runs(chat.io, "chat", "--timeout", "3", "-");
    await until(() => chat.io.clock.isDueWithin(3000));
    await chat.settle(2000);
    data.resolve(Buffer.from("hi"));
    await until(() => chat.io.fakeSys.asked("proc.send").length > 0);
    await chat.settle();
    await chat.settle(1000);
    expect(await exit).toBe(124);
    expect(chat.err).toContain("no answer within 3 s; the run goes on");
  });
});
