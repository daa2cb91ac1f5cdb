// How costs grow: each row is one cost at several sizes, and its value is the exponent of the fitted power law. 0 is flat, 1 is linear.
// GSV_SOAK=1 adds the largest size of each series.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Session } from "../../support/session.ts";
import { BINARY, type Floor, Home, Kernel, program } from "../machine.ts";
import { median, type Row, timed } from "../measure.ts";
import { fill, spawnMany } from "./scale.ts";
import { sendTimes } from "./send.ts";

const EXPONENT_MAX = 0.2;
const isLong = process.env.GSV_SOAK === "1";
const MESSAGES = [100, 1000, 10_000, ...(isLong ? [100_000] : [])];
/** An account may have 10,000, with those that a row starts. */
const PROCESSES = [10, 100, 1000, ...(isLong ? [9900] : [])];
const FILES = [1000, 10_000, ...(isLong ? [100_000] : [])];
const OBJECTS = [100, 1000, ...(isLong ? [10_000] : [])];
const ARCHIVES = [10, 100, ...(isLong ? [1000] : [])];
const IDLE_MS = 3000;
const TOP_MS = isLong ? 60_000 : 5000;
/** These show each thing once. */
const LINEAR = new Set(["all processes listed", "first edit in a workspace, with its first checkpoint"]);

/** Milliseconds by size. */
type Costs = Map<number, number>;
type Series = Map<string, Costs>;

export async function growthRows(_floor: Floor, rounds: number): Promise<Row[]> {
  const few = Math.min(rounds, 15);
  return [
    ...rowsOf("messages", await historyCosts(few)),
    ...rowsOf("processes", await processCosts(few)),
    ...rowsOf("files", await fileCosts(few)),
    ...rowsOf("objects", await objectCosts(few)),
    ...rowsOf("archives", await archiveCosts(few)),
  ];
}

function rowsOf(what: string, series: Series): Row[] {
  return [...series].map(([name, costs]) => ({
    name: `${name}, by ${what}`,
    unit: "exponent",
    median: exponentOf(costs),
    ...(LINEAR.has(name) ? {} : { budget: EXPONENT_MAX }),
    note: [...costs].map(([size, ms]) => `${size}: ${ms.toFixed(ms < 10 ? 2 : 0)} ms`).join("  "),
  }));
}

/** The slope of the line through the logarithms. Costs below a tenth of a millisecond count as that. */
export function exponentOf(costs: ReadonlyMap<number, number>): number {
  const points = [...costs].map(([size, ms]) => [Math.log(size), Math.log(Math.max(ms, 0.1))] as const);
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const over = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  return over / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
}

function note(series: Series, name: string, size: number, ms: number): void {
  series.set(name, (series.get(name) ?? new Map()).set(size, ms));
}

async function historyCosts(rounds: number): Promise<Series> {
  // A scripted model reads the whole history to find its line; a model server gets what fits its window.
  await using model = await program(`${import.meta.dir}/../terminal/token-server.ts`);
  await using home = new Home({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: `http://127.0.0.1:${model.port}` });
  const series: Series = new Map();
  const pids = await spawnMany(home, MESSAGES.length);
  await home.stopKernel();
  for (const [at, pid] of pids.entries()) fill(home, pid, MESSAGES[at] ?? 0);
  await home.kernel();
  for (const [at, pid] of pids.entries()) {
    const size = MESSAGES[at] ?? 0;
    const of = async (name: string, body: () => Promise<unknown>) =>
      note(series, name, size, median(await timed(rounds, body)));
    note(series, "attached, newest message painted", size, await attachedMs(home, pid, `message ${size}:`));
    await of("newest page of a history", () => home.gsv(["proc", "history", "--pid", pid, "--limit", "10"]));
    await of("chat, from exec to exit", () => home.gsv(["chat", "--pid", pid, "hello"], "openai/m"));
    note(series, "message admitted", size, median(await sendTimes(home, pid, rounds * 10)));
  }
  return series;
}

async function processCosts(rounds: number): Promise<Series> {
  const series: Series = new Map();
  for (const size of PROCESSES) {
    await using home = new Home();
    await spawnMany(home, size);
    const of = async (name: string, body: () => Promise<unknown>) =>
      note(series, name, size, median(await timed(rounds, body)));
    await of("all processes listed", () => home.gsv(["ps"]));
    await of("one process shown", () => home.gsv(["proc", "get", "init:1000"]));
    await of("process spawned, from exec to exit", () => home.gsv(["spawn", "--label", "one more"]));
    const starts: number[] = [];
    for (let round = 0; round < Math.ceil(rounds / 3); round++) {
      await home.stopKernel();
      starts.push((await home.gsv(["kernel", "start"])).ms);
    }
    note(series, "kernel started", size, median(starts));
    const kernel = await home.kernel();
    await Bun.sleep(IDLE_MS);
    const before = kernel.cpuMs();
    await Bun.sleep(IDLE_MS);
    note(series, `kernel at rest for ${IDLE_MS / 1000} s, CPU`, size, kernel.cpuMs() - before);
    note(series, `top for ${TOP_MS / 1000} s, CPU of terminal and kernel`, size, await topCpuMs(home, kernel));
  }
  return series;
}

