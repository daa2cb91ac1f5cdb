// Tools of the benchmarks: the binary and a floor program as processes, a fresh home, and the kernel measured from outside through the
// operating system.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build, GSV } from "../../src/build.ts";
import { realClock } from "../../src/lib/clock.ts";
import { dial, type Link } from "../../src/rpc/client.ts";
import { VERSION } from "../../src/version.ts";

export const ROOT = dirname(dirname(import.meta.dir));
/** Names another binary to measure, as `--compare` does. */
export const BINARY_VARIABLE = "GSV_BENCH_BINARY";
export const BINARY = process.env[BINARY_VARIABLE] ?? join(ROOT, "dist", "gsv");
const TICKS_PER_SECOND = 100;

export interface Run {
  readonly ms: number;
  readonly cpuMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Builds dist/gsv unless it is newer than every source, or another binary is named. */
export async function freshBinary(): Promise<void> {
  if (process.env[BINARY_VARIABLE] !== undefined) return;
  const built = statSync(BINARY, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ["package.json", ...new Bun.Glob("{src,commands,fs,tui}/**/*").scanSync({ cwd: ROOT })];
  if (sources.every((path) => statSync(join(ROOT, path)).mtimeMs < built)) return;
  process.stderr.write("building dist/gsv ...\n");
  await build({ ...GSV, outfile: BINARY, commit: "bench" });
}

/** Runs to the end and fails loudly: a benchmark of a broken program is worthless. */
export async function run(
  argv: readonly string[],
  env: Record<string, string>,
  allowed: readonly number[] = [0],
): Promise<Run> {
  const start = performance.now();
  const child = Bun.spawn([...argv], { env, cwd: "/", stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const ms = performance.now() - start;
  if (!allowed.includes(status))
    throw new Error(`${argv.join(" ")} exited ${status}: ${stderr.trim() || stdout.trim()}`);
  return { ms, cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000, stdout, stderr };
}

/** A fresh home with a scripted model; every benchmark family creates and removes one. */
export class Home {
  readonly directory = mkdtempSync(join(tmpdir(), "gsv-bench-"));
  readonly path = join(this.directory, "home");
  readonly socket = join(this.path, "run", "kernel.sock");

  constructor(private readonly more: Record<string, string> = {}) {
    mkdirSync(this.path, { mode: 0o700 });
    this.script("plain", [{ text: "Hello. That is all there is to say.", repeat: 1_000_000 }]);
  }

  /** Writes a script and returns the model that plays it. */
  script(name: string, lines: readonly object[]): string {
    const path = join(this.directory, `${name}.jsonl`);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return `script:${path}`;
  }

  env(model = `script:${join(this.directory, "plain.jsonl")}`): Record<string, string> {
    const { directory, path, more } = this;
    return { PATH: process.env.PATH ?? "", HOME: directory, GSV_HOME: path, GSV_MODEL: model, ...more };
  }

  gsv(args: readonly string[], model?: string): Promise<Run> {
    return run([BINARY, ...args], this.env(model));
  }

  /** The running kernel; starts one if there is none. */
  async kernel(): Promise<Kernel> {
    await this.gsv(["kernel", "start"]);
    const { pid } = JSON.parse((await this.gsv(["kernel", "status", "--json"])).stdout) as { pid: number };
    return new Kernel(pid);
  }

  /** A client's connection to the running kernel. */
  async dial(cwd = "/"): Promise<Link & Disposable> {
    const info = { clientId: "bench", version: VERSION, cwd, env: {} };
    const link = await dial({ socketPath: this.socket, info, clock: realClock, helloMs: 2000 });
    return Object.assign(link, { [Symbol.dispose]: () => link.close() });
  }

  /** An empty directory next to the home. */
  beside(name: string): string {
    const path = join(this.directory, name);
    mkdirSync(path);
    return path;
  }

  async stopKernel(): Promise<void> {
    const { running, pid } = JSON.parse((await run([BINARY, "kernel", "status", "--json"], this.env(), [0, 3])).stdout);
    if (running !== true) return;
    await this.gsv(["kernel", "stop"]);
    await new Kernel(pid).gone();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopKernel();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A kernel seen from outside. */
export class Kernel {
  constructor(private readonly pid: number) {}

  /** CPU time since its start, in hundredths of a second: measure several rounds. */
  cpuMs(): number {
    const fields = readFileSync(`/proc/${this.pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
  }

  /** CPU time of each current thread in microseconds, for programs with low usage. */
  threads(): ReadonlyMap<string, number> {
    const tasks = `/proc/${this.pid}/task`;
    const used = (thread: string) => Number(readFileSync(`${tasks}/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6;
    return new Map(readdirSync(tasks).map((thread) => [thread, used(thread)]));
  }

  /** Its own thread alone. */
  ownCpuMs(): number {
    return this.threads().get(String(this.pid)) ?? 0;
  }

  rssMb(): number {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, "utf8"))?.[1];
    return Number(kilobytes) / 1024;
  }

  /** The most since the last reset. */
  peakMb(): number {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, "utf8"))?.[1];
    return Number(kilobytes) / 1024;
  }

  resetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, "5");
  }

  /** Its share of memory that is shared with others. */
  pssMb(): number {
    return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/smaps_rollup`, "utf8"))?.[1]) / 1024;
  }

  async gone(): Promise<void> {
    const deadline = performance.now() + 20_000;
    while (existsSync(`/proc/${this.pid}`)) {
      if (performance.now() > deadline) throw new Error(`kernel ${this.pid} does not leave`);
      await Bun.sleep(1);
    }
  }
}

export interface Program extends AsyncDisposable {
  readonly port: number;
  readonly cost: Kernel;
}

/** A server as a program of its own, which prints its port. */
export async function program(path: string): Promise<Program> {
  const child = Bun.spawn([process.execPath, path], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  return {
    ...{ port: Number(new TextDecoder().decode(value)), cost: new Kernel(child.pid) },
    [Symbol.asyncDispose]: stop,
  };
}

/** CPU time of the current threads since then; ended threads count zero. */
export function cpuSince(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): number {
  return [...now].reduce((sum, [thread, ms]) => sum + ms - (before.get(thread) ?? 0), 0);
}

/** Programs that do next to nothing in the same way as gsv: compiled by the same build, started the same way. */
export class Floor {
  private readonly directory = mkdtempSync(join(tmpdir(), "gsv-floor-"));
  private readonly binary = join(this.directory, "floor");
  private readonly socket = join(this.directory, "echo.sock");
  private readonly server = Bun.listen({
    unix: this.socket,
    socket: { data: (socket, bytes) => void socket.write(bytes) },
  });

  async prepare(): Promise<void> {
    const entry = join(this.directory, "floor.ts");
    writeFileSync(entry, FLOOR_PROGRAM);
    await build({ entry, outfile: this.binary, commit: "floor" });
  }

  empty(): Promise<Run> {
    return run([this.binary], {});
  }

  ask(): Promise<Run> {
    return run([this.binary, "ask", this.socket], {});
  }

  print(file: string): Promise<Run> {
    return run([this.binary, "print", file], {});
  }

  /** A child's peak memory starts at its parent's peak, and this process is large: a small process starts it. */
  async peakMemoryMb(argv: readonly string[], env: Record<string, string>): Promise<number> {
    return Number((await run([this.binary, "memory", ...argv], env)).stdout) / 2 ** 20;
  }

  remove(): void {
    this.server.stop(true);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const FLOOR_PROGRAM = `
const [what, where, ...rest] = process.argv.slice(2);
if (what === "ask") {
  await Bun.connect({ unix: where, socket: {
    open: (socket) => void socket.write("hello\\n"),
    data: (socket, bytes) => { process.stdout.write(bytes); socket.end(); },
  } });
} else if (what === "print") {
  let text = "";
  for (const line of (await Bun.file(where).text()).split("\\n")) if (line !== "") text += JSON.parse(line).text;
  process.stdout.write(text);
} else if (what === "memory") {
  const { exitCode, resourceUsage } = Bun.spawnSync([where, ...rest], { env: process.env, stdin: "ignore" });
  if (exitCode !== 0) process.exit(exitCode);
  console.log(resourceUsage.maxRSS);
} else console.log("hello");
`;
