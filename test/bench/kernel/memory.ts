// Memory of a kernel: after heavy tasks once it is idle, and while one task has a large result or a large file. GSV_SOAK=1 adds the longest
// series.

import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Home, type Kernel } from "../machine.ts";
import type { Row } from "../measure.ts";

const TASKS = [40, 160, ...(process.env.GSV_SOAK === "1" ? [1600] : [])];
const CALLS = 20;
const CALLS_EACH_TURN = 5;
const AT_ONCE = 4;
const REST_MS = 60_000;
const SETTLE_MS = 15_000;
const KERNEL_MIB = 120;
const ONE_TASK_MIB = 60;
/** What a kernel keeps of work that it has done once, such as its code. */
const NOTHING_MIB = 5;
const FILE_BYTES = 200_000_000;

type Call = { readonly name: string; readonly args: object };
type Link = Awaited<ReturnType<Home["dial"]>>;

export async function memoryRows(): Promise<Row[]> {
  return [...(await tasksRows()), ...(await largeRows())];
}

/** Each task makes 20 tool calls with results of 5 KB and says 5,000 tokens. */
async function tasksRows(): Promise<Row[]> {
  await using home = new Home();
  const file = join(home.directory, "read.txt");
  writeFileSync(file, `${"x".repeat(49)}\n`.repeat(120));
  const calls = Array.from({ length: CALLS }, (_, at) => read({ path: "~/read.txt", limit: 100 - at }));
  const turns = Array.from({ length: CALLS / CALLS_EACH_TURN }, (_, turn) => ({
    calls: calls.slice(turn * CALLS_EACH_TURN, (turn + 1) * CALLS_EACH_TURN),
  }));
  const model = home.script("heavy", [...turns, { text: "word ".repeat(5000), chunk: 5 }]);
  const kernel = await home.kernel();
  await home.gsv(["config", "set", "ai.model", model]);
  await home.gsv(["cp", `host:${file}`, "~/read.txt"]);
  const rows: Row[] = [];
  let done = 0;
  for (const count of TASKS) {
    using link = await home.dial();
    for (; done < count; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, () => task(link)));
    await Bun.sleep(REST_MS);
    const name = `memory: kernel after ${count} heavy tasks, idle for ${REST_MS / 1000} s`;
    rows.push({ name, unit: "MiB", median: kernel.rssMb(), budget: KERNEL_MIB });
  }
  return rows;
}

async function largeRows(): Promise<Row[]> {
  await using home = new Home();
  const directory = home.beside("project");
  writeFileSync(join(directory, "small.txt"), "small\n");
  const file = join(directory, "large.txt");
  largeFile(file);
  const rows: Row[] = [];
  for (const [name, call] of Object.entries(largeWork(file))) {
    await home.stopKernel();
    const model = home.script("large", [{ calls: [call] }, { text: "done", repeat: 5 }]);
    const kernel = await home.kernel();
    await home.gsv(["config", "set", "ai.model", model]);
    using link = await home.dial();
    // Loads the code.
    await task(link, { model: "offline" }).catch(() => {});
    rows.push(...(await peakOf(name, kernel, () => task(link, { workspace: directory }))));
  }
  return rows;
}

function read(args: object): Call {
  return { name: "Read", args };
}

function largeWork(path: string): { readonly [name: string]: Call } {
  const shell = (command: string, target: string) => ({ name: "Shell", args: { command, target } });
  return {
    "output of 50 MB on this computer": shell("seq 1 6500000", "host"),
    "output of 50 MB in gsv's shell": shell("seq 1 6500000", "gsv"),
    "read in a file of 200 MB": read({ path, offset: 100, limit: 50, target: "host" }),
    "search in a file of 200 MB": { name: "Search", args: { query: "needle", path, target: "host" } },
    "cat of a file of 200 MB": shell(`cat ${path} | tail -n 3`, "host"),
    "edit beside a file of 200 MB": {
      name: "Write",
      args: { path: "small.txt", content: "changed\n", target: "host" },
    },
  };
}

async function peakOf(name: string, kernel: Kernel, work: () => Promise<unknown>): Promise<Row[]> {
  await Bun.sleep(SETTLE_MS);
  const before = kernel.rssMb();
  kernel.resetPeak();
  await work();
  const peak = kernel.peakMb();
  await Bun.sleep(REST_MS);
  const after = kernel.rssMb();
  return [
    { name: `memory: ${name}, while it works`, unit: "MiB", median: peak - before, budget: ONE_TASK_MIB },
    { name: `memory: ${name}, afterwards`, unit: "MiB", median: after - before, budget: NOTHING_MIB },
  ];
}

async function task(link: Link, options: object = {}): Promise<void> {
  const call = (name: string, args: object) => link.call(name, args, { requestId: crypto.randomUUID() });
  const { pid } = (await call("proc.spawn", { prompt: "go", mode: "accept-edits", ...options })) as { pid: string };
  const waited = async () => (await link.call("proc.wait", { pids: [pid] })) as { readonly results: readonly Waited[] };
  const [first] = (await waited()).results;
  // Without a sandbox, commands on this computer need an approval.
  const end = first?.waitsFor ? await call("hil.answer", approve(first)).then(waited) : { results: [first] };
  const { status } = end.results[0] ?? {};
  if (status !== "ok") throw new Error(`a task ended as ${status}`);
}

interface Waited {
  readonly status: string;
  readonly waitsFor: { readonly id: string } | null;
}

function approve({ waitsFor }: Waited) {
  return { id: waitsFor?.id, decision: "approve" };
}

function largeFile(path: string): void {
  const lines = "a line of a file, as an agent writes one\n".repeat(10_000);
  const file = openSync(path, "w");
  for (let size = 0; size < FILE_BYTES; size += lines.length) writeSync(file, lines);
  closeSync(file);
}
