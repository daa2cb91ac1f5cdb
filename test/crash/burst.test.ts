// Many invocations of gsv, fifty in a soak, started at the same moment, on a home that does not exist yet and on one with the socket of
// a killed kernel: they agree on one kernel, and it serves them all.

import { expect, test } from "bun:test";
import type { Message } from "../../src/abi/process/message.ts";
import type { KernelStatus } from "../../src/syscalls/services.ts";
import { jsonLines, type TestHome, withHome } from "../support/home.ts";
import { isCompiled } from "../support/program.ts";
import { samples } from "../support/soak.ts";

// From source each one compiles, too; then fewer start at once.
const AT_ONCE = samples(isCompiled() ? 20 : 12, 50);
const ROUNDS = samples(1, 20);

async function burst(home: TestHome, name: string): Promise<string[]> {
  // The provider does not matter here.
  const env = { GSV_MODEL: `script:${await home.file("script", [{ text: "heard", repeat: 1000 }])}` };
  const messages = Array.from({ length: AT_ONCE }, (_, n) => `${name} ${n}`);
  const all = await Promise.all(messages.map((message) => home.gsv(["send", message], { env })));
  expect(all.filter((ran) => ran.status !== 0)).toEqual([]);
  expect(new Set(all.map((ran) => ran.stdout)).size).toBe(AT_ONCE);
  return messages;
}

/** Number of kernels so far, by the count that each raises at its start. */
async function kernelsOf(home: TestHome): Promise<number> {
  const { stdout } = await home.gsv(["kernel", "status", "--json"]);
  return (JSON.parse(stdout) as KernelStatus).generation;
}

async function said(home: TestHome): Promise<string[]> {
  await home.gsv(["wait", "init:1000"]);
  const { stdout } = await home.gsv(["proc", "history", "--limit", "500", "--json"]);
  const messages = jsonLines<Message>(stdout);
  return messages.flatMap((message) => (message.role === "user" ? [message.content] : [])).sort();
}

for (let round = 1; round <= ROUNDS; round++) {
  test(`round ${round}: ${AT_ONCE} invocations at once make one kernel on an empty home, and one on a stale socket`, async () => {
    await withHome(async (home) => {
      const first = await burst(home, "empty");
      expect(await kernelsOf(home)).toBe(1);
      await home.kill();
      const second = await burst(home, "stale");
      expect(await kernelsOf(home)).toBe(2);
      expect(await said(home)).toEqual([...first, ...second].sort());
    });
  }, 120_000);
}
