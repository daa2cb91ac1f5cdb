// Shell scripts in real Workers over gsv's own files: their environment, the state between lines, and how an endless one
// ends.

import { afterAll, beforeEach, expect, test } from "bun:test";
import type { Mount } from "../../fs/filesystem.ts";
import { Namespace } from "../../fs/namespace.ts";
import type { Caller } from "../../src/abi/identity.ts";
import { shellFiles } from "../../src/kernel/shells/shell-files.ts";
import { realClock } from "../../src/lib/clock.ts";
import { JobRoom, JobTable } from "../../src/targets/jobs.ts";
import type { Runner, ShellJob, ShellState } from "../../src/targets/shell.ts";
import { type ShellPlace, WorkerPool } from "../../src/targets/worker-pool.ts";
import { newShellRunner } from "../../src/workers/workers.ts";
import { agent, bob, sam } from "../support/caller.ts";
import { memoryMount } from "../support/memoryfs.ts";
import { lentShellRunner } from "../support/shell-runners.ts";
import { samples } from "../support/soak.ts";
import { FakeSys } from "../support/sys.ts";

const shells = new WorkerPool({
  newRunner: lentShellRunner,
  clock: realClock,
  runningMax: 4,
  runningMaxEach: 4,
  memory: () => 0,
  memoryMax: 1,
  warmMax: 2,
  warmMs: 10_000,
});
afterAll(() => shells.close());

let mounts: Mount[];
let caller: Caller;

beforeEach(async () => {
  mounts = [{ at: "/", fs: memoryMount() }];
  caller = sam;
  for (const path of ["/tmp", "/home", "/home/sam"]) await files().mkdir(path, false);
});

function files(approved = true) {
  return shellFiles({
    namespace: new Namespace(mounts),
    caller,
    isGuarded: (path) => path.startsWith("/home/sam/context.d"),
    approved,
  });
}

interface Told {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: readonly number[];
  readonly state: ShellState | null;
}

async function run(script: string, given: Partial<ShellJob> = {}, approved = true): Promise<Told> {
  const printed = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const end = await new JobTable(shells, new JobRoom(8, 8), realClock).run(
    job(script, given),
    place(approved, (stream, bytes) => printed[stream].push(bytes)),
  );
  const stdout = Buffer.concat(printed.stdout);
  return { ...end, stdout: stdout.toString(), bytes: [...stdout], stderr: Buffer.concat(printed.stderr).toString() };
}

function place(
  approved = true,
  print: ShellPlace["print"] = () => {},
  signal = new AbortController().signal,
): ShellPlace {
  return { owner: 1000, files: files(approved), sys: new FakeSys(), print, signal };
}

function job(script: string, given: Partial<ShellJob> = {}): ShellJob {
  return {
    script,
    name: "gsv",
    args: [],
    cwd: "/home/sam",
    env: { HOME: "/home/sam", PATH: "/bin" },
    stdin: new Uint8Array(),
    state: null,
    keepsState: false,
    outputBytesMax: 1024 * 1024,
    wallMs: 10_000,
    ...given,
  };
}

test("a script has its name, its arguments, its stdin and its exit status", async () => {
  const { exit, stdout } = await run('echo "$0 $# $2"; cat; exit 3', {
    name: "report",
    args: ["one", "it's two"],
    stdin: Buffer.from("what came in\n"),
  });
  expect({ exit, stdout }).toEqual({ exit: 3, stdout: "report 2 it's two\nwhat came in\n" });
});

test("files written by a script are gsv's files", async () => {
  await run("mkdir -p notes; echo one > notes/a; echo two >> notes/a; ln -s a notes/b");
  const { bytes } = await files().read("/home/sam/notes/b", 0, 100);
  expect(Buffer.from(bytes).toString()).toBe("one\ntwo\n");
});

test("binary bytes pass unchanged", async () => {
  await files().write("/tmp/binary", new Uint8Array([0, 255, 128, 10, 1]), "start");
  expect((await run("cat /tmp/binary")).bytes).toEqual([0, 255, 128, 10, 1]);
  await run("cat /tmp/binary > /tmp/copy");
  expect([...(await files().read("/tmp/copy", 0, 10)).bytes]).toEqual([0, 255, 128, 10, 1]);
  expect((await run("printf 'é ü'")).stdout).toBe("é ü");
});

