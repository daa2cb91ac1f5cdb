// gsv history, compact and fork on the command line: calls, output, and harmless text on a terminal.

import { beforeEach, expect, test } from "bun:test";
import { FakeIo, runs } from "../support/io.ts";
import { processInfo } from "../support/process-info.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
});

const FOUND = { pid: "init:1000", seq: 12, at: Date.UTC(2026, 0, 2, 10, 15), role: "user", archiveId: null };

function finds(snippet: string, hits: readonly (readonly [number, number])[], more: object = {}): void {
  const found = [{ ...FOUND, snippet, hits, ...more }];
  io.fakeSys.answer("proc.search", () => ({ found, more: false, unread: 0 }));
}

test("gsv history without a query is the newest page, as proc history prints it", async () => {
  const page = { pid: "init:1000", messages: [], inPart: [], messageCount: 0, hasMoreBefore: false };
  io.fakeSys.answer("proc.history", () => page);
  expect(await runs(io, "history")).toBe(0);
  expect(await runs(io, "history", "--limit", "3")).toBe(0);
  expect(await runs(io, "history", "show", "--pid", "task:abc123")).toBe(0);
  expect(await runs(io, "history", "task:abc123")).toBe(0);
  const asked = io.fakeSys.asked("proc.history") as { limit: number; pid?: string }[];
  expect(asked.map(({ limit, pid }) => [limit, pid])).toEqual([
    [50, undefined],
    [3, undefined],
    [50, "task:abc123"],
    [50, "task:abc123"],
  ]);
});

test("each match has a line; only a terminal highlights it and names the process", async () => {
  finds("the rent is due", [[4, 8]]);
  const named = { pid: "task:abc123", label: "rent report" };
  io.fakeSys.answer("proc.list", () => ({ processes: [processInfo(named)], next: null }));
  expect(await runs(io, "history", "search", "rent")).toBe(0);
  expect(io.stdout.text).toBe("2026-01-02 10:15 init:1000 12 user: the rent is due\n");
  io.stdout.text = "";
  expect(await runs(io.terminal(100), "history", "search", "rent")).toBe(0);
  expect(io.stdout.text).toBe("2026-01-02 10:15 init:1000 12 user: the \x1b[1mrent\x1b[22m is due\n");
  for (const [pid, name] of [
    ["task:abc123", '"rent report"'],
    ["task:gone00", "task:gone00"],
  ]) {
    io.stdout.text = "";
    finds("the rent is due", [], { pid });
    await runs(io, "history", "search", "rent");
    expect(io.stdout.text).toBe(`2026-01-02 10:15 ${name} 12 user: the rent is due\n`);
  }
});

test("no match exits 1 like grep, with a message", async () => {
  io.fakeSys.answer("proc.search", () => ({ found: [], more: false, unread: 3 }));
  expect(await runs(io, "history", "search", "rent", "due", "--since", "7d", "-n", "5")).toBe(1);
  expect(io.stderr.lines).toEqual(["(nothing found)", "3 histories are not indexed yet: search again"]);
  expect(io.fakeSys.asked("proc.search")).toEqual([{ words: ["rent", "due"], since: "7d", limit: 5 }]);
});

test("an empty search explains how to search for a prefix", async () => {
  io.fakeSys.answer("proc.search", () => ({ found: [], more: false, unread: 0 }));
  io.terminal(100);
  expect(await runs(io, "history", "search", "the", "ren")).toBe(1);
  expect(io.stderr.lines).toEqual(["(nothing found)", "whole words are looked for: 'ren*' finds those that begin so"]);
  io.stderr.text = "";
  expect(await runs(io, "history", "search", "ren*")).toBe(1);
  expect(io.stderr.lines).toEqual(["(nothing found)"]);
});

test("compact prints the result in a line, and a missing summary", async () => {
  const done = { pid: "init:1000", did: "compacted", fromSeq: 1, toSeq: 80, trimmed: 80, kept: 20, asked: [] };
  const sizes = { tokensBefore: 41_203, tokensAfter: 18_900, archivedTo: "/proc/init:1000/segments/1-80" };
  for (const model of ["openai/m", null]) {
    io.fakeSys.answer("proc.compact", () => ({ ...done, ...sizes, model }));
    expect(await runs(io, "compact", "init:1000", "-k", "20")).toBe(0);
  }
  const [written = "", plain = ""] = io.stdout.lines;
  expect(written).toStartWith("compacted init:1000: 41,203 → 18,900 tokens (messages 1-80 summarized, 20 kept;");
  expect([written, plain].map((line) => line.includes("no model wrote a summary"))).toEqual([false, true]);
  expect(io.fakeSys.asked("proc.compact")).toEqual([
    { pid: "init:1000", keep: 20 },
    { pid: "init:1000", keep: 20 },
  ]);
});

test("mistakes are reported before any call", async () => {
  expect(await runs(io, "history", "search")).toBe(2);
  expect(await runs(io, "history", "serch", "x")).toBe(2);
  expect(await runs(io, "compact", "init:1000", "--keep", "none")).toBe(2);
  expect(await runs(io, "fork", "init:1000", "--through", "0")).toBe(2);
  expect(io.stderr.text).toContain("did you mean gsv history search");
  expect(io.fakeSys.asked("proc.search")).toEqual([]);
});
