// Cost of observers: the signals of a run with many tool calls to ten followers, one of which reads nothing, the buffer kept for that one,
// and the overhead of a strace. Each round is its own task, so that all have equal histories.

import { connect, type Socket } from "node:net";
import { LIMITS } from "../../../src/abi/config/limits.ts";
import type { Signal } from "../../../src/abi/signal.ts";
import type { Link } from "../../../src/rpc/client.ts";
import { encodeFrame } from "../../../src/rpc/frame.ts";
import { VERSION } from "../../../src/version.ts";
import { BINARY, type Floor, Home } from "../machine.ts";
import { median, type Row, rowOf, timed } from "../measure.ts";

const CALLS = 60;
const FOLLOWERS = 10;
/** The usual difference between two runs of the same kind. */
const SAME_SHARE = 1.15;
const SAME_MS = 5;
const RESYNC = '"name":"resync"';
const QUIET_MS = 400;
const TOLD_MB = 16;
/** The buffer of one subscriber: once in its queue and once in flight. */
const KEPT_MB = (2 * LIMITS.subscriberBytesMax) / 2 ** 20;
const BIG_CALLS = 30;
const BIG_LINES = 380;
const BIG_RUN_MB = 0.85;
const STRACE_PERCENT = 3;
const DEADLINE_MS = 20_000;

export async function followRows(_floor: Floor, rounds: number): Promise<Row[]> {
  await using home = new Home();
  const calls = Array.from({ length: CALLS }, (_, n) => ({ name: "Read", args: { path: "~", limit: n + 1 } }));
  const big = Array.from({ length: BIG_CALLS }, (_, n) => ({
    name: "Read",
    args: { path: "~/big.txt", limit: BIG_LINES - n },
  }));
  const model = home.script("busy", [
    { when: "work", calls },
    { when: "work", text: "done" },
    { when: "a lot", calls: big },
    { when: "a lot", text: "done" },
  ]);
  await home.gsv(["kernel", "start"], model);
  await home.gsv(["config", "set", "ai.model", model]);
  return [...(await speedRows(home, rounds)), await keptRow(home), ...(await straceRows(home, rounds))];
}

/** Subscribes to everything and counts the signals. */
class Follower {
  heard = 0;
  private waiting: { readonly run: string; readonly done: () => void } | null = null;
  private readonly complete = new Set<string>();

  constructor(private readonly link: Link) {
    link.on({}, (signal) => this.hear(signal));
  }

  static async of(home: Home): Promise<Follower> {
    return new Follower(await home.dial());
  }

  /** Resolves at the end of a run. */
  until(run: string): Promise<void> {
    if (this.complete.has(run)) return Promise.resolve();
    return new Promise((done) => {
      this.waiting = { run, done };
    });
  }

  close(): void {
    this.link.close();
  }

  private hear(signal: Signal): void {
    this.heard++;
    if (signal.name !== "chat.complete") return;
    this.complete.add(signal.run);
    if (this.waiting?.run === signal.run) this.waiting.done();
  }
}

/** Says hello, subscribes to everything and reads nothing. */
class Stuck {
  private constructor(private readonly socket: Socket) {}

  static async of(home: Home): Promise<Stuck> {
    const socket = connect(home.socket);
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    socket.write(encodeFrame({ kind: "hello", clientId: "stuck", version: VERSION, cwd: "/", env: {} }, "hello"));
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    socket.write(encodeFrame({ kind: "sub", id: 1, filter: {} }, "sub"));
    return new Stuck(socket);
  }

  /** Reads everything buffered for it and returns the bytes; throws without a notice of missed signals. */
  async readsAll(): Promise<number> {
    let bytes = 0;
    let tail = "";
    let isTold = false;
    let readAt = performance.now();
    this.socket.on("data", (piece) => {
      bytes += piece.length;
      tail = tail.slice(-RESYNC.length) + piece.toString();
      isTold ||= tail.includes(RESYNC);
      readAt = performance.now();
    });
    this.socket.resume();
    const from = performance.now();
    while (performance.now() - readAt < QUIET_MS || (!isTold && performance.now() - from < DEADLINE_MS))
      await Bun.sleep(QUIET_MS / 4);
    this.close();
    if (!isTold) throw new Error("the stuck follower was not told that it missed something");
    return bytes;
  }

  close(): void {
    this.socket.destroy();
  }
}

async function speedRows(home: Home, rounds: number): Promise<Row[]> {
  using link = await home.dial();
  const followers = await Promise.all(Array.from({ length: FOLLOWERS - 1 }, () => Follower.of(home)));
  const work = async () => {
    const run = await begin(link, await newTask(link), "work");
    await Promise.all(followers.map((follower) => follower.until(run)));
  };
  try {
    const before = followers[0]?.heard ?? 0;
    await work();
    const events = (followers[0]?.heard ?? 0) - before;
    const free = await timed(rounds, work);
    const stuck = await Stuck.of(home);
    const held = await timed(rounds, work);
    stuck.close();
    const perThousand = (ms: number) => (ms * 1000) / events;
    const floor = { value: perThousand(median(free)), what: `${FOLLOWERS - 1} followers, none of them stuck` };
    return [
      rowOf(`1,000 events to ${FOLLOWERS} followers, one of them stuck`, held.map(perThousand), {
        floor,
        budget: floor.value * SAME_SHARE + perThousand(SAME_MS),
      }),
      { name: "events in a second, to each of them", unit: "/s", median: 1e6 / perThousand(median(held)) },
    ];
  } finally {
    for (const follower of followers) follower.close();
  }
}

