// `gsv api`: every syscall with JSON, and only valid arguments.

import { beforeEach, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import { SYSCALLS } from "../../src/syscalls/all.ts";
import { FakeIo, runs, stdinOf } from "../support/io.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
});

test("without arguments it lists every syscall with its requirements", async () => {
  expect(await runs(io, "api", "--json")).toBe(0);
  const rows = io.stdout.lines.map((line) => JSON.parse(line));
  expect(rows.map(({ name }) => name)).toEqual([...SYSCALLS.keys()]);
  expect(rows[0]).toEqual({
    name: "proc.list",
    class: "read",
    capability: "proc.list",
    by: "anyone",
    summary: "List processes",
  });
  io.stdout.text = "";
  await runs(io, "api");
  expect(io.stdout.lines[0]).toMatch(/^SYSCALL +CLASS +CAPABILITY +BY +SUMMARY$/);
});

test("the arguments are passed unchanged, hidden ones too, and the answer is one line of JSON", async () => {
  io.fakeSys.answer("proc.list", () => ({ processes: [], next: null }));
  expect(await runs(io, "api", "proc.list", '{"limit":2,"after":"x"}')).toBe(0);
  expect(io.fakeSys.asked("proc.list")).toEqual([{ limit: 2, after: "x" }]);
  expect(io.stdout.text).toBe('{"processes":[],"next":null}\n');
});

test("- reads the arguments from stdin, and an empty answer is null", async () => {
  io.stdin = stdinOf("pipe", ['{"why":"stop"}']);
  io.fakeSys.answer("sys.drain", () => undefined);
  expect(await runs(io, "api", "sys.drain", "-")).toBe(0);
  expect(io.fakeSys.asked("sys.drain")).toEqual([{ why: "stop" }]);
  expect(io.stdout.text).toBe("null\n");
});

test("the request id is sent with the call", async () => {
  let id: string | undefined;
  io.fakeSys.answer("proc.send", (_args, options) => {
    id = options.requestId;
    return { runId: "r" };
  });
  await runs(io, "api", "proc.send", "--request-id", "nightly-1", '{"message":"hi"}');
  expect(id).toBe("nightly-1");
});

const WRONG: [argv: string[], status: number, says: RegExp][] = [
  [["proc.list", '{"colour":1}'], 2, /^gsv: unknown argument "colour"\n {2}valid arguments: uid\n/],
  [["proc.list", '{"__proto__":{}}'], 2, /^gsv: unknown argument "__proto__"/],
  [["proc.list", "{"], 2, /^gsv: the arguments must be one JSON object, not \{\n/],
  [["proc.list", "[]"], 2, /^gsv: the arguments must be an object/],
  [["proc.list", '{"limit":0}'], 2, /^gsv: limit must be a whole number from 1/],
  [["proc.get"], 2, /^gsv: pid is missing/],
  [["proc.get", '{"pid":"nope"}'], 3, /^gsv: no such process: nope/],
  [["proc.lst"], 1, /^gsv: no such syscall: proc\.lst\n {2}did you mean proc\.list/],
  [["__proto__"], 1, /^gsv: no such syscall: __proto__/],
];
test.each(WRONG)("%j is refused before anything is sent", async (argv, status, says) => {
  expect(await runs(io, "api", ...argv)).toBe(status);
  expect(io.stderr.text).toMatch(says);
  expect([io.stdout.text, io.fakeSys.calls]).toEqual(["", []]);
});

test("a refusal of the kernel has the exit status of every command", async () => {
  io.fakeSys.answer("hil.answer", () => {
    throw new SysError("EPERM", "hil.answer is for people: a process may not call it");
  });
  expect(await runs(io, "api", "hil.answer", '{"id":"k3x9","decision":"approve"}', "--json")).toBe(1);
  expect(JSON.parse(io.stderr.text)).toMatchObject({ code: "EPERM", exit: 1 });
});
