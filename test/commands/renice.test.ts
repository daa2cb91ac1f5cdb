// `gsv renice`: the forms of Unix, negative numbers, several processes.

import { beforeEach, expect, test } from "bun:test";
import { SysError } from "../../src/abi/errno.ts";
import { FakeIo, runs } from "../support/io.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
  io.fakeSys.answer("proc.nice", ({ pid, nice }: { pid: string; nice: string }) => {
    if (pid === "task:gone") throw new SysError("ESRCH", "no such process: task:gone");
    return { pid, nice: Number(nice) };
  });
});

const ways: [args: string[], nice: string][] = [
  [["5", "task:a"], "5"],
  [["-5", "task:a"], "-5"],
  [["+5", "task:a"], "+5"],
  [["-n", "5", "task:a"], "5"],
  [["-n", "-5", "task:a"], "-5"],
  [["-n", "5", "-p", "task:a"], "5"],
  [["5", "-p", "task:a"], "5"],
];
test.each(ways)("%j sets %s", async (args, nice) => {
  expect(await runs(io, "renice", ...args)).toBe(0);
  expect(io.fakeSys.asked("proc.nice")).toEqual([{ pid: "task:a", nice }]);
  expect(io.stdout.text).toBe(`${Number(nice)}\n`);
});

test.each([[[]], [["5"]], [["task:a"]], [["-n"]], [["-n", "5"]], [["-5", "-6", "task:a"]]])(
  "%j is refused, and nothing is set",
  async (args: string[]) => {
    expect(await runs(io, "renice", ...args)).toBe(2);
    expect(io.fakeSys.calls).toEqual([]);
  },
);

test("every process is tried, and the status is that of the failed one", async () => {
  expect(await runs(io, "renice", "5", "task:a", "task:gone", "task:b")).toBe(3);
  expect(io.fakeSys.asked("proc.nice")).toHaveLength(3);
  expect(io.stderr.text).toContain("no such process: task:gone");
});
