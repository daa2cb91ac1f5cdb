// Background jobs of a shell: concurrent, limited, reported in bash's words, and ended with their shell. Signals, and the
// traps that a script and its jobs have for them.

import { afterAll, beforeEach, expect, test } from "bun:test";
import { Namespace } from "../../fs/namespace.ts";
import { shellFiles } from "../../src/kernel/shells/shell-files.ts";
import { realClock } from "../../src/lib/clock.ts";
import { JobRoom, JobTable } from "../../src/targets/jobs.ts";
import type { SentSignal, ShellEnd, ShellJob, ShellState } from "../../src/targets/shell.ts";
import { type ShellPlace, WorkerPool } from "../../src/targets/worker-pool.ts";
import { sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { lentShellRunner } from "../support/shell-runners.ts";
import { FakeSys } from "../support/sys.ts";

const RUNNING_MAX = 2;
const shells = new WorkerPool({
  newRunner: lentShellRunner,
  clock: realClock,
  ...{ runningMax: 2, runningMaxEach: 1, memory: () => 0, memoryMax: 1, warmMax: 3, warmMs: 10_000, hearMs: 250 },
});
afterAll(() => shells.close());

let files: ReturnType<typeof shellFiles>;
let table: JobTable;
let send: (signal: SentSignal) => void;

beforeEach(async () => {
  const namespace = new Namespace([{ at: "/", fs: memoryMount() }]);
  files = shellFiles({ namespace, caller: sam, isGuarded: () => false, approved: true });
  for (const path of ["/tmp", "/home", "/home/sam"]) await files.mkdir(path, false);
  table = newTable();
});

function newTable(): JobTable {
  return new JobTable(shells, new JobRoom(RUNNING_MAX, 100), realClock);
}

interface Told extends ShellEnd {
  readonly stdout: string;
  readonly stderr: string;
}

interface Given extends Partial<ShellJob> {
  /** Gets all the output so far. */
  readonly on?: (told: string) => void;
  /** A line in a shell that continues. */
  readonly isLine?: boolean;
}

async function run(script: string, { on = () => {}, isLine = false, ...given }: Given = {}): Promise<Told> {
  const told = { stdout: "", stderr: "" };
  const job: ShellJob = {
    ...{ script, name: "gsv", args: [], cwd: "/home/sam", env: { HOME: "/home/sam", PATH: "/bin" } },
    ...{ stdin: new Uint8Array(), state: null, keepsState: false, outputBytesMax: 1024 * 1024, wallMs: 20_000 },
    ...given,
  };
  const place: ShellPlace = {
    ...{ owner: 1000, files, sys: new FakeSys(), signal: new AbortController().signal },
    print(stream, bytes) {
      told[stream] += Buffer.from(bytes).toString();
      on(told.stdout);
    },
    onSignal(listener) {
      send = listener;
      return () => {};
    },
  };
  const end = await (isLine ? table.line(job, place) : table.run(job, place));
  return { ...end, ...told };
}

const TERM = { name: "TERM", number: 15 };
const INT = { name: "INT", number: 2 };

test("jobs run at the same time and can wait for each other's files", async () => {
  const script = [
    "meet() { : > $1; until [ -e $2 ]; do sleep 0.01; done; echo $3; }",
    "meet a b one & meet b a two & wait; echo $?",
  ].join("\n");
  const { stdout, exit } = await run(script);
  expect({ stdout: stdout.split("\n").sort(), exit }).toEqual({ stdout: ["", "0", "one", "two"], exit: 0 });
});

test("a job has a copy of its shell's state, and changes nothing in the shell", async () => {
  const script = [
    'x=1; a=(p "q r"); f() { echo "f $1"; }; cd /tmp; set -u; set -- one "two 2"',
    `{ x=2; cd /; echo "$x \${a[1]} $2 $(pwd)"; f inside; } & wait $!`,
    'echo "$x $(pwd)"; cat <<E & wait',
    "doc $x",
    "E",
  ].join("\n");
  expect((await run(script)).stdout).toBe("2 q r two 2 /\nf inside\n1 /tmp\ndoc 1\n");
});

test("jobs beyond the limit wait for a slot, and all of them run", async () => {
  const { stdout } = await run("for i in $(seq 12); do (echo $i) & done; wait; jobs");
  expect(
    stdout
      .trim()
      .split("\n")
      .map(Number)
      .sort((a, b) => a - b),
  ).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
}, 20_000);

test("statuses are those of bash: of one job, of all, of the next, of an unknown one", async () => {
  const script = [
    "(exit 3) & p=$!; wait $p; echo $?; wait $p; echo $?; (exit 4) & wait; echo $?",
    "(sleep 5; exit 5) & (exit 6) & wait -n; echo $?; kill %1; wait; wait -n; echo $?",
    "wait %9; echo $?; wait 1; echo $?; sleep 9 & kill -KILL $!; wait $!; echo $?",
  ].join("\n");
  const { stdout, stderr } = await run(script);
  expect(stdout).toBe("3\n3\n0\n6\n127\n127\n127\n137\n");
  expect(stderr).toBe("bash: wait: %9: no such job\nbash: wait: pid 1 is not a child of this shell\n");
});

test("a command substitution captures the output of its jobs", async () => {
  const script = [
    "x=$(echo a & wait); echo [$x]; { echo b & } | tr b c; for i in 1; do echo d & done > log; cat log",
    "f() { for i in 1 2; do (sleep 0.0$((3 - i)); echo f$i) & done; wait; }; f | sort",
  ].join("\n");
  expect((await run(script)).stdout).toBe("[a]\nc\nd\nf1\nf2\n");
});

test("nested jobs without a free slot are refused, so a fork bomb ends", async () => {
  const { exit, stderr, stdout } = await run("f() { f & f & wait; }; f; echo over", { wallMs: 15_000 });
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: "over\n" });
  expect(stderr).toContain("fork: retry: Resource temporarily unavailable");
}, 20_000);

