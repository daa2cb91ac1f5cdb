// Text of models, tools and files has no effect on a terminal, in any command that prints it.

import { expect, test } from "bun:test";
import { Chat, PID, said, waited } from "../support/chat.ts";
import { FakeIo, runs } from "../support/io.ts";

const HOSTILE = "a\x1b[31mb\x07c\x9b2Jd\u202ee\rf\x1b]0;title\x07g\x00h\x7fi\nstate       faked";
const MESSAGES = [
  { id: 1, role: "user", content: HOSTILE, runId: null, timestamp: 0 },
  {
    id: 2,
    role: "assistant",
    runId: null,
    timestamp: 0,
    content: {
      text: HOSTILE,
      thinking: HOSTILE,
      toolCalls: [{ id: "c", name: HOSTILE, args: { [HOSTILE]: HOSTILE } }],
    },
  },
  {
    id: 3,
    role: "toolResult",
    runId: null,
    timestamp: 0,
    content: { toolName: HOSTILE, toolCallId: "c", isError: true, outcome: "failed", output: HOSTILE },
  },
];
const APPROVAL = {
  id: "k3x9",
  pid: PID,
  tool: HOSTILE,
  args: { path: HOSTILE },
  why: HOSTILE,
  inPart: false,
  createdAt: 0,
};
const HELD = { kind: "approval", id: "k3x9", tool: HOSTILE, summary: HOSTILE };
const INFO = {
  pid: PID,
  label: HOSTILE,
  owner: "sam",
  runAs: "scout",
  profile: "task",
  parentPid: null,
  mode: "ask",
  state: "idle",
  costUsd: 0,
  tokens: 0,
  lastStatus: null,
  queued: 0,
  activeRunId: null,
  cwd: HOSTILE,
  workspaceId: null,
  waitsFor: HELD,
  createdAt: 0,
  lastActiveAt: null,
};
const ARCHIVE = { id: "x", pid: PID, reason: "kill", messages: 1, bytes: 1, createdAt: 0, path: HOSTILE };

const ANSWERS: { readonly [call: string]: object } = {
  "proc.history": { pid: PID, messages: MESSAGES, messageCount: 3, inPart: [], hasMoreBefore: false },
  "proc.message": { pid: PID, seq: 2, text: HOSTILE, next: null },
  "proc.list": { processes: [INFO], next: null },
  "proc.get": INFO,
  "proc.trace": { rows: [{ id: 1, at: 0, call: HOSTILE, args: HOSTILE, outcome: HOSTILE, ms: 1 }] },
  "proc.wait": { results: [waited({ status: "error", exit: 1, error: HOSTILE })] },
  "hil.list": { approvals: [APPROVAL], next: null },
  "hil.answer": { ...APPROVAL, decision: "deny" },
  "archive.list": { archives: [ARCHIVE], next: null },
  "archive.show": { records: [{ id: 1, content: HOSTILE }], path: "/x", inPart: [], next: null },
  "fs.read": { kind: "file", content: HOSTILE, firstLine: 1, lines: 2, truncated: false },
  "fs.search": { matches: [{ path: HOSTILE, line: 1, content: HOSTILE }], truncated: false },
};
const UUID = "0190a1b2-0000-7000-8000-000000000001";
const COMMANDS: readonly string[] = [
  "proc history",
  "logs",
  "proc message 2",
  "ps",
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

/** Colors of heads and states; none of them is in HOSTILE. */
const OWN = /\x1b\[(?:2|22|32|33|39)m/g;

function inert(io: FakeIo): void {
  for (const text of [io.stdout.text, io.stderr.text])
    expect(text.replace(OWN, "")).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
}

for (const command of COMMANDS) {
  test(`gsv ${command} prints inert text, and valid JSON with --json`, async () => {
    for (const form of [[], ["--json"]]) {
      const io = new FakeIo();
      io.terminal(100);
      for (const [call, answer] of Object.entries(ANSWERS)) io.fakeSys.answer(call, () => answer);
      await runs(io, ...command.split(" "), ...form);
      inert(io);
      expect(io.stdout.text + io.stderr.text).toContain("a");
    }
  });
}

test("a label of several lines is one fact of a process", async () => {
  const io = new FakeIo();
  io.fakeSys.answer("proc.get", () => INFO);
  await runs(io, "proc", "get", PID);
  const states = io.stdout.lines.filter((line) => line.startsWith("state "));
  expect(states.map((line) => line.replace(/ +/, " "))).toEqual(["state idle"]);
});

for (const form of [[], ["--stream"], ["--json"], ["--output", "json"]]) {
  test(`gsv chat ${form.join(" ")} prints messages, calls, questions and errors as inert text`, async () => {
    const chat = new Chat();
    chat.io.terminal(100);
    const { exit } = await chat.begin(...form, "--pid", PID, "hi");
    await chat.play(
      said.start({ model: HOSTILE }),
      said.delta(HOSTILE.slice(0, 5)),
      said.delta(HOSTILE.slice(5)),
      said.text(HOSTILE),
      said.call(HOSTILE, { path: HOSTILE }),
      said.result(false, HOSTILE),
      said.hil({ tool: HOSTILE, args: { path: HOSTILE.repeat(50) }, why: HOSTILE }),
      said.complete("error", HOSTILE, { error: HOSTILE }),
    );
    expect(await exit).toBe(1);
    inert(chat.io);
  });
}