test("a redirection that fails ends its command and not the script", async () => {
  await run("mkdir closed; echo kept > closed/file");
  await files().setattr("/home/sam/closed/file", { mode: 0o000 });
  const script = [
    "echo x > closed/file; echo after $?",
    'eval "echo x > closed/file"; echo still $?',
    "f() { echo x >> closed/file; echo inside $?; }; f",
    "if echo x > closed/file; then echo yes; else echo no; fi",
    "echo $? > /tmp/status; cat /tmp/status",
  ].join("\n");
  caller = bob;
  const { stdout, stderr, exit } = await run(script, { cwd: "/home/sam" });
  expect(stdout).toBe("after 1\nstill 1\ninside 1\nno\n0\n");
  expect(stderr).toContain("bash: closed/file: Permission denied");
  expect(exit).toBe(0);
});

test("directory, variables, arrays, aliases, functions, options and the last status persist to the next line", async () => {
  const first = await run(
    'X=5; export Y="a b"; list=(1 "2 3"); declare -A map=([k]=v); alias hi="echo hello"; f() { echo "f $1 $X"; }; set -o pipefail; cd /tmp; false',
    { keepsState: true },
  );
  expect(first.exit).toBe(1);
  const second = await run(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: bash's own
    'echo $?; f you; echo "$Y" "${list[1]}" "${map[k]}"; hi there; pwd; false | true; echo $?; bash -c \'echo "[$X$Y]"\'',
    { keepsState: true, state: first.state },
  );
  expect(second.stdout).toBe("1\nf you 5\na b 2 3 v\nhello there\n/tmp\n1\n[a b]\n");
  const third = await run("unset -f f; unalias hi; unset X", { keepsState: true, state: second.state });
  const fourth = await run('f; hi; echo "[$X]"', { keepsState: true, state: third.state });
  expect(fourth.stdout).toBe("[]\n");
});

test("exit ends the shell with all its state", async () => {
  expect((await run("X=1; exit 7", { keepsState: true })).state).toBeNull();
});

test("a line with a syntax error is reported with status 2", async () => {
  const { exit, stderr } = await run('echo "unclosed');
  expect(exit).toBe(2);
  expect(stderr).toContain("unexpected EOF");
});

test("gsv's commands are programs in a shell, alone and in pipes", async () => {
  const { stdout, exit } = await run("chat --help | head -1; gsv chat --help | head -1; wait --help | head -1");
  expect(exit).toBe(0);
  const [first = "", second, third] = stdout.split("\n");
  expect(first).not.toBe("");
  expect(second).toBe(first);
  expect(third).not.toBe("");
});

test("a script acts as its caller, and reaches neither a terminal nor the host", async () => {
  expect((await run("whoami --user root; ps --user root")).stderr).toContain("cannot act as another account: root");
  expect((await run("doctor")).stderr).toContain("run it outside of gsv's shell");
});

test("a timeout ends a busy loop, and the next script runs", async () => {
  const { exit } = await run("while :; do :; done", { wallMs: 50 });
  expect(exit).toBe(124);
  expect((await run("echo alive")).stdout).toBe("alive\n");
});

test("a loop streams its output, and output before it spun is kept", async () => {
  const script = "for i in 1 2 3; do echo $i; done; if true; then echo four; fi; while :; do :; done";
  const wish = new AbortController();
  let told = "";
  const print: ShellPlace["print"] = (_stream, bytes) => {
    told += Buffer.from(bytes).toString();
    if (told.endsWith("four\n")) wish.abort();
  };
  const { exit } = await shells.run(job(script), place(true, print, wish.signal));
  expect({ told, exit }).toEqual({ told: "1\n2\n3\nfour\n", exit: 130 });
});

