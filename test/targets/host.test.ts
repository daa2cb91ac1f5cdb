// Real bash on the host: the environment of a command, and its state once no kernel follows it. All tests run without a sandbox and in
// the host's own.

import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { realClock } from "../../src/lib/clock.ts";
import { BASH } from "../../src/targets/leader.ts";
import { Spool } from "../../src/targets/spool.ts";
import { HostBench, isThere, printed, told, WAYS } from "../support/host.ts";

const bench = new HostBench();
afterEach(() => bench.clear());
afterAll(() => bench.dispose());

test("the end of a command is read whether its leader completed the last line or not", () => {
  const spool = new Spool(join(bench.work, "spool"));
  mkdirSync(spool.directory);
  const read = ["", "4", "4\n", "four\n"].map((text) => {
    writeFileSync(spool.path("status"), text);
    return [spool.status(), spool.lastStatus()];
  });
  expect(read).toEqual([
    [null, null],
    [null, 4],
    [4, 4],
    [null, null],
  ]);
  rmSync(spool.directory, { recursive: true });
});

describe.each(WAYS)("$name", ({ sandbox }) => {
  beforeEach(() => {
    bench.sandbox = sandbox;
  });

  test("a command has its directory, arguments, stdin, both streams and its exit status", async () => {
    const script = 'pwd; echo "$0 $# $2"; cat; echo told >&2; exit 3';
    const ended = await bench.run(script, { args: ["one", "it's two"], stdin: Buffer.from("what came in\n") });
    expect(ended).toMatchObject({ exit: 3, stdout: `${bench.work}\ngsv 2 it's two\nwhat came in\n`, stderr: "told\n" });
  });

  test("binary bytes pass unchanged", async () => {
    expect((await bench.run("printf '\\0\\377\\200\\n\\1'")).bytes).toEqual([0, 255, 128, 10, 1]);
  });

  test("a command's environment has only the allowed names, and no secret", async () => {
    const secrets = { ANTHROPIC_API_KEY: "canary-1", GSV_TOKEN: "canary-2", AWS_SECRET_ACCESS_KEY: "canary-3" };
    const { stdout } = await bench.run("env; cat /proc/$$/environ /proc/$PPID/environ", {
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

  test("nothing in the environment or the directory makes it run another program", async () => {
    const trap = join(bench.work, "trap.sh");
    writeFileSync(trap, "echo trapped\n", { mode: 0o755 });
    for (const name of [".bashrc", ".profile", ".bash_profile", "bunfig.toml", ".env"])
      writeFileSync(join(bench.work, name), "echo trapped\n");
    writeFileSync(join(bench.work, "ls"), "#!/bin/sh\necho trapped\n", { mode: 0o755 });
    const hostile = {
      BASH_ENV: trap,
      ENV: trap,
      PROMPT_COMMAND: "echo trapped",
      "BASH_FUNC_ls%%": "() { echo trapped; }",
      LD_PRELOAD: trap,
      SHELLOPTS: "xtrace",
      PS4: "$(echo trapped)",
      PATH: `.:${bench.work.slice(1)}::/usr/bin:/bin`,
    };
    const { stdout, stderr, exit } = await bench.run("ls -d /; echo done", { env: hostile });
    expect({ stdout, stderr, exit }).toEqual({ stdout: "/\ndone\n", stderr: "", exit: 0 });
  });

  test("its new files have the usual modes", async () => {
    await bench.run("rm -f made; touch made");
    expect(statSync(join(bench.work, "made")).mode & 0o777).toBe(0o644);
  });

  test("a gibibyte of output is cut with a message, and takes no more than the allowed space", async () => {
    bench.host = bench.following(1024 * 1024);
    const command = bench.start("head -c 1073741824 /dev/zero; sleep 20");
    await command.ended;
    const { exit, stderr } = told(command);
    expect({ exit, stderr }).toEqual({
      exit: 153,
      stderr: "gsv: ended: more than 1 MiB of output; the rest is lost\n",
    });
    const spool = join(bench.spoolDirectory, "1000", command.meta.id);
    expect(statSync(join(spool, "stdout")).size).toBe(1024 * 1024);
  });

  test("it reads its stdin while it runs", async () => {
    const command = bench.start('while read -r line; do echo "<$line>"; done; echo end', { stdin: "open" });
    await bench.host.write(command, Buffer.from("one\n"), false);
    await printed(command, "<one>");
    await bench.host.write(command, Buffer.from("two\n"), true);
    await command.ended;
    expect(told(command).stdout).toBe("<one>\n<two>\nend\n");
    const other = bench.start("sleep 20");
    await expect(bench.host.write(other, Buffer.from("x"), false)).rejects.toThrow("takes no input");
  });

  test("a later kernel finds a running command, follows it, and has all of its output", async () => {
    const before = bench.start(
      "echo first; while [ ! -e go ]; do sleep 0.02; done; echo second >&2; echo third; exit 5",
    );
    await printed(before, "first");
    bench.next();
    const after = bench.host.get(1000, before.meta.id);
    expect(after?.exit).toBeNull();
    writeFileSync(join(bench.work, "go"), "");
    await after!.ended;
    rmSync(join(bench.work, "go"));
    expect(told(after!)).toMatchObject({ exit: 5, stdout: "first\nthird\n", stderr: "second\n" });
  });

  test("a later kernel finds how a command ended, and always the same result", async () => {
    const commands = [bench.start("echo one; exit 4"), bench.start("sleep 20", { timeoutMs: 50 })];
    await Promise.all(commands.map(({ ended }) => ended));
    const ended = commands.map(told);
    for (let round = 0; round < 2; round++) {
      bench.next();
      expect(commands.map(({ meta }) => told(bench.host.get(1000, meta.id)!))).toEqual(ended);
    }
  });

  test("whatever replaced its files, the next kernel starts and waits for none of them", async () => {
    for (const file of ["order", "meta.json", "status", "leader"] as const) {
      for (const put of ["mkdir", "mkfifo"]) {
        const before = bench.start("echo one; exit 4");
        await before.ended;
        const place = join(bench.spoolDirectory, "1000", before.meta.id, file);
        rmSync(place);
        Bun.spawnSync([put, place], { env: { PATH: process.env.PATH ?? "" } });
        bench.next();
        const found = bench.host.get(1000, before.meta.id);
        if (file === "meta.json") expect(found).toBeNull();
        if (file === "order") expect(told(found!)).toMatchObject({ exit: 4, stdout: "one\n" });
      }
    }
  });

  test("a reused pid is not taken for a command", async () => {
    const before = bench.start("sleep 1000");
    const bystander = Bun.spawn(["sleep", "1000"], { env: {}, detached: true });
    const spool = join(bench.spoolDirectory, "1000", before.meta.id);
    const deadline = realClock.mono() + 10_000;
    while (!existsSync(join(spool, "leader")) && realClock.mono() < deadline) await realClock.sleep(5);
    bench.host.close();
    // The first process of the host started at another moment than this one, at any resolution of the clock.
    const stat = readFileSync("/proc/1/stat", "utf8");
    writeFileSync(join(spool, "leader"), `${bystander.pid}\t${stat}`);
    bench.host.signal(before, "KILL");
    bench.host = bench.following();
    bench.host.adopt();
    const after = bench.host.get(1000, before.meta.id);
    expect(after?.exit).toBe(137);
    expect(bench.host.stop(after!)).toBe(false);
    expect(isThere(bystander.pid)).toBe(true);
    bystander.kill();
    await bystander.exited;
  });

  test("no more than the limit run at once", async () => {
    for (let count = 0; count < 8; count++) bench.start("sleep 20");
    expect(() => bench.start("true")).toThrow("8 commands are running on this computer");
  });

  test("a used name is refused, and the command with that name is left alone", async () => {
    const first = bench.start("sleep 0.1; echo whole");
    const again = () =>
      bench.host.start({
        meta: first.meta,
        argv: [BASH, "-c", "true"],
        sandbox: null,
        env: {},
        stdin: new Uint8Array(),
      });
    expect(again).toThrow("was run already");
    await first.ended;
    expect(told(first).stdout).toBe("whole\n");
  });

  test("a command that never started leaves no files", () => {
    const spools = () => readdirSync(join(bench.spoolDirectory, "1000")).length;
    const before = spools();
    rmSync(join(bench.work, "absent"), { recursive: true, force: true });
    expect(() =>
      bench.host.start({
        meta: {
          id: "x",
          uid: 1000,
          ownerUid: 1000,
          pid: null,
          script: "",
          directory: join(bench.work, "absent"),
          timeoutMs: 1,
        },
        argv: [BASH],
        sandbox: null,
        env: {},
        stdin: new Uint8Array(),
      }),
    ).toThrow("cannot start /bin/bash: no such file or directory");
    expect(spools()).toBe(before);
  });
});
