// gsv on a terminal: time to the prompt, time from a key to its echo, cost of a streamed answer, and cost of an idle terminal. Read through
// a PTY.

import { Session } from "../../support/session.ts";
import { BINARY, cpuSince, type Floor, Home, Kernel } from "../machine.ts";
import { median, type Row, rowOf, timed } from "../measure.ts";
import { answerRows } from "./terminal-answer.ts";
import { topRows } from "./terminal-top.ts";

const IDLE_MS = 10_000;
/** After work the runtime collects garbage a few times, some seconds apart, and then stops. */
const SETTLE_MS = 30_000;

export async function terminalRows(floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  await home.gsv(["kernel", "start"]);
  const starts = Math.ceil(rounds / 2);
  const [first, usable]: [number[], number[]] = [[], []];
  for (let round = -2; round < starts; round++) {
    const at = await startOnce(home);
    if (round < 0) continue;
    first.push(at.first);
    usable.push(at.usable);
  }
  const least = { value: median(await timed(starts, () => floor.empty())), what: "a Bun binary that prints a line" };
  return [
    rowOf("terminal: prompt painted", first, { floor: least, budget: 40 }),
    rowOf("terminal: all there", usable, {}),
    rowOf("terminal: key to echo", await echoes(home.env(), rounds * 5), { budget: 2 }),
    ...(await answerRows(home)),
    ...(await topRows(home)),
    ...(await idleRows()),
  ];
}

function open(home: Home, model?: string): Session {
  return new Session({ argv: [BINARY], env: home.env(model) });
}

async function startOnce(home: Home): Promise<{ readonly first: number; readonly usable: number }> {
  const start = performance.now();
  await using session = open(home);
  while (session.reads.length === 0) await session.heardMore();
  const first = performance.now() - start;
  await session.until(/^~ {2}init:1000/m);
  return { first, usable: performance.now() - start };
}

/** From the byte of a key to the first byte of its echo. */
export async function echoes(env: { readonly [name: string]: string }, rounds: number): Promise<number[]> {
  await using session = new Session({ argv: [BINARY], env });
  await session.until(/~ {2}init:1000/m);
  await Bun.sleep(300);
  const values: number[] = [];
  for (let round = -20; round < rounds; round++) {
    const before = session.reads.length;
    const start = performance.now();
    session.type(round % 40 === 39 ? "\x15" : "x");
    while (session.reads.length === before) await session.heardMore();
    if (round >= 0) values.push(performance.now() - start);
    await Bun.sleep(5);
  }
  return values;
}

/** In its own home: a kernel that has shown two hundred processes and streamed long answers keeps more memory. */
async function idleRows(): Promise<Row[]> {
  await using home = new Home();
  return await idleIn(home);
}

async function idleIn(home: Home): Promise<Row[]> {
  const kernel = await home.kernel();
  await using session = open(home);
  await session.until(/^~ {2}init:1000/m);
  await Bun.sleep(SETTLE_MS);
  const client = new Kernel(session.process.pid);
  const before = [client.threads(), kernel.threads()] as const;
  await Bun.sleep(IDLE_MS);
  const spent = cpuSince(before[0], client.threads()) + cpuSince(before[1], kernel.threads());
  return [
    // Both run from one file, with its pages in memory once.
    {
      name: "terminal: idle, memory with the kernel",
      unit: "MiB",
      median: client.pssMb() + kernel.pssMb(),
      budget: 100,
    },
    {
      name: "terminal: idle, CPU in a second, with the kernel",
      unit: "ms",
      median: spent / (IDLE_MS / 1000),
      budget: 2,
    },
  ];
}