async function attachedMs(home: Home, pid: string, text: string): Promise<number> {
  const values = await timed(3, async () => {
    await using session = new Session({ argv: [BINARY, "attach", pid], env: home.env() });
    await session.until((shown) => shown.includes(text));
  });
  return median(values);
}

async function topCpuMs(home: Home, kernel: Kernel): Promise<number> {
  await using session = new Session({ argv: [BINARY], env: home.env() });
  await session.until(/^~ {2}init:1000/m);
  session.type("\x14");
  await session.until(/\d+ processes/);
  await Bun.sleep(IDLE_MS);
  const both = [kernel, new Kernel(session.process.pid)];
  const before = both.map((each) => each.cpuMs());
  await Bun.sleep(TOP_MS);
  return both.reduce((sum, each, at) => sum + each.cpuMs() - (before[at] ?? 0), 0);
}

async function fileCosts(rounds: number): Promise<Series> {
  const series: Series = new Map();
  for (const size of FILES) {
    await using home = new Home();
    const directory = home.beside("project");
    for (let at = 0; at < size; at++) {
      const folder = join(directory, `d${Math.floor(at / 100)}`);
      if (at % 100 === 0) mkdirSync(folder);
      writeFileSync(join(folder, `f${at}.txt`), `file ${at}\n`);
    }
    // An undone file would have to be read again first.
    const write = (round: number) => ({ path: `d0/f${round}.txt`, content: "changed\n", target: "host" });
    const turns = Array.from({ length: rounds }, (_, round) => [
      { calls: [{ name: "Write", args: write(round) }] },
      { text: "done" },
    ]);
    const edit = home.script("edit", turns.flat());
    const flags = ["--workspace", directory, "--mode", "accept-edits"];
    const pid = (await home.gsv(["spawn", ...flags], edit)).stdout.trim();
    const [first, undone]: [number[], number[]] = [[], []];
    for (let round = 0; round < Math.ceil(rounds / 3); round++) {
      first.push((await home.gsv(["chat", "--pid", pid, "edit"], edit)).ms);
      undone.push((await home.gsv(["undo", pid])).ms);
    }
    note(series, "first edit in a workspace, with its first checkpoint", size, first[0] ?? 0);
    note(series, "edit with its checkpoint", size, median(first.slice(1)));
    note(series, "undo of an edit", size, median(undone));
  }
  return series;
}

async function objectCosts(rounds: number): Promise<Series> {
  const series: Series = new Map();
  for (const size of OBJECTS) {
    await using home = new Home();
    await home.kernel();
    using link = await home.dial();
    const put = (path: string) =>
      link.call("fs.write", { path, content: "some text\n" }, { requestId: crypto.randomUUID() });
    for (let at = 0; at < size; at++) await put(`~/many/${at % 100}/${at}.txt`);
    const of = async (name: string, body: (round: number) => Promise<unknown>) =>
      note(series, name, size, median(await timed(rounds, body)));
    await of("file written", (round) => put(`~/many/1/more-${round}.txt`));
    await of("file read", () => link.call("fs.read", { path: "~/many/1/1.txt" }));
    await of("directory of other files listed", () => link.call("fs.list", { path: "~" }));
  }
  return series;
}

async function archiveCosts(rounds: number): Promise<Series> {
  const series: Series = new Map();
  for (const size of ARCHIVES) {
    await using home = new Home();
    const [pid = ""] = await spawnMany(home, 1);
    using link = await home.dial();
    const reset = async () => {
      await link.call("proc.send", { pid, message: "hello" }, { requestId: crypto.randomUUID() });
      await link.call("proc.wait", { pids: [pid] });
      await link.call("proc.reset", { pid }, { requestId: crypto.randomUUID() });
    };
    for (let at = 0; at < size; at++) await reset();
    const of = async (name: string, body: () => Promise<unknown>) =>
      note(series, name, size, median(await timed(rounds, body)));
    await of("message, answer and reset", reset);
    await of("newest page of a process with archives", () =>
      home.gsv(["proc", "history", "--pid", pid, "--limit", "10"]),
    );
  }
  return series;
}
