// `gsv logs -f`: prints each message of a process once and in order, though the kernel is killed meanwhile; ctrl-c and
// the end of the process end it.

import { expect, test } from "bun:test";
import { type TestHome, until, withHome } from "../support/home.ts";
import { gsvCommand } from "../support/program.ts";

function follow(home: TestHome, ...args: string[]) {
  const child = Bun.spawn([...gsvCommand(), "logs", "-f", ...args], {
    env: home.env,
    ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  });
  let told = "";
  const reading = (async () => {
    for await (const piece of child.stdout) told += Buffer.from(piece).toString();
  })();
  return {
    child,
    shows: (text: string) => until(`${text} is told`, () => told.includes(text)),
    async end() {
      const [status, stderr] = await Promise.all([child.exited, child.stderr.text(), reading]);
      return { status, stderr, told };
    },
  };
}

test("messages are printed once, also after the kernel was killed, and ctrl-c ends the log with 130", async () => {
  await withHome(async (home) => {
    await home.gsv(["chat", "before"]);
    const logs = follow(home, "--limit", "2");
    await logs.shows("user: before");
    await home.gsv(["send", "while it runs"]);
    await logs.shows("user: while it runs");
    await home.kill();
    await home.gsv(["send", "after its death"]);
    await logs.shows("user: after its death");
    logs.child.kill("SIGINT");
    const { status, told } = await logs.end();
    expect(status).toBe(130);
    expect([...told.matchAll(/user: (.*)/g)].map(([, text]) => text)).toEqual([
      "before",
      "while it runs",
      "after its death",
    ]);
  });
}, 60_000);

test("the end of the process ends the log, and a missing process cannot be followed", async () => {
  await withHome(async (home) => {
    const pid = (await home.gsv(["spawn"])).stdout.trim();
    await home.gsv(["send", "--pid", pid, "hello"]);
    const logs = follow(home, pid, "--json");
    await logs.shows('"content":"hello"');
    await home.gsv(["kill", pid]);
    const { status, stderr } = await logs.end();
    expect({ status, stderr }).toEqual({ status: 0, stderr: `gsv: ${pid} has ended\n` });
    expect((await home.gsv(["logs", "-f", pid])).status).toBe(3);
  });
}, 60_000);