/** A subscriber that reads nothing gets many signals. At the end it reads its buffer, which includes the notice of missed signals. */
async function keptRow(home: Home): Promise<Row> {
  using link = await home.dial();
  const follower = await Follower.of(home);
  try {
    const content = "a line of a file that is read over and over again, as an agent does it\n".repeat(BIG_LINES);
    await link.call("fs.write", { path: "~/big.txt", content }, { requestId: "big" });
    const stuck = await Stuck.of(home);
    for (let told = 0; told < TOLD_MB; told += BIG_RUN_MB)
      await follower.until(await begin(link, await newTask(link), "a lot"));
    const kept = (await stuck.readsAll()) / 2 ** 20;
    return {
      name: `kept for one that reads nothing, of ${TOLD_MB} MB told`,
      unit: "MB",
      median: kept,
      budget: KEPT_MB,
    };
  } finally {
    follower.close();
  }
}

/**
 * The effect is a few percent, and runs differ by ten percent among themselves. So there are many short pairs of runs, each of a fresh
 * task: one with a strace and one without, in alternating order, so that drift affects both alike. The strace starts before and follows a
 * batch of tasks; nothing else runs meanwhile. The row is the median difference of the pairs, as a share of the median run without a
 * strace. The budget applies to the run time, which the user feels. The CPU time of the kernel's own thread is shown too, including its
 * answer after the run; its compiler and collector threads vary three times as much between runs.
 */
async function straceRows(home: Home, rounds: number): Promise<Row[]> {
  const kernel = await home.kernel();
  using link = await home.dial();
  const timedRun = async (pid: string) => {
    const [from, cpu] = [performance.now(), kernel.ownCpuMs()];
    const run = await begin(link, pid, "work");
    await link.call("proc.wait", { pids: [pid], run });
    const ms = performance.now() - from;
    await Bun.sleep(TAIL_MS);
    return { ms, cpuMs: kernel.ownCpuMs() - cpu };
  };
  const tasks = () => Promise.all(Array.from({ length: BATCH }, () => newTask(link)));
  const plain: Taken[] = [];
  const traced: Taken[] = [];
  const batches = Math.ceil((rounds * PAIRS_OF_A_ROUND) / BATCH);
  for (let batch = -1; batch < batches; batch++) {
    const [alone, watched] = [await tasks(), await tasks()];
    const strace = await followed(home, watched);
    for (let at = 0; at < BATCH; at++) {
      const [one, other] = [() => timedRun(alone[at] ?? ""), () => timedRun(watched[at] ?? "")];
      const first = at % 2 === 0 ? await one() : await other();
      const second = at % 2 === 0 ? await other() : await one();
      if (batch < 0) continue;
      plain.push(at % 2 === 0 ? first : second);
      traced.push(at % 2 === 0 ? second : first);
    }
    strace.kill();
    await strace.exited;
  }
  const added = (what: keyof Taken) => {
    const usual = median(plain.map((run) => run[what]));
    return (median(traced.map((run, at) => run[what] - (plain[at]?.[what] ?? 0))) / usual) * 100;
  };
  const name = `strace: added to a run of ${CALLS} tool calls`;
  return [
    { name, unit: "%", median: added("ms"), budget: STRACE_PERCENT },
    { name: `${name}, CPU of the kernel`, unit: "%", median: added("cpuMs") },
  ];
}

interface Taken {
  readonly ms: number;
  readonly cpuMs: number;
}

/** A strace that waits for their calls. */
async function followed(home: Home, pids: readonly string[]) {
  const child = Bun.spawn([BINARY, "strace", ...pids], {
    ...{ env: home.env(), cwd: "/", stdin: "ignore", stdout: "pipe", stderr: "ignore" },
  });
  void child.stdout.pipeTo(new WritableStream());
  await Bun.sleep(SETTLE_MS);
  return child;
}

/** The time a client takes to connect and ask, several times over. */
const SETTLE_MS = 400;
/** Time after a run within which its last calls are requested. */
const TAIL_MS = 80;
/** The number of tasks that one strace follows. */
const BATCH = 20;
const PAIRS_OF_A_ROUND = 4;

async function newTask(link: Link): Promise<string> {
  const requestId = `task-${crypto.randomUUID()}`;
  return ((await link.call("proc.spawn", { label: "bench" }, { requestId })) as { pid: string }).pid;
}

async function begin(link: Link, pid: string, message: string): Promise<string> {
  const requestId = `send-${crypto.randomUUID()}`;
  return ((await link.call("proc.send", { pid, message }, { requestId })) as { runId: string }).runId;
}
