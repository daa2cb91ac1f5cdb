// Real bash on this machine: what a command sees, how it ends with all it started, and what is left of it when nobody follows it any more.

import { afterAll, afterEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { realClock } from "../../src/lib/clock.ts";
import { hostEnvironment } from "../../src/lib/host-environment.ts";
import { BASH, type HostCommand, HostCommands } from "../../src/targets/host.ts";
import { scratchDirectory } from "../support/scratch.ts";

const directory = scratchDirectory("host");
const spoolDirectory = join(directory, "spool");
const work = join(directory, "work");
mkdirSync(work);
let number = 0;
let host = following();

afterEach(() => {
  for (const command of host.list()) host.signal(command, "KILL");
  host.close();
  host = following();
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function following(outputBytesMax = 1024 * 1024): HostCommands {
  const kept = { keptMs: 60_000, keptBytesMax: 64 * 1024 * 1024 };
  return new HostCommands({ spoolDirectory, clock: realClock, outputBytesMax, runningMax: 8, graceMs: 700, ...kept });
}

interface Given {
  readonly env?: { readonly [name: string]: string };
  readonly stdin?: Uint8Array | "open";
  readonly timeoutMs?: number;
  readonly args?: readonly string[];
}

function start(script: string, { env = {}, stdin = new Uint8Array(), timeoutMs = 20_000, args = [] }: Given = {}) {
  const id = `c${++number}`;
  return host.start({
    meta: { id, uid: 1000, ownerUid: 1000, pid: null, script, directory: work, timeoutMs },
    argv: [BASH, "--noprofile", "--norc", "-c", script, "gsv", ...args],
    sandbox: null,
    env: hostEnvironment({ PATH: process.env.PATH, HOME: work, ...env }),
    stdin,
  });
}

async function run(script: string, given: Given = {}) {
  const command = start(script, given);
  await command.ended;
  return told(command);
}

function told({ exit, output }: HostCommand) {
  const { pieces } = output.page(0, output.bytes);
  const of = (stream: string) =>
    Buffer.concat(pieces.filter((each) => each.stream === stream).map(({ bytes }) => bytes));
  return { exit, stdout: of("stdout").toString(), stderr: of("stderr").toString(), bytes: [...of("stdout")] };
}

/** Until a command has printed this. */
async function printed(command: HostCommand, text: string): Promise<void> {
  const deadline = realClock.mono() + 10_000;
  while (!told(command).stdout.includes(text)) {
    if (realClock.mono() > deadline) throw new Error(`never printed: ${text}`);
    await command.output.more(command.output.bytes, realClock, 1000, new AbortController().signal);
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<void> {
  const deadline = realClock.mono() + 10_000;
  while (isAlive(pid)) {
    if (realClock.mono() > deadline) throw new Error(`${pid} is still there`);
    await realClock.sleep(5);
  }
}

test("a command has its directory, arguments, stdin, both streams and its exit status", async () => {
  const script = 'pwd; echo "$0 $# $2"; cat; echo told >&2; exit 3';
  const ended = await run(script, { args: ["one", "it's two"], stdin: Buffer.from("what came in\n") });
  expect(ended).toMatchObject({ exit: 3, stdout: `${work}\ngsv 2 it's two\nwhat came in\n`, stderr: "told\n" });
});

test("bytes that are no text come through whole", async () => {
  expect((await run("printf '\\0\\377\\200\\n\\1'")).bytes).toEqual([0, 255, 128, 10, 1]);
});

test.each([
  ["false", 1],
  ["exit 255", 255],
  ["no-such-program", 127],
  ["/etc/passwd", 126],
  ["kill -TERM $$", 143],
  ["kill -INT $$", 130],
  ["kill -KILL $$", 137],
  ["kill -SEGV $$", 139],
])("%s ends as it does in bash", async (script, exit) => {
  expect((await run(script)).exit).toBe(exit);
});

test("of the environment it sees what is on the list, and no secret", async () => {
  const secrets = { ANTHROPIC_API_KEY: "canary-1", GSV_TOKEN: "canary-2", AWS_SECRET_ACCESS_KEY: "canary-3" };
  const { stdout } = await run("env; cat /proc/$$/environ /proc/$PPID/environ", {
    env: { ...secrets, LANG: "C", LC_ALL: "C", TZ: "UTC", SSH_AUTH_SOCK: "/canary", BUN_OPTIONS: "--canary" },
  });
  expect(stdout).not.toContain("canary");
  expect(stdout).toContain("TZ=UTC");
  const names = [...stdout.split("\0")[0]!.matchAll(/^(\w+)=/gm)].map(([, name]) => name ?? "").sort();
  expect(names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name))).toEqual([
    "HOME",
    "LANG",
    "LC_ALL",
    "PATH",
    "TERM",
    "TZ",
  ]);
});

test("nothing in the environment or the directory makes it run something else", async () => {
  const trap = join(work, "trap.sh");
  writeFileSync(trap, "echo trapped\n", { mode: 0o755 });
  for (const name of [".bashrc", ".profile", ".bash_profile", "bunfig.toml", ".env"])
    writeFileSync(join(work, name), "echo trapped\n");
  writeFileSync(join(work, "ls"), "#!/bin/sh\necho trapped\n", { mode: 0o755 });
  const hostile = {
    BASH_ENV: trap,
    ENV: trap,
    PROMPT_COMMAND: "echo trapped",
    "BASH_FUNC_ls%%": "() { echo trapped; }",
    LD_PRELOAD: trap,
    SHELLOPTS: "xtrace",
    PS4: "$(echo trapped)",
    PATH: `.:${work.slice(1)}::/usr/bin:/bin`,
  };
  const { stdout, stderr, exit } = await run("ls -d /; echo done", { env: hostile });
  expect({ stdout, stderr, exit }).toEqual({ stdout: "/\ndone\n", stderr: "", exit: 0 });
});

test("files it makes have the modes a person expects", async () => {
  await run("rm -f made; touch made");
  expect(statSync(join(work, "made")).mode & 0o777).toBe(0o644);
});

test("a gibibyte of output is cut with a word, and takes no more room than it may", async () => {
  host = following(4 * 1024 * 1024);
  const command = start("head -c 1073741824 /dev/zero; sleep 20");
  await command.ended;
  const { exit, stderr } = told(command);
  expect({ exit, stderr }).toEqual({ exit: 153, stderr: "gsv: ended: it printed more than 4 MiB; the rest is lost\n" });
  const spool = join(spoolDirectory, "1000", command.meta.id);
  expect(statSync(join(spool, "stdout")).size).toBe(4 * 1024 * 1024);
});

test("its time is limited: 124, and nothing it started goes on", async () => {
  const command = start("sleep 1000 & echo $!; sleep 1000", { timeoutMs: 200 });
  await command.ended;
  const { exit, stdout, stderr } = told(command);
  expect({ exit, stderr }).toEqual({ exit: 124, stderr: "gsv: ended: it took longer than 0.2 s\n" });
  await gone(Number(stdout));
});

test("stopped, it ends with all it started, also what ignores to be asked", async () => {
  const command = start("(trap '' TERM HUP; echo $BASHPID; while :; do sleep 1; done) & echo ready; wait; echo never");
  await printed(command, "ready");
  await printed(command, "\n");
  const [, stubborn = ""] = /^(\d+)$/m.exec(told(command).stdout) ?? [];
  host.stop(command);
  await command.ended;
  expect(command.exit).toBe(143);
  await gone(Number(stubborn));
});

test("what is asked to end has time for it", async () => {
  const command = start("(trap 'sleep 0.2; echo saved; exit' TERM; echo ready; while :; do sleep 0.02; done) & wait");
  await printed(command, "ready");
  host.stop(command);
  await command.ended;
  expect(told(command)).toMatchObject({ exit: 143, stdout: "ready\nsaved\n" });
});

test("what it leaves in the background ends with it", async () => {
  const { exit, stdout } = await run("sleep 1000 & echo $!");
  expect(exit).toBe(0);
  await gone(Number(stdout));
});

test("signals reach all of it", async () => {
  const command = start("trap 'echo got it; exit 9' USR1; echo ready; while :; do sleep 0.05; done");
  await printed(command, "ready");
  expect(host.signal(command, "INT")).toBe(true);
  await command.ended;
  expect(command.exit).toBe(130);
  expect(host.signal(command, "INT")).toBe(false);
});

test("it is fed while it runs", async () => {
  const command = start('while read -r line; do echo "<$line>"; done; echo end', { stdin: "open" });
  await host.write(command, Buffer.from("one\n"), false);
  await printed(command, "<one>");
  await host.write(command, Buffer.from("two\n"), true);
  await command.ended;
  expect(told(command).stdout).toBe("<one>\n<two>\nend\n");
  const other = start("sleep 20");
  await expect(host.write(other, Buffer.from("x"), false)).rejects.toThrow("takes no input");
});

test("who comes next finds what runs, follows it on, and has all of it", async () => {
  const before = start("echo first; while [ ! -e go ]; do sleep 0.02; done; echo second >&2; echo third; exit 5");
  await printed(before, "first");
  host.close();
  host = following();
  host.adopt();
  const after = host.get(1000, before.meta.id);
  expect(after?.exit).toBeNull();
  writeFileSync(join(work, "go"), "");
  await after!.ended;
  rmSync(join(work, "go"));
  expect(told(after!)).toMatchObject({ exit: 5, stdout: "first\nthird\n", stderr: "second\n" });
});

test("who comes when it has ended finds how, and finds the same ever after", async () => {
  const ended = [await run("echo one; exit 4"), await run("sleep 20", { timeoutMs: 50 })];
  for (let round = 0; round < 2; round++) {
    host.close();
    host = following();
    host.adopt();
    const found = [number - 1, number].map((each) => told(host.get(1000, `c${each}`)!));
    expect(found).toEqual(ended);
  }
});

test("a number that another process has by now is nobody's command", async () => {
  const before = start("sleep 1000");
  const bystander = Bun.spawn(["sleep", "1000"], { env: {}, detached: true });
  const spool = join(spoolDirectory, "1000", before.meta.id);
  const deadline = realClock.mono() + 10_000;
  while (!existsSync(join(spool, "leader")) && realClock.mono() < deadline) await realClock.sleep(5);
  host.close();
  // The first process of the machine began at another moment than this one, whatever the clock's grain.
  const stat = readFileSync("/proc/1/stat", "utf8");
  writeFileSync(join(spool, "leader"), `${bystander.pid}\t${stat}`);
  host.signal(before, "KILL");
  host = following();
  host.adopt();
  const after = host.get(1000, before.meta.id);
  expect(after?.exit).toBe(137);
  expect(host.stop(after!)).toBe(false);
  expect(isAlive(bystander.pid)).toBe(true);
  bystander.kill();
  await bystander.exited;
});

test("no more run at once than may", async () => {
  for (let count = 0; count < 8; count++) start("sleep 20");
  expect(() => start("true")).toThrow("8 commands run on the host already");
});

test("a name that was used is refused, and what it names is left alone", async () => {
  const first = start("sleep 0.1; echo whole");
  const again = () =>
    host.start({ meta: first.meta, argv: [BASH, "-c", "true"], sandbox: null, env: {}, stdin: new Uint8Array() });
  expect(again).toThrow("was run already");
  await first.ended;
  expect(told(first).stdout).toBe("whole\n");
});

test("what never began leaves nothing", () => {
  const spools = () => readdirSync(join(spoolDirectory, "1000")).length;
  const before = spools();
  rmSync(join(work, "absent"), { recursive: true, force: true });
  expect(() =>
    host.start({
      meta: {
        id: "x",
        uid: 1000,
        ownerUid: 1000,
        pid: null,
        script: "",
        directory: join(work, "absent"),
        timeoutMs: 1,
      },
      argv: [BASH],
      sandbox: null,
      env: {},
      stdin: new Uint8Array(),
    }),
  ).toThrow("cannot start /bin/bash (ENOENT)");
  expect(spools()).toBe(before);
});
