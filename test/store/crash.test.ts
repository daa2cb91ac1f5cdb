// kill -9 of a process that writes as fast as it can: every acknowledged write is there afterwards, whole and in order, and the
// next process continues.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "../../src/abi/process/message.ts";
import { linesOf } from "../../src/lib/text/lines.ts";
import type { ProcessStore } from "../../src/store/process/verbs.ts";
import { seeded } from "../support/random.ts";
import { samples } from "../support/soak.ts";
import { openStore, PID } from "../support/store-child.ts";

const CHILD = join(import.meta.dir, "..", "support", "store-child.ts");
const ROUNDS = samples(10, 200);
const SEED = samples(99, Date.now() % 2 ** 31);
const DEADLINE_MS = 20_000;

/** Lets a child write until it has reported so many lines, then kills it; returns all reported lines. */
async function tellUntilKilled(directory: string, kernelGeneration: number, lines: number): Promise<string[]> {
  const child = Bun.spawn([process.execPath, CHILD, directory, String(kernelGeneration), "forever"], {
    env: {},
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  const told: string[] = [];
  for await (const line of linesOf(child.stdout)) {
    told.push(line);
    if (told.length === lines) child.kill("SIGKILL");
  }
  clearTimeout(deadline);
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  expect(told.length).toBeGreaterThanOrEqual(lines);
  return told;
}

const named = (told: readonly string[], kind: string) =>
  told.flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));

async function everythingToldIsThere(store: ProcessStore, told: readonly string[], messages: readonly Message[]) {
  const numbers = messages.map((message) => message.id);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  for (const seq of named(told, "seq")) expect(numbers).toContain(Number(seq));
  for (const runId of named(told, "end")) expect(await store.runEnd(PID, runId)).toMatchObject({ status: "ok" });
  for (const runId of named(told, "sent")) expect(await store.runEnd(PID, runId)).not.toBeNull();
  // Messages entered in the order they were sent; the others wait behind them.
  const sent = named(told, "sent");
  const entered = messages.flatMap((message) => (message.role === "user" ? [message.content] : []));
  expect(entered.filter((name) => sent.includes(name))).toEqual(sent.filter((name) => entered.includes(name)));
  const missing = sent.filter((name) => !entered.includes(name));
  expect(missing).toEqual(sent.slice(sent.length - missing.length));
}

test(
  `after ${ROUNDS} times kill -9 nothing acknowledged is lost, nothing runs twice, and the file is whole (seed ${SEED})`,
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "gsv-crash-"));
    const random = seeded(SEED);
    const told: string[] = [];
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        told.push(...(await tellUntilKilled(directory, round, 20 + random.int(120))));
        const store = openStore(directory, round, "read");
        try {
          expect(await store.check(PID)).toBeNull();
          await everythingToldIsThere(store, told, (await store.history(PID, { limit: 1_000_000 })).messages);
        } finally {
          await store.close();
        }
      }
      const begun = named(told, "begun");
      expect(begun).toEqual([...new Set(begun)]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
  samples(60_000, 1_800_000),
);
