// A conversation as a document, and the parts of a request as bars.

import { expect, test } from "bun:test";
import type { Side } from "../../commands/files/copy/side.ts";
import { FakeIo, runs } from "../support/io.ts";
import { processInfo } from "../support/process-info.ts";

const MESSAGES = [
  { id: 1, runId: "r", timestamp: 0, role: "user", content: "read it" },
  {
    ...{ id: 2, runId: "r", timestamp: 1000, role: "assistant" },
    content: { text: "I read it.", toolCalls: [{ id: "c", name: "Read", args: { path: "~/a.md" } }] },
  },
  {
    ...{ id: 3, runId: "r", timestamp: 2000, role: "toolResult" },
    content: { toolName: "Read", toolCallId: "c", isError: false, outcome: "completed", output: "```\ncode\n```" },
  },
];

function talk(): FakeIo {
  const io = new FakeIo();
  io.fakeSys.answer("proc.get", ({ pid }: { pid: string }) => processInfo({ pid, label: "docs audit" }));
  io.fakeSys.answer("proc.history", ({ pid = "init:1000", afterSeq }: { pid?: string; afterSeq: number }) => {
    const rest = MESSAGES.filter(({ id }) => id > afterSeq);
    return { pid, messages: rest.slice(0, 2), inPart: [], messageCount: 3, hasMoreAfter: rest.length > 2 };
  });
  return io;
}

test("a conversation is one whole document, with tool output in fences that it cannot end", async () => {
  const io = talk();
  expect(await runs(io, "history", "export", "--pid", "task:abc123")).toBe(0);
  expect(io.stdout.text).toBe(
    [
      "# docs audit",
      "task:abc123 of sam",
      "## sam, 1970-01-01T00:00:00.000Z",
      "read it",
      "## agent, 1970-01-01T00:00:01.000Z",
      "I read it.",
      '- **Read** `{"path":"~/a.md"}`',
      "### Read",
      "````\n```\ncode\n```\n````\n",
    ].join("\n\n"),
  );
});

test("a file name ending in .json selects JSON, and an existing file stays", async () => {
  const io = talk();
  const files = new Map([["there.md", "old"]]);
  io.side = {
    look: async (path: string) => (files.has(path) ? { kind: "file" } : null),
    write: async (path: string, pieces: AsyncIterable<Uint8Array>) => {
      files.set(path, Buffer.concat(await Array.fromAsync(pieces)).toString());
    },
  } as unknown as Side;
  expect(await runs(io, "history", "export", "talk.json")).toBe(0);
  expect(JSON.parse(files.get("talk.json") ?? "")).toEqual({
    ...{ pid: "init:1000", label: "docs audit", owner: "sam" },
    messages: MESSAGES,
  });
  expect(io.stderr.text).toBe("wrote 3 messages of init:1000 to talk.json\n");
  expect(await runs(io, "history", "export", "there.md")).toBe(1);
  expect(files.get("there.md")).toBe("old");
  expect(await runs(io, "history", "export", "there.md", "--force")).toBe(0);
  expect(files.get("there.md")).toStartWith("# docs audit");
});

test("the next turn's parts are bars, the biggest first, with the free space", async () => {
  const io = new FakeIo();
  const line = (source: string, tokens: number) => ({ source, what: "x", bytes: 4 * tokens, tokens });
  io.fakeSys.answer("proc.prompt", () => ({
    ...{ pid: "init:1000", told: null, model: "m", windowTokens: 10_000, bytes: 0, tokens: 4000 },
    ...{
      bill: [line("gsv", 500), line("tools", 1500), line("messages", 1000), line("tools", 1000)],
      leftOut: [],
      parts: [],
    },
  }));
  expect(await runs(io, "prompt", "--bars")).toBe(0);
  expect(io.stdout.lines).toEqual([
    "the next turn to m: about 4,000 tokens of 10,000",
    "",
    `tools     2,500   25.0%  ${"▮".repeat(40)}`,
    `messages  1,000   10.0%  ${"▮".repeat(16)}`,
    `gsv         500    5.0%  ${"▮".repeat(8)}`,
    "free      6,000   60.0%",
  ]);
});
