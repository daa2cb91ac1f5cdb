// The longest wait of another client's `proc.get` while the kernel does heavy work: nothing may hold up its loop. In rows of their own,
// because asking all the time would change the CPU time of the other rows.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Floor, Home } from "../machine.ts";
import { type Row, rowOf } from "../measure.ts";
import { fill, spawnMany } from "./scale.ts";

const BUDGET_MS = 20;
const FILES = 10_000;
const FILES_OF_A_DIRECTORY = 100;
const MESSAGES = 20_000;
const PROCESSES = 200;
const ROUNDS_MAX = 5;
const BIG_LINES = 200_000;

interface Work {
  readonly name: string;
  readonly run: (round: number) => Promise<unknown>;
}

export async function gapRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  const files = manyFiles(home);
  const pids = await spawnMany(home, PROCESSES);
  await home.stopKernel();
  for (const pid of pids.slice(0, ROUNDS_MAX + 1)) fill(home, pid, MESSAGES);
  await home.kernel();
  const { id } = JSON.parse((await home.gsv(["workspace", "attach", files, "--json"])).stdout) as { id: string };
  using link = await home.dial(files);
  const probe = await Probe.of(home);
  const rows = [rowOf("longest wait: kernel at rest", await probe.during(rounds, () => Bun.sleep(200)), {})];
  for (const { name, run } of works(home, link, { files: `/workspaces/${id}`, pids })) {
    const values = await probe.during(Math.min(rounds, ROUNDS_MAX), run);
    rows.push(rowOf(`longest wait: ${name}`, values, { budget: BUDGET_MS }));
  }
  probe.end();
  return rows;
}

function works(
  home: Home,
  link: Awaited<ReturnType<Home["dial"]>>,
  { files, pids }: { readonly files: string; readonly pids: readonly string[] },
): Work[] {
  const call = (name: string, args: object) => link.call(name, args, { requestId: crypto.randomUUID() });
  const shell = (script: string) => home.gsv(["sh", "-c", script]);
  const big = join(home.directory, "big.txt");
  writeFileSync(big, "a line of a file, as an agent writes one\n".repeat(BIG_LINES));
  const long = home.script("flood", [{ text: "word ".repeat(20_000), chunk: 5, repeat: 100 }]);
  return [
    { name: `search in ${FILES} files of this computer`, run: () => home.gsv(["fs", "search", "needle", files]) },
    { name: `list of a directory of ${FILES} files`, run: () => shell(`find ${files} | wc -l`) },
    { name: "100 processes spawned at once", run: () => Promise.all(hundred(() => call("proc.spawn", {}))) },
    { name: `reset of a history of ${MESSAGES}`, run: (round) => call("proc.reset", { pid: pids[round + 1] }) },
    { name: "search in all histories", run: () => home.gsv(["proc", "search", "words"]) },
    { name: "lsof", run: () => home.gsv(["lsof"]) },
    { name: "write of 8 MB", run: (round) => home.gsv(["cp", `host:${big}`, `~/big-${round}`]) },
    { name: "write of 8 MB, versioned", run: (round) => home.gsv(["cp", `host:${big}`, `~/knowledge/big-${round}`]) },
    { name: "500 redirections", run: () => shell("for i in $(seq 500); do echo x > /tmp/f$i; done") },
    { name: "20,000 tokens at once", run: () => home.gsv(["chat", "--stream", "go on"], long) },
    { name: "backup", run: (round) => home.gsv(["backup", join(home.directory, `backup-${round}.tar.gz`)]) },
    { name: "storage verify", run: () => home.gsv(["storage", "verify"]) },
  ];
}

function hundred<T>(make: () => T): T[] {
  return Array.from({ length: 100 }, make);
}

function manyFiles(home: Home): string {
  const files = home.beside("files");
  for (let at = 0; at < FILES; at++) {
    const directory = join(files, `d${Math.floor(at / FILES_OF_A_DIRECTORY)}`);
    if (at % FILES_OF_A_DIRECTORY === 0) mkdirSync(directory);
    writeFileSync(join(directory, `f${at}.txt`), `file ${at}\n${"some words of a file\n".repeat(20)}`);
  }
  return files;
}

class Probe {
  private constructor(private readonly worker: Worker) {}

  static async of(home: Home): Promise<Probe> {
    const probe = new Probe(new Worker(new URL("gap-probe.ts", import.meta.url)));
    await probe.ask({ socketPath: home.socket });
    return probe;
  }

  /** The longest wait of each round, in milliseconds. */
  async during(rounds: number, run: Work["run"]): Promise<number[]> {
    const values: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await this.ask("longest");
      await run(round);
      values.push(await this.ask("longest"));
    }
    return values;
  }

  end(): void {
    this.worker.terminate();
  }

  private ask(message: object | string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }: MessageEvent<{ readonly longest: number } | { readonly error: string }>) =>
        "error" in data ? reject(new Error(`the probe failed: ${data.error}`)) : resolve(data.longest);
      this.worker.postMessage(message);
    });
  }
}
