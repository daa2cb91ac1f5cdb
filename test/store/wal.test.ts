// A write-ahead log that was torn off or has a flipped bit: the history is a prefix of the former one, and the process continues from
// there. Nothing else is lost and no caller gets an error.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Message } from "../../src/abi/process/message.ts";
import { seeded } from "../support/random.ts";
import { samples } from "../support/soak.ts";
import { CHECKPOINTED, LOGGED, openStore, PID, send } from "../support/store-child.ts";

const CHILD = join(import.meta.dir, "..", "support", "store-child.ts");
const SAMPLES = samples(30, 200);
const SEED = samples(4711, Date.now() % 2 ** 31);
const MESSAGES_A_ROUND = 4;

let directory = "";
let database: Uint8Array;
let log: Uint8Array;
let whole: readonly Message[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "gsv-wal-"));
  const child = Bun.spawnSync([process.execPath, CHILD, directory, "1", "once"], { env: {} });
  expect(child.signalCode).toBe("SIGKILL");
  database = readFileSync(join(directory, `${PID}.db`));
  log = readFileSync(join(directory, `${PID}.db-wal`));
  whole = (await readBack(database, log)).messages;
  expect(whole).toHaveLength((CHECKPOINTED + LOGGED) * MESSAGES_A_ROUND);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What the next kernel reads, and that it can write after it. */
async function readBack(main: Uint8Array, wal: Uint8Array) {
  const place = join(directory, "again");
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
  writeFileSync(join(place, `${PID}.db`), main);
  writeFileSync(join(place, `${PID}.db-wal`), wal);
  const store = openStore(place, 3);
  try {
    expect(await store.check(PID)).toBeNull();
    await store.adopt(PID, { now: 10 });
    const { messages } = await store.history(PID, { limit: 100_000 });
    const { nextSeq, queued } = await store.head(PID);
    expect(nextSeq).toBe((messages.at(-1)?.id ?? 0) + 1);
    const lastWord = await store.runEnd(PID, "the last one");
    await goesOn(store, nextSeq);
    return { messages, queued, lastWord };
  } finally {
    await store.close();
  }
}

async function goesOn(store: ReturnType<typeof openStore>, nextSeq: number): Promise<void> {
  await send(store, "afterwards");
  const run = await store.claim(PID, { now: 11 });
  if (run === null) throw new Error("the process does not go on");
  if (run.entered.length > 0) expect(run.entered[0]?.id).toBe(nextSeq);
}

function isBeginning(found: readonly Message[]): void {
  expect(found.length).toBeGreaterThanOrEqual(CHECKPOINTED * MESSAGES_A_ROUND);
  expect(found).toEqual(whole.slice(0, found.length));
}

test("an undamaged log has everything, with the message that was acknowledged last", async () => {
  const { messages, lastWord } = await readBack(database, log);
  expect(messages).toEqual([...whole]);
  expect(lastWord).toBe("open");
});

test(`a log torn off anywhere loses a tail and nothing else (${SAMPLES} of 200, seed ${SEED})`, async () => {
  const random = seeded(SEED);
  const lengths = new Set<number>();
  for (let sample = 0; sample < SAMPLES; sample++) {
    const cut = Math.floor(((sample + random.next()) / SAMPLES) * log.length);
    const { messages } = await readBack(database, log.subarray(0, cut));
    isBeginning(messages);
    lengths.add(messages.length);
  }
  expect(lengths.size).toBeGreaterThan(10);
}, 600_000);

test(`a log with a flipped bit loses a tail and nothing else (${SAMPLES} of 200, seed ${SEED})`, async () => {
  const random = seeded(SEED + 1);
  for (let sample = 0; sample < SAMPLES; sample++) {
    const damaged = log.slice();
    const at = Math.floor(((sample + random.next()) / SAMPLES) * log.length);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << random.int(8));
    isBeginning((await readBack(database, damaged)).messages);
  }
}, 600_000);

test("a database without its log is in the state of its last checkpoint", async () => {
  const { messages } = await readBack(database, new Uint8Array());
  expect(messages).toEqual(whole.slice(0, CHECKPOINTED * MESSAGES_A_ROUND));
});
