// Ten minutes of many processes at work (set GSV_SOAK_MINUTES for another time): each gets a message a second while the kernel is killed
// every half minute. Each acknowledged message is answered once, and no kernel takes more memory, handles or log than its predecessors.
// Only in `npm run soak`.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Sys } from "../../src/abi/sys.ts";
import type { Sent, Spawned, WaitResult } from "../../src/syscalls/services.ts";
import { type TestHome, until, withHome } from "../support/home.ts";
import { type Acknowledged, HomeBook } from "../support/sound.ts";

const MINUTES = Number(process.env.GSV_SOAK_MINUTES ?? "10");
const soaks = test.skipIf(process.env.GSV_SOAK !== "1");
const PROCESSES = 20;
const EVERY_MS = 1000;
const KILL_EVERY_MS = 30_000;
/** The extra that later kernels may take: histories have grown, and a runtime frees memory when it likes. */
const GROWTH_MIB_MAX = 40;
const HANDLES_MORE_MAX = 16;
/** For each database: a log is overwritten once it has a thousand pages, and never shrinks while in use. */
const WAL_MIB_MAX = 8;
const SHOWN_MAX = 5;
const LATE_MS = 5 * 60_000;

interface Sample {
  readonly rssMib: number;
  readonly handles: number;
  readonly walMib: number;
}

soaks(
  `${MINUTES} minutes of ${PROCESSES} processes and kernels that are killed answer each message once, and take no more and more`,
  () =>
    withHome(async (home) => {
      const script = await home.file("script.jsonl", [
        { when: "look", calls: [{ name: "Read", args: { path: "~" } }], repeat: 1 },
        { when: "look", text: "answer to {{n}}" },
        { text: "answer to {{last}}", repeat: 1_000_000 },
      ]);
      const sys = home.sys({ model: `script:${script}` });
      const pids: string[] = [];
      for (let at = 0; at < PROCESSES; at++)
        pids.push((await sys.call<Spawned>("proc.spawn", { label: `soak ${at}` })).pid);
      const { samples, acknowledged } = await worked(home, sys, pids);
      for (const pid of pids) await answeredAll(sys, pid);
      await home.stop();
      const last = samples.at(-1);
      process.stderr.write(
        `${acknowledged.length} messages, ${home.deaths} deaths, at last ${last?.rssMib.toFixed(0)} MiB, ${last?.handles} handles, ${last?.walMib.toFixed(1)} MiB of logs\n`,
      );
      judge(home, acknowledged);
      flat(samples);
    }),
);

/** Sends, kills and checks until the time is over. */
async function worked(home: TestHome, sys: Sys, pids: readonly string[]) {
  const samples: Sample[] = [];
  const acknowledged: Acknowledged[] = [];
  const sending: Promise<void>[] = [];
  const end = performance.now() + MINUTES * 60_000;
  let killAt = performance.now() + KILL_EVERY_MS;
  for (let round = 0; performance.now() < end; round++) {
    const next = performance.now() + EVERY_MS;
    sending.push(...pids.map((pid) => send(sys, pid, round, acknowledged)));
    if (performance.now() >= killAt) {
      const sample = sampleOf(home);
      if (sample !== null) samples.push(sample);
      await home.kill();
      killAt = performance.now() + KILL_EVERY_MS;
    }
    await Bun.sleep(Math.max(0, next - performance.now()));
  }
  await Promise.all(sending);
  return { samples, acknowledged };
}

// Most are answered at once; every tenth makes the process use a tool first.
async function send(sys: Sys, pid: string, round: number, acknowledged: Acknowledged[]): Promise<void> {
  const text = `${round % 10 === 9 ? "look" : "say"} ${pid} ${round}`;
  const { runId } = await sys.call<Sent>("proc.send", { pid, message: text });
  acknowledged.push({ pid, runId, text, sender: pid });
}

async function answeredAll(sys: Sys, pid: string): Promise<void> {
  await until(
    `${pid} has answered`,
    async () => {
      const { results } = await sys.call<{ results: WaitResult[] }>("proc.wait", { pids: [pid] });
      return results[0]?.status === "ok";
    },
    LATE_MS,
  );
}

function judge(home: TestHome, acknowledged: readonly Acknowledged[]): void {
  const book = new HomeBook(home);
  expect(book.faults).toEqual([]);
  // Twenty at once may overtake each other on their way; each process's own keep their order.
  expect(book.missing(inOrder(acknowledged)).slice(0, SHOWN_MAX)).toEqual([]);
  expect(acknowledged.filter((each) => !isAnsweredOnce(book, each)).slice(0, SHOWN_MAX)).toEqual([]);
}

/** Its run is over, and its final answer is there once: its own, or that of the run that absorbed it. */
function isAnsweredOnce(book: HomeBook, { pid, runId }: Acknowledged): boolean {
  const { runs, merged } = book.processes.get(pid) ?? { runs: new Map(), merged: new Map() };
  const taker = merged.get(runId) ?? runId;
  const words = answersOf(book, pid);
  return runs.get(runId) === "ok" && runs.get(taker) === "ok" && words.get(taker) === 1;
}

const counted = new Map<string, ReadonlyMap<string, number>>();

/** Number of final answers of each run of a process. */
function answersOf(book: HomeBook, pid: string): ReadonlyMap<string, number> {
  const known = counted.get(pid);
  if (known !== undefined) return known;
  const answers = new Map<string, number>();
  for (const { role, run_id, calls } of book.records(pid))
    if (role === "assistant" && calls.length === 0) answers.set(`${run_id}`, (answers.get(`${run_id}`) ?? 0) + 1);
  counted.set(pid, answers);
  return answers;
}

function inOrder(acknowledged: readonly Acknowledged[]): readonly Acknowledged[] {
  const roundOf = ({ text }: Acknowledged) => Number(text.split(" ")[2]);
  return acknowledged.toSorted((left, right) => roundOf(left) - roundOf(right));
}

/** The kernels of the last third take as much as those of the first. */
function flat(samples: readonly Sample[]): void {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return;
  const most = (part: readonly Sample[], of: (sample: Sample) => number) => Math.max(...part.map(of));
  const [early, late] = [samples.slice(0, third), samples.slice(-third)];
  expect(most(late, ({ rssMib }) => rssMib) - most(early, ({ rssMib }) => rssMib)).toBeLessThan(GROWTH_MIB_MAX);
  expect(most(late, ({ handles }) => handles) - most(early, ({ handles }) => handles)).toBeLessThan(HANDLES_MORE_MAX);
  expect(most(samples, ({ walMib }) => walMib)).toBeLessThan(WAL_MIB_MAX * (PROCESSES + 1));
}

/** The current kernel's use of resources; null if there is no kernel, or no way to measure. */
function sampleOf({ holder, paths }: TestHome): Sample | null {
  try {
    const status = readFileSync(`/proc/${holder}/status`, "utf8");
    const logs = ["kernel.db-wal", ...readdirSync(paths.procDir).filter((name) => name.endsWith("-wal"))];
    const bytes = logs.map((name) => sizeOf(join(name === "kernel.db-wal" ? paths.home : paths.procDir, name)));
    return {
      rssMib: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
      handles: readdirSync(`/proc/${holder}/fd`).length,
      walMib: bytes.reduce((sum, each) => sum + each, 0) / 2 ** 20,
    };
  } catch {
    return null;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
