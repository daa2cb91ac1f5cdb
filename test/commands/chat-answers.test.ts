// Answers on stdin of `gsv chat --input jsonl`: each line is one answer with no other fields; at end of input no approver is left.

import { expect, test } from "bun:test";
import { answering, type Steering } from "../../commands/chat/answers.ts";
import { SysError } from "../../src/abi/errno.ts";
import { FakeIo, stdinOf } from "../support/io.ts";

async function fed(text: string, answer: (args: object) => unknown = () => ({})) {
  const io = new FakeIo();
  io.stdin = stdinOf("pipe", [text]);
  const answers: object[] = [];
  io.fakeSys.answer("hil.answer", (args: object) => {
    answers.push(args);
    return answer(args);
  });
  const told: (string | null)[] = [];
  const steerings: Steering[] = [];
  await new Promise<void>((resolve) =>
    answering(io, {
      ignored: (fault) => {
        told.push(fault);
        if (fault === null) resolve();
      },
      steer: (steering) => steerings.push(steering),
    }),
  );
  return { answers, told, steerings };
}

test("a line answers one approval or question, exactly as written", async () => {
  const lines = [
    { type: "approval", id: "k3x9", decision: "allow", always: true, hash: "h", other: 1 },
    { type: "approval", id: "k3x9", decision: "deny", message: "keep it" },
    { type: "approval", id: "k3x9", decision: "yes", args: { command: "ls" } },
    { type: "answer", id: "q7ab", text: "blue" },
  ];
  const { answers, told } = await fed(lines.map((line) => JSON.stringify(line)).join("\n"));
  expect(answers).toEqual([
    { id: "k3x9", decision: "approve", hash: "h", always: true },
    { id: "k3x9", decision: "deny", message: "keep it" },
    { id: "k3x9", decision: "approve", args: { command: "ls" } },
    { id: "q7ab", decision: "answer", text: "blue" },
  ]);
  expect(told).toEqual([null]);
});

test("messages and an abort steer", async () => {
  const lines = [
    { type: "message", text: "and the tests" },
    { type: "message", text: "stop that", interrupt: true },
    { type: "abort" },
  ];
  const { answers, told, steerings } = await fed(lines.map((line) => JSON.stringify(line)).join("\n"));
  expect([answers, told]).toEqual([[], [null]]);
  expect(steerings).toEqual([
    { type: "message", text: "and the tests", interrupt: false },
    { type: "message", text: "stop that", interrupt: true },
    { type: "abort" },
  ]);
});

test.each([
  "y",
  "approve k3x9",
  '{"type":"approval","id":"k3x9"}',
  '{"type":"approval","id":"k3x9","decision":"constructor"}',
  '{"type":"approval","decision":"allow"}',
  '{"type":"answer","id":"q7ab"}',
  '{"type":"message","text":""}',
  '{"type":"message","content":"yes"}',
  "null",
  "[]",
])("this is an invalid answer: %s", async (line) => {
  const { answers, told } = await fed(`${line}\n\n`);
  expect(answers).toEqual([]);
  const form = `{"type":"approval","id":"k3x9","decision":"allow"}`;
  const fault = `unknown line on stdin: ${line} (an answer looks like ${form})`;
  expect(told).toEqual([fault, null]);
});

test("a refused answer is reported, and the next line is read", async () => {
  const line = (id: string) => JSON.stringify({ type: "approval", id, decision: "allow" });
  const { answers, told } = await fed(`${line("gone")}\n${line("k3x9")}\n`, (args) => {
    if ((args as { id: string }).id === "gone") throw new SysError("ENOENT", "no such approval: gone");
    return {};
  });
  expect(answers).toHaveLength(2);
  expect(told).toEqual(["cannot answer gone: no such approval: gone", null]);
});
