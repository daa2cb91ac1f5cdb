// A durable send: the cost of one stored message, compared with one FULL commit of SQLite on the same disk.

import { join } from "node:path";
import { realClock } from "../../../src/lib/clock.ts";
import { Db } from "../../../src/store/open.ts";
import { sqliteProcessStore } from "../../../src/store/process/sqlite.ts";
import { type Floor, Home } from "../machine.ts";
import { median, type Row, rowOf, timed } from "../measure.ts";

const MESSAGE = "a message of ordinary length, as a person would type it at the end of a day, ".repeat(6);
const SENDS = 300;
// A growing write-ahead log is slower than one that was written through once, by about a thousand pages.
const COMMITS_TO_WARM_UP = 1200;
const SENDS_TO_WARM_UP = 200;

export async function sendRows(_floor: Floor): Promise<Row[]> {
  await using home = new Home();
  const floor = { value: median(await commits(home.beside("plain"))), what: "one FULL commit" };
  return [
    rowOf("send, admitted in process", await admissions(home.beside("store")), { floor, budget: floor.value + 1 }),
    rowOf("send, acknowledged over the socket", await sends(home), { floor, budget: floor.value + 2 }),
  ];
}

async function commits(directory: string): Promise<number[]> {
  const db = new Db(join(directory, "floor.db"), { mode: "create" });
  try {
    db.writeAhead();
    db.writeAhead();
    db.script("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT");
    const insert = async () => db.write("full", () => db.run("INSERT INTO rows (text) VALUES (?)", MESSAGE));
    return await timed(SENDS, insert, COMMITS_TO_WARM_UP);
  } finally {
    db.close();
  }
}

async function admissions(directory: string): Promise<number[]> {
  const now = realClock.now;
  const store = sqliteProcessStore({ directory, quarantine: directory, mode: "write", now, kernelGeneration: 1 });
  try {
    await store.create("task:bench1", { profile: "task", identity: {}, now: now() });
    await store.adopt("task:bench1", { now: now() });
    const admit = async (round: number) => {
      const admitted = await store.admit("task:bench1", {
        kind: "user",
        runId: `run-${round}`,
        wakes: true,
        urgent: false,
        text: MESSAGE,
        origin: { kind: "kernel" },
        source: null,
        requestKey: `bench-${round}`,
        now: now(),
      });
      if (!admitted.ok) throw new Error(`not admitted: ${admitted.why}`);
    };
    return await timed(SENDS, admit, SENDS_TO_WARM_UP);
  } finally {
    await store.close();
  }
}

async function sends(home: Home): Promise<number[]> {
  await home.kernel();
  const pid = (await home.gsv(["proc", "spawn", "--label", "bench"])).stdout.trim();
  return await sendTimes(home, pid, SENDS);
}

/** Times of sends to a held process: the message is accepted and acknowledged, and no run disturbs the next one. */
export async function sendTimes(home: Home, pid: string, rounds: number): Promise<number[]> {
  using link = await home.dial();
  await link.call("proc.signal", { pid, signal: "STOP" }, { requestId: `stop-${pid}` });
  const send = (round: number) =>
    link.call("proc.send", { pid, message: MESSAGE }, { requestId: `bench-${pid}-${round}` });
  return await timed(rounds, send, SENDS_TO_WARM_UP);
}
