// kill -9 of the kernel in the middle of many calls by four clients: no call fails, and each message is there once, in its sender's order.

import { expect, test } from "bun:test";
import type { Sent } from "../../src/syscalls/services.ts";
import { until, withHome } from "../support/home.ts";
import { seeded } from "../support/random.ts";
import { samples } from "../support/soak.ts";
import { type Acknowledged, HomeBook } from "../support/sound.ts";

const SENDERS = ["alice", "bob", "carol", "dave"];
const CALLS_EACH = samples(8, 50);
const CALLS = SENDERS.length * CALLS_EACH;
/** The shares of finished calls at which a kernel is killed. */
const KILLS_AFTER = [0.025, 0.2, 0.205, 0.6, 0.95];

for (let seed = 1; seed <= samples(1, 20); seed++) {
  test(`seed ${seed}: a kernel killed in the middle of ${CALLS} calls fails none, loses none and carries none out twice`, async () => {
    await withHome(async (home) => {
      const random = seeded(seed);
      const pid = "init:1000";
      const said: Acknowledged[] = [];
      const model = `script:${await home.file("script", [{ text: "heard", repeat: 100_000 }])}`;
      const work = SENDERS.map(async (sender) => {
        const sys = home.sys({ model });
        for (let n = 1; n <= CALLS_EACH; n++) {
          const text = `${sender} ${n}`;
          const { runId } = await sys.call<Sent>("proc.send", { message: text });
          said.push({ pid, runId, text, sender });
        }
      });
      const killer = (async () => {
        for (const part of KILLS_AFTER) {
          const at = Math.floor(part * CALLS) + random.int(1 + CALLS / 25);
          await until(`${at} calls are through`, () => said.length >= at);
          await home.kill();
        }
      })();
      await Promise.all([...work, killer]);
      // Kills that come together find one kernel.
      expect(home.deaths).toBeGreaterThanOrEqual(2);
      await home.sys().call("proc.wait", { pids: [pid] });
      await home.stop();
      const book = new HomeBook(home);
      expect([...book.faults, ...book.missing(said)]).toEqual([]);
      expect(book.records(pid).filter((record) => record.role === "user").length).toBe(said.length);
    });
  }, 120_000);
}

const ROUNDS = samples(4, 15);

test("a kernel that leaves as idle between changing clients fails no call", async () => {
  await withHome(
    async (home) => {
      for (let round = 1; round <= ROUNDS; round++) {
        const sys = home.sys({ seed: round });
        await sys.call("fs.write", { path: `~/${round}`, content: "x" });
        await sys.close();
        // Another moment of its leaving in each round.
        await Bun.sleep(round);
      }
      const { files } = await home.sys({ seed: 99 }).call<{ files: readonly string[] }>("fs.read", { path: "~" });
      expect(files).toHaveLength(ROUNDS);
    },
    { env: { GSV_KERNEL_IDLE_MS: "5" } },
  );
}, 30_000);
