// Text of models, tools and files has no effect on a terminal, in any command that prints it.

import { expect, test } from "bun:test";
import type { ProcessInfo } from "../../src/abi/process/process.ts";
import { Chat, PID, said, waited } from "../support/chat.ts";
import { HOSTILE } from "../support/hostile-text.ts";
import { actsIn } from "../support/inert.ts";
import { FakeIo, runs } from "../support/io.ts";
import { processInfo } from "../support/process-info.ts";
import { oneIn } from "../support/soak.ts";

const TEXT = "a\x1b[31mb\x07c\x9b2Jd\u202ee\rf\x1b]0;title\x07g\x00h\x7fi\nstate       faked";
const TEXTS = [TEXT, ...oneIn(9, HOSTILE).map(({ text }) => text)];

function infoOf(text: string): ProcessInfo {
  const waitsFor = { kind: "approval", id: "k3x9", tool: text, summary: text } as const;
  return processInfo({ label: text, owner: text, cwd: text, waitsFor, state: "waiting_hil" });
}

/** Answers of a kernel with this text wherever a model, a tool or a file may put one. */
function answersWith(text: string): { readonly [call: string]: object } {
  const user = { id: 1, role: "user", content: text, runId: null, timestamp: 0 };
  const toolCalls = [{ id: "c", name: text, args: { [text]: text } }];
  const answer = { ...user, id: 2, role: "assistant", content: { text, thinking: text, toolCalls } };
  const output = { toolName: text, toolCallId: "c", isError: true, outcome: "failed", output: text };
  const result = { ...user, id: 3, role: "toolResult", content: output };
  const approval = { id: "k3x9", pid: PID, tool: text, args: { path: text }, why: text, inPart: false, createdAt: 0 };
  const archive = { id: "x", pid: PID, reason: text, messages: 1, bytes: 1, createdAt: 0, path: text };
  const found = { pid: PID, seq: 1, at: 0, role: "user", archiveId: null, snippet: text, hits: [[0, 6]] };
  return {
    "proc.history": { pid: PID, messages: [user, answer, result], messageCount: 3, inPart: [], hasMoreBefore: false },
    "proc.message": { pid: PID, seq: 2, text, next: null },
    "proc.list": { processes: [infoOf(text), { ...infoOf(text), pid: "task:abcdef", parentPid: PID }], next: null },
    "proc.get": infoOf(text),
    "proc.model": { answers: text },
    "proc.search": { found: [found], more: false, unread: 0 },
    "proc.trace": { rows: [{ id: 1, at: 0, call: text, args: text, outcome: text, ms: 1 }] },
    "proc.wait": { results: [waited({ status: "error", exit: 1, error: text })] },
    "hil.list": { approvals: [approval], next: null },
    "hil.answer": { ...approval, decision: "deny" },
    "archive.list": { archives: [archive], next: null },
    "archive.show": { records: [{ id: 1, content: text }], path: "/x", inPart: [], next: null },
    "fs.read": { kind: "file", content: text, firstLine: 1, lines: 2, truncated: false },
    "fs.search": { matches: [{ path: text, line: 1, content: text }], truncated: false },
  };
}
const UUID = "0190a1b2-0000-7000-8000-000000000001";
const COMMANDS: readonly string[] = [
  "proc history",
  "logs",
  "proc message 2",
  "history search a",
  "ps",
  "top",
  "top --flat",
  `proc get ${PID}`,
  `proc trace ${PID}`,
  `wait ${PID}`,
  "approvals",
  "deny k3x9",
  "archive list",
  `archive show ${UUID}`,
  "fs read /a",
  "fs search a",
];

/** Colors of heads and states, and a match of a search. */
const OWN = /\x1b\[(?:1|2|22|32|33|39)m/g;

function inert(io: FakeIo, about: readonly string[]): void {
  for (const text of [io.stdout.text, io.stderr.text]) {
    expect(text.replace(OWN, "")).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    // In JSON only what acts on a terminal is escaped, not what has no glyph.
    if (!about.some((word) => word.includes("json"))) expect([...about, actsIn(text)]).toEqual([...about, null]);
  }
}

for (const command of COMMANDS) {
  test(`gsv ${command} prints inert text, and valid JSON with --json`, async () => {
    for (const text of TEXTS)
      for (const form of [[], ["--json"]]) {
        const io = new FakeIo();
        // So tall that no text needs a pager.
        io.terminal(100).stdout.rows = 10_000;
        for (const [call, answer] of Object.entries(answersWith(text))) io.fakeSys.answer(call, () => answer);
        await runs(io, ...command.split(" "), ...form);
        inert(io, [command, ...form]);
        expect(io.stdout.text + io.stderr.text).toMatch(/begins|a/);
        if (form.length > 0) for (const line of io.stdout.lines) JSON.parse(line);
      }
  });
}

test("a label of several lines is one fact of a process", async () => {
  const io = new FakeIo();
  for (const [call, answer] of Object.entries(answersWith(TEXT))) io.fakeSys.answer(call, () => answer);
  await runs(io, "proc", "get", PID);
  const states = io.stdout.lines.filter((line) => line.startsWith("state "));
  expect(states.map((line) => line.replace(/ +/, " "))).toEqual(["state waiting_hil"]);
  io.stdout.text = "";
  await runs(io, "ps");
  expect(io.stdout.lines).toHaveLength(3);
});

for (const form of [[], ["--stream"], ["--json"], ["--output", "json"]]) {
  test(`gsv chat ${form.join(" ")} prints messages, calls, questions and errors as inert text`, async () => {
    for (const text of TEXTS) {
      const chat = new Chat();
      chat.io.terminal(100);
      const { exit } = await chat.begin(...form, "--pid", PID, "hi");
      await chat.play(
        said.start({ model: text }),
        said.delta(text.slice(0, 5)),
        said.delta(text.slice(5)),
        said.text(text),
        said.call(text, { path: text }),
        said.result(false, text),
        said.hil({ tool: text, args: { path: text.repeat(50) }, why: text }),
        said.complete("error", text, { error: text }),
      );
      expect(await exit).toBe(1);
      inert(chat.io, form);
    }
  });
}
