// `gsv notify` against a real kernel, in gsv's shell, and as a file.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { TestKernel } from "../support/kernel.ts";
import { typed } from "../support/kernel-io.ts";

let home: TestKernel;

beforeEach(async () => {
  home = await TestKernel.boot();
});
afterEach(() => home[Symbol.asyncDispose]());

const gsv = (...words: string[]) => typed(home.sys, ...words);

test("send, list, read and dismiss", async () => {
  const pid = await home.task();
  const [, id] = await gsv(
    "notify",
    "send",
    "Look at this",
    "The tests fail.",
    "--level",
    "error",
    "--action",
    `open ${pid}`,
  );
  const [, listed] = await gsv("notify", "list");
  expect(listed).toMatch(
    new RegExp(`^${id.trim()} .*error +unread +Look at this +The tests fail\\. +gsv attach ${pid}$`, "m"),
  );
  expect(await gsv("notify", "read", id.trim())).toEqual([0, `read: ${id.trim()}; unread: 0\n`, ""]);
  expect(await gsv("notify", "list", "--unread")).toEqual([0, "", "(no notifications)\n"]);
  expect(await gsv("notify", "dismiss", "--all")).toEqual([0, `dismissed: ${id.trim()}; unread: 0\n`, ""]);
  expect((await gsv("notify", "list", "--dismissed"))[1]).toContain("Look at this");
});

test.each([
  [["read"], 2, "gsv: no notification named"],
  [["read", "zzzzzz"], 3, "gsv: no such notification: zzzzzz"],
  [["send", "x", "--ttl", "1y"], 2, 'gsv: invalid --ttl: "1y"'],
  [["send", "x", "--level", "loud"], 2, "gsv: "],
])("%p is refused in one line", async (words, status, line) => {
  const [exit, , error] = await gsv("notify", ...words);
  expect([exit, error.split("\n")[0]]).toEqual([status, expect.stringContaining(line)]);
});

test("an agent sends from gsv's shell without asking; its file shows only its own", async () => {
  const pid = await home.task();
  await home.sys.call("notify.send", { title: "private words" });
  const command = 'notify send "Tests fail" --level warning > /dev/null; cat /proc/self/notifications';
  home.model.will(pid, { calls: [{ name: "Shell", args: { command } }] });
  await home.say("go", { pid });
  const result = (await home.messages(pid)).find(({ role }) => role === "toolResult");
  expect(JSON.stringify(result)).toContain("Tests fail");
  expect(JSON.stringify(result)).not.toContain("private words");
  expect((await gsv("notify", "list"))[1]).toContain(`${pid}: Tests fail`);
});
