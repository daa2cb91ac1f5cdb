// Messages that a script of an agent sends: to its own processes freely, to others only with approval.

import { expect, test } from "bun:test";
import { Desk, why } from "../support/desk.ts";

const texts = async (desk: Desk, pid: string) => JSON.stringify(await desk.home.messages(pid));

test("a message to a process asks with the command, and is sent once approved", async () => {
  await using desk = await Desk.at({ cwd: "/" });
  const pid = await desk.home.task();
  const command = `send --pid ${pid} 'sell everything'`;
  const asked = await desk.calls("Shell", { command });
  expect(why(asked)).toBe(`run in gsv: ${command}`);
  expect(await texts(desk, pid)).toBe("[]");
  expect(await desk.answers(asked)).toContain("(exit status 0)");
  await desk.home.quiet();
  expect(await texts(desk, pid)).toContain("sell everything");
});

test("a hidden message to a process is refused when it is sent", async () => {
  await using desk = await Desk.at({ cwd: "/" });
  const pid = await desk.home.task();
  for (const command of [`a=sen; "$a"d --pid ${pid} hello`, `a=send; proc "$a" --pid ${pid} hello`])
    expect(why(await desk.calls("Shell", { command }))).toContain(
      "a message to another process needs the user's approval, which a script cannot request",
    );
  await desk.home.quiet();
  expect(await texts(desk, pid)).toBe("[]");
});

test("a script messages the processes that it started", async () => {
  await using desk = await Desk.at({ cwd: "/" });
  const command = 'pid=$(spawn --label helper); a=sen; "$a"d --pid "$pid" hello > /tmp/run; echo "$? $pid"';
  const told = String(await desk.calls("Shell", { command }));
  expect(told).toMatch(/^0 task:\w+\n\(exit status 0\)$/);
  await desk.home.quiet();
  expect(await texts(desk, told.slice(2).split("\n")[0] ?? "")).toContain("hello");
});
