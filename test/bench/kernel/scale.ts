// A large home: 1,000 processes with 100,000 messages, a fifth of them in one process. gsv creates the processes; the old messages are
// inserted into the databases while no kernel runs.

import { join } from "node:path";
import { Db } from "../../../src/store/open.ts";
import { type Floor, Home } from "../machine.ts";
import { median, type Row, rowOf, timedAgainst } from "../measure.ts";
import { sendTimes } from "./send.ts";

const PROCESSES = 1000;
const MESSAGES_EACH = 80;
const MESSAGES_IN_THE_LONG_ONE = 20_080;

export async function scaleRows(floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  const pids = await spawnMany(home, PROCESSES - 1);
  await home.stopKernel();
  const [long, ...others] = pids;
  if (long === undefined || others[0] === undefined) throw new Error("no processes were made");
  for (const pid of others) fill(home, pid, MESSAGES_EACH);
  fill(home, long, MESSAGES_IN_THE_LONG_ONE);

  const list = () => home.gsv(["proc", "list"]);
  const cold = await timedAgainst(rounds, () => floor.empty(), list);
  const kernel = await home.kernel();
  const warm = await timedAgainst(rounds, () => floor.empty(), list);
  const short = await sendTimes(home, others[0], 200);
  const intoLong = await sendTimes(home, long, 200);
  for (const pid of others.slice(0, 200)) await home.gsv(["proc", "history", "--pid", pid, "--limit", "10"]);
  const what = "an empty Bun binary";
  return [
    rowOf("1,000 processes: list, no kernel", cold.values, { floor: { value: cold.floor, what }, budget: 15 }),
    rowOf("1,000 processes: list, kernel up", warm.values, { floor: { value: warm.floor, what }, budget: 15 }),
    { name: "1,000 processes: memory of the kernel", unit: "MiB", median: kernel.rssMb(), budget: 120 },
    rowOf("send into a history of 20,000 messages", intoLong, {
      floor: { value: median(short), what: "the same into a history of 80" },
      budget: median(short) * 1.2 + 0.1,
    }),
  ];
}

export async function spawnMany(home: Home, count: number): Promise<string[]> {
  await home.kernel();
  using link = await home.dial();
  const pids: string[] = [];
  for (let index = 0; index < count; index++) {
    const label = `task number ${index}`;
    const spawned = (await link.call("proc.spawn", { label }, { requestId: `spawn-${index}` })) as { pid: string };
    pids.push(spawned.pid);
  }
  return pids;
}

export function fill(home: Home, pid: string, messages: number): void {
  const db = new Db(join(home.path, "proc", `${pid}.db`), { mode: "write" });
  try {
    db.write("normal", () => {
      for (let id = 1; id <= messages; id++) {
        const role = id % 2 === 1 ? "user" : "assistant";
        const text = `message ${id}: ${"some words that were said once, ".repeat(4)}`;
        db.run(
          "INSERT INTO messages (id, generation, role, content, run_id, created_at) VALUES (?, 1, ?, ?, NULL, ?)",
          id,
          role,
          text,
          1_700_000_000_000 + id,
        );
      }
      db.run("INSERT OR REPLACE INTO process_kv (key, value) VALUES ('next_seq', ?)", String(messages + 1));
    });
  } finally {
    db.close();
  }
}