test("a worker that dies under its script is reported, others are unaffected, and the next line continues from the last", async () => {
  const made: Runner[] = [];
  const own = new WorkerPool({
    newRunner() {
      // The second one is killed.
      made.push(made.length === 1 ? newShellRunner() : lentShellRunner());
      return made.at(-1)!;
    },
    ...{ clock: realClock, runningMax: 2, runningMaxEach: 2, memory: () => 0, memoryMax: 1, warmMax: 0, warmMs: 1 },
  });
  try {
    const lines = new JobTable(own, new JobRoom(8, 8), realClock);
    const first = await lines.line(job("kept=1", { keepsState: true }), place(true));
    const told: string[] = [];
    const killed = lines.line(
      job("kept=2; echo begun; sleep 60", { keepsState: true, state: first.state }),
      place(true, (stream, bytes) => {
        told.push(`${stream}: ${Buffer.from(bytes)}`);
        // From outside: the worker gets no notice.
        if (stream === "stdout") made.at(-1)?.end();
      }),
    );
    const beside = run("echo beside");
    expect(await killed).toMatchObject({ exit: 137, cut: true });
    expect(told).toEqual(["stdout: begun\n", expect.stringMatching(/^stderr: gsv: its thread died/)]);
    expect((await beside).stdout).toBe("beside\n");
    const after: string[] = [];
    const next = job('echo "$kept"', { keepsState: true, state: first.state });
    await lines.line(
      next,
      place(true, (_stream, bytes) => after.push(Buffer.from(bytes).toString())),
    );
    expect(after).toEqual(["1\n"]);
  } finally {
    own.close();
  }
});

test("output before the timeout is kept", async () => {
  // Long enough to start on a busy computer; sleeping longer makes no difference.
  const { exit, stdout } = await run("echo begun; sleep 20", { wallMs: 800 });
  expect({ exit, stdout }).toEqual({ exit: 124, stdout: "begun\n" });
});

test("output keeps its order through conditions, pipes, functions and lists", async () => {
  const script = [
    "if echo a; then echo b; fi; echo c | cat && echo d; f() { echo e; }; f; { echo g; echo h >&2; }; ( echo i )",
    "case x in x) echo j;; esac; ! echo k; echo l & wait; until echo m; do :; done; read one; read two; echo $two; cat",
  ].join("\n");
  const { stdout, stderr } = await run(script, { stdin: Buffer.from("1\n2\n3\n") });
  expect(stdout).toBe("a\nb\nc\nd\ne\ng\ni\nj\nk\nl\nm\n2\n3\n");
  expect(stderr).toBe("h\n");
});

test("an incomplete line or a syntax error loses no state of the shell", async () => {
  const first = await run("X=1", { keepsState: true });
  for (const line of ['echo "', "X=2; sleep 20"]) {
    const end = await shells.run(job(line, { keepsState: true, state: first.state, wallMs: 200 }), place());
    expect(end).toMatchObject({ cut: true, state: null });
  }
});

test("the caller can stop a script at any time", async () => {
  const wish = new AbortController();
  const running = shells.run(
    job("sleep 20"),
    place(true, () => {}, wish.signal),
  );
  wish.abort();
  expect((await running).exit).toBe(130);
});

test("output beyond its limit ends the script with a message", async () => {
  const { exit, stderr, stdout } = await run("for i in $(seq 1 3000); do echo 0123456789; done", {
    outputBytesMax: 10_000,
  });
  expect(exit).not.toBe(0);
  expect(stderr).toContain("output");
  expect(stdout.length).toBeLessThan(20_000);
});

test("an agent's script without an approval neither deletes files nor changes agents' context", async () => {
  await run("mkdir context.d; echo me > context.d/me; echo x > file; ln -s context.d/me link; ln -s nowhere loose");
  const script =
    "rm file; echo $?; echo you > context.d/me; echo $?; echo you > link; echo $?; mv context.d/me /tmp/x; echo $?; touch other; mv other file; echo $?; mv other loose; echo $?; echo t > /tmp/t; rm /tmp/t; echo $?";
  const { stdout, stderr } = await run(script, {}, false);
  expect(stdout).toBe("1\n1\n1\n1\n1\n1\n0\n");
  expect(stderr).toContain(
    "bash: context.d/me: a change needs the user's approval: use the tool Write, Edit or Delete\n",
  );
  expect((await run("cat context.d/me file")).stdout).toBe("me\nx\n");
});

test("a revoked capability is also missing inside a script", async () => {
  await run("echo x > file");
  caller = { ...agent, dropped: ["fs.write", "fs.delete"] };
  const { stdout } = await run("cat file; echo y > file; echo $?; rm file; echo $?; mkdir d; echo $?");
  expect(stdout).toBe("x\n1\n1\n1\n");
});

test("many shells at once all finish, a few at a time", async () => {
  const numbers = Array.from({ length: samples(25, 500) }, (_, index) => index);
  const ends = await Promise.all(numbers.map((index) => run(`echo ${index}`)));
  expect(ends.map(({ stdout }) => Number(stdout))).toEqual(numbers);
}, 30_000);
