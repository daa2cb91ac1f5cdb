// kill -9 at random, again and again, over a run of many turns with three tools each, while two people send messages.

import { expect, test } from "bun:test";
import type { Sys } from "../../src/abi/sys.ts";
import type { Sent, Spawned } from "../../src/syscalls/services.ts";
import type { CrashPlan } from "../support/crash.ts";
import { type TestHome, withHome } from "../support/home.ts";
import { type Random, seeded } from "../support/random.ts";
import { samples } from "../support/soak.ts";
import { type Acknowledged, HomeBook } from "../support/sound.ts";
import { faultsAfter, settle, TALLY } from "./life.ts";

const TURNS = samples(8, 20);
const KILLS = samples(7, 20);

const SCRIPT = [
  {
    repeat: TURNS,
    // Long enough for people to send something while a kernel lives.
    delayMs: 10,
    calls: [
      { name: "Edit", args: { path: TALLY, oldString: "|", newString: "{{n}} |" } },
      { name: "Read", args: { path: TALLY } },
      { name: "Write", args: { path: "~/w-{{n}}", content: "written" } },
    ],
  },
  { text: "answer {{n}}", repeat: 100_000 },
];

/** Plans for kernels until enough of them have died. Every other life is a long one, so that a run makes progress. */
function deaths(home: TestHome, random: Random): () => CrashPlan {
  const stored = home.beside("stored");
  return () => {
    if (home.deaths >= KILLS) return { stored };
    const seams = home.deaths % 2 === 0 ? 10 + random.int(150) : 80 + random.int(80);
    return { stored, dieAfter: { seams, how: random.pick(["there", "soon"] as const) } };
  };
}

async function talk(home: TestHome, sys: Sys, pid: string, sender: string): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = [];
  const isOver = () => home.deaths >= KILLS && acknowledged.length >= TURNS / 2;
  for (let n = 1; !isOver(); n++) {
    const text = `${sender} ${n}`;
    const sent = await sys.call<Sent>("proc.send", { pid, message: text });
    acknowledged.push({ pid, runId: sent.runId, text, sender });
    await sys.call("proc.history", { pid, limit: 1 });
  }
  return acknowledged;
}

for (let round = 1; round <= samples(1, 25); round++) {
  test(`seed ${round}: ${KILLS} random kills lose no message, keep the order, repeat no effect`, async () => {
    await withHome(async (home) => {
      const random = seeded(round);
      home.plan = deaths(home, random);
      const model = `script:${await home.file("run.script", SCRIPT)}`;
      const [alice, bob] = [home.sys({ model }), home.sys({ model })];
      await alice.call("fs.write", { path: TALLY, content: "|" });
      const { pid, runId } = await alice.call<Spawned>("proc.spawn", { prompt: "go" });
      const said = await Promise.all([talk(home, alice, pid, "alice"), talk(home, bob, pid, "bob")]);
      const last = await settle(alice, pid);
      expect([last.status, last.error]).toEqual(["ok", null]);
      await home.stop();
      const first = { pid, runId: runId ?? "", text: "go", sender: "alice" };
      expect(faultsAfter(home, { pid, acknowledged: [first, ...said.flat()] }, home.beside("stored"))).toEqual([]);
      const calls = new HomeBook(home).records(pid).flatMap((record) => record.calls);
      expect(calls.length).toBe(3 * TURNS);
    });
  }, 120_000);
}