test("a job ends with its shell, with a message; one that is about to end is awaited", async () => {
  const { stdout, stderr, exit } = await run("sleep 100 & (echo late) & echo early");
  expect({ stdout: stdout.split("\n").sort(), exit }).toEqual({ stdout: ["", "early", "late"], exit: 0 });
  expect(stderr).toBe("gsv: ended with its shell: sleep 100\n");
  while (table.running > 0) await Bun.sleep(5);
});

test("kill ends a spinning job while its shell continues", async () => {
  const { stdout } = await run("while :; do :; done & sleep 0.1; kill $!; wait $!; echo $?; kill -0 $! || echo gone");
  expect(stdout).toBe("143\ngone\n");
});

test("jobs in an interactive shell stay alive, and their end is reported once, after a line", async () => {
  let state: ShellState | null = null;
  const line = async (script: string) => {
    const end = await run(script, { state, keepsState: true, isLine: true });
    ({ state } = end);
    return end.stdout + end.stderr.replaceAll(/\b10\d{4}\b/g, "PID");
  };
  expect(await line("until [ -e go ]; do sleep 0.01; done & sleep 100 &")).toBe("[1] PID\n[2] PID\n");
  expect((await line("jobs")).split("\n")).toEqual([
    expect.stringMatching(/^\[1\]- {2}Running {17}until .* done &$/),
    "[2]+  Running                 sleep 100 &",
    "",
  ]);
  expect(await line(": > go; while [ $(jobs -r | wc -l) -gt 1 ]; do sleep 0.01; done")).toContain("[1]-  Done");
  expect(await line("jobs -p | wc -l")).toBe("1\n");
  expect(await line("bg")).toContain("job 2 already in background");
  expect(await line("kill %sleep; wait %2; echo $?")).toContain("143\n");
  expect(await line("fg")).toBe("bash: fg: current: no such job\n");
  expect(table.running).toBe(0);
});

test("ctrl-c ends the foreground job", async () => {
  await run("sleep 100 &", { keepsState: true, isLine: true });
  const on = (told: string) => void (told.includes("sleep 100") && send(INT));
  expect(await run("fg", { keepsState: true, isLine: true, on })).toMatchObject({ exit: 130, cut: true });
  expect((await run("wait; jobs", { keepsState: true, isLine: true })).stdout).toBe("");
});

test("a signal runs its trap and the script continues; it wakes sleep, and the status before is kept", async () => {
  const script = "trap 'got=yes' TERM; echo begun; sleep 20; echo $? $got; false; echo $?";
  let often: Timer | undefined;
  // More than once: the first may come before it sleeps.
  const on = () => {
    often ??= setInterval(() => send(TERM), 20);
  };
  const { stdout, exit } = await run(script, { on }).finally(() => clearInterval(often));
  expect({ stdout, exit }).toEqual({ stdout: "begun\n143 yes\n1\n", exit: 0 });
});

test("a script without a trap ends with the signal's status, and its EXIT trap runs", async () => {
  const on = (told: string) => void (told === "begun\n" && send(TERM));
  const { stdout, exit } = await run("trap 'echo bye $?' EXIT; echo begun; sleep 20; echo no", { on });
  expect({ stdout, exit }).toEqual({ stdout: "begun\nbye 143\n", exit: 143 });
});

test("a busy loop gets a signal that it traps, and ends on one that it does not trap", async () => {
  const on = (told: string) => void (told === "begun\n" && send(INT));
  const trapped = await run("trap 'echo out; exit 7' INT; echo begun; while :; do :; done", { on });
  expect(trapped).toMatchObject({ stdout: "begun\nout\n", exit: 7 });
  expect(await run("echo begun; while :; do :; done", { on })).toMatchObject({ stdout: "begun\n", exit: 130 });
});

test("a job has traps of its own, and of its shell's only the ignored signals", async () => {
  const script = [
    "trap 'echo no' TERM; trap 'echo never' EXIT; (trap 'echo bye; exit 4' TERM; : > up; sleep 20) &",
    "until [ -e up ]; do sleep 0.01; done; kill $!; wait $!; echo $?; sleep 20 & kill $!; wait $!; echo $?",
    "trap - EXIT",
  ].join("\n");
  expect((await run(script)).stdout).toBe("bye\n4\n143\n");
});
