// `gsv sh --host`: real bash in the current directory, on the command line.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Io } from "../../commands/command.ts";
import { realClock } from "../../src/lib/clock.ts";
import { FakeOutput, stdinOf } from "../support/io.ts";
import { TestKernel } from "../support/kernel.ts";
import { seeded } from "../support/random.ts";
import { scratchDirectory } from "../support/scratch.ts";
import { begin, type Typed } from "../support/shell.ts";

const cwd = join(scratchDirectory("host-shell"), "work");
mkdirSync(cwd);
writeFileSync(join(cwd, "build.sh"), 'echo "$0 $1 $#"; exit 4\n');
let home: TestKernel;

beforeAll(async () => {
  home = await TestKernel.boot({ cwd, realTime: true });
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  rmSync(join(cwd, ".."), { recursive: true, force: true });
});

let calls = 0;
const ENV = { PATH: "/usr/bin:/bin", HOME: cwd, LC_ALL: "C", ANTHROPIC_API_KEY: "canary", LD_PRELOAD: "canary" };

async function typed(args: readonly string[], stdin = stdinOf("none"), more: Partial<Io> = {}): Promise<Typed> {
  return await (
    await begin(home, ["sh", "--host", ...args], stdin, {
      cwd,
      env: ENV,
      clock: realClock,
      random: seeded(++calls).bytes,
      ...more,
    })
  ).ended;
}

test("a script runs in the current directory, with both streams, its arguments and its exit status", async () => {
  const ended = await typed(["-c", 'pwd; echo "$0 $1 $#"; echo told >&2; exit 7', "name", "it's"]);
  expect(ended).toEqual({ status: 7, stdout: `${cwd}\nname it's 1\n`, stderr: "told\n" });
});

test("a file and stdin are scripts too", async () => {
  expect(await typed(["build.sh", "release"])).toMatchObject({ status: 4, stdout: "build.sh release 1\n" });
  expect(await typed([], stdinOf("pipe", ["echo $0; cat; exit 2\n"]))).toMatchObject({ status: 2, stdout: "gsv\n" });
  expect(await typed(["missing.sh"])).toMatchObject({ status: 127 });
});

test("stdin is passed on, with any size and bytes", async () => {
  const bytes = Buffer.alloc(700_000, 0xff);
  const { stdout } = await typed(["-c", "wc -c; exec <&-"], stdinOf("pipe", [bytes]));
  expect(stdout.trim()).toBe("700000");
  expect(await typed(["-c", "head -c 3"], stdinOf("pipe", ["abcdef"]))).toMatchObject({ status: 0, stdout: "abc" });
});

test("it gets the allow-listed variables of the caller's environment", async () => {
  const { stdout } = await typed(["-c", "env"]);
  expect(stdout).toContain("LC_ALL=C\n");
  expect(stdout).toContain(`HOME=${cwd}\n`);
  expect(stdout).not.toContain("canary");
});

test("--timeout ends it with 124 and a message", async () => {
  const ended = await typed(["--timeout", "0.6", "-c", "echo begun; sleep 1000"]);
  expect(ended).toEqual({ status: 124, stdout: "begun\n", stderr: "gsv: ended: longer than 0.6 s\n" });
});

test("ctrl-c reaches the command, which decides the exit status", async () => {
  const stdout = new FakeOutput();
  const script = "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.02; done";
  const typing = await begin(home, ["sh", "--host", "-c", script], stdinOf("none"), {
    cwd,
    env: ENV,
    clock: realClock,
    stdout,
  });
  await home.until("it is ready", () => stdout.text.includes("ready"));
  typing.interrupt("INT");
  expect((await typing.ended).status).toBe(9);
  expect(stdout.text).toBe("ready\ncaught\n");
});

test("without a sandbox a person at a terminal gets one warning on stderr", async () => {
  const stderr = Object.assign(new FakeOutput(), { isTTY: true });
  expect((await typed(["-c", "echo hi"], stdinOf("none"), { stderr })).stdout).toBe("hi\n");
  expect(stderr.text).toBe("gsv: no sandbox on this computer: the script can do whatever you can\n");
  const quiet = Object.assign(new FakeOutput(), { isTTY: true });
  await typed(["--no-sandbox", "-c", "true"], stdinOf("none"), { stderr: quiet });
  expect(quiet.text).toBe("");
});

test("contradictory arguments are refused in one line", async () => {
  expect(await typed([])).toMatchObject({ status: 2, stderr: expect.stringContaining("no script") });
  expect(await typed(["-c"])).toMatchObject({ status: 2 });
  const wrong = await begin(home, ["sh", "--no-sandbox", "-c", "true"], stdinOf("none"), { cwd, clock: realClock });
  expect((await wrong.ended).stderr).toContain("--no-sandbox needs --host");
  const gone = await typed(["-c", "true"], stdinOf("none"), { cwd: join(cwd, "gone") });
  expect(gone).toMatchObject({ status: 3, stderr: `gsv: no such directory on this computer: ${join(cwd, "gone")}\n` });
});

test("many commands at once each get their own output", async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => typed(["-c", `echo ${n}; exit ${n}`])));
  expect(answers.map(({ status, stdout }) => `${status} ${stdout}`)).toEqual(
    Array.from({ length: 50 }, (_, n) => `${n} ${n}\n`),
  );
});

test.each([["--host"], []])(
  "output reaches a pipe unchanged, and has no effect on a terminal: sh %s",
  async (...flags) => {
    const stdin = stdinOf("none");
    const script =
      "printf 'a\\033]0;ti'; sleep 0; printf 'tle\\007b\\033[2Jc\\342\\200\\256d\\r'; printf '\\033[5mx' >&2";
    const argv = ["sh", ...flags, "-c", script];
    const how = { cwd, env: ENV, clock: realClock };
    const piped = await (await begin(home, argv, stdin, { ...how, random: seeded(++calls).bytes })).ended;
    expect([piped.stdout, piped.stderr]).toEqual(["a\x1b]0;title\x07b\x1b[2Jc\u202ed\r", "\x1b[5mx"]);
    const [stdout, stderr] = [new FakeOutput(), new FakeOutput()];
    [stdout.isTTY, stderr.isTTY] = [true, true];
    await (await begin(home, argv, stdin, { ...how, random: seeded(++calls).bytes, stdout, stderr })).ended;
    expect(stdout.text).toBe("abc⟨U+202E⟩d␍");
    expect(stderr.text).toEndWith("x");
    expect(stderr.text).not.toContain("\x1b");
  },
);
