// doctor, fsck and paths: their flags and output, and all three on really damaged homes.

import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonLines, withHome } from "../support/home.ts";
import { FakeIo, runs } from "../support/io.ts";

let io: FakeIo;
beforeEach(() => {
  io = new FakeIo();
});

describe("gsv doctor and gsv fsck print", () => {
  test("a line for each finding, aligned, with advice, and exit 1 if there is a problem", async () => {
    io.findings.push(
      { check: "home", level: "ok", what: "fine" },
      { check: "sandbox", level: "notice", what: "none", fix: "get one" },
    );
    expect(await runs(io, "doctor")).toBe(0);
    expect(io.stdout.lines).toEqual(["ok      home     fine", "notice  sandbox  none → get one"]);
    expect(io.stderr.text).toBe("no problem found\n");
    io.findings.push({ check: "disk", level: "problem", what: "full", fix: "free some" });
    expect(await runs(io, "fsck")).toBe(1);
    expect(io.stdout.lines.at(-1)).toBe("problem  disk     full → free some");
    expect(io.stderr.text).toEndWith("\n1 problem\n");
  });

  test("the advice below its finding on a narrow terminal, cutting nothing", async () => {
    io.findings.push({ check: "home", level: "problem", what: "others can reach it", fix: "chmod 700 /somewhere/far" });
    await runs(io.terminal(50), "doctor");
    expect(io.stdout.lines).toEqual([
      "problem  home  others can reach it",
      "               → chmod 700 /somewhere/far",
    ]);
  });

  test("one object per line as JSON, and hidden characters of a name visible in text", async () => {
    io.findings.push({ check: "permissions", level: "problem", what: "a\x1b[2Jb\u202e", fix: "c\nd" });
    expect(await runs(io, "doctor", "--json")).toBe(1);
    expect(jsonLines<object>(io.stdout.text)).toEqual(io.findings);
    expect(io.stderr.text).toBe("");
    io.stdout.text = "";
    await runs(io, "doctor");
    expect(io.stdout.lines).toEqual(["problem  permissions  a␛[2Jb⟨U+202E⟩ → c⏎d"]);
  });

  test("only for valid arguments", async () => {
    await runs(io, "doctor", "home", "--fix", "disk");
    await runs(io, "doctor");
    await runs(io, "fsck", "--repair");
    expect(io.examined).toEqual([
      { checks: ["home", "disk"], fix: true },
      { checks: [], fix: false },
      { repair: true },
    ]);
    expect(await runs(io, "doctor", "--repair")).toBe(2);
    expect(await runs(io, "fsck", "home")).toBe(2);
  });
});

test("gsv paths prints a name and a path per line, or one object, and reports an unusable home", async () => {
  io.places = [
    { name: "home", path: "/h" },
    { name: "socket", path: null },
  ];
  expect(await runs(io, "paths")).toBe(0);
  expect(io.stdout.lines).toEqual(["home    /h", "socket  -"]);
  await runs(io, "paths", "--json");
  expect(io.stdout.lines.at(-1)).toBe('{"home":"/h","socket":null}');
});

test.concurrent("doctor finds no problem on an unused home, and creates nothing", async () => {
  await withHome(async (home) => {
    for (const args of [["doctor"], ["doctor", "--fix"], ["fsck"], ["fsck", "--repair"], ["paths"]]) {
      expect([args, (await home.gsv(args)).status]).toEqual([args, 0]);
    }
    expect(existsSync(home.directory)).toBe(false);
  });
}, 30_000);

test.concurrent("a home created with umask 000 is private, with and without a kernel", async () => {
  await withHome(async (home) => {
    const before = process.umask(0o000);
    try {
      expect((await home.gsv(["chat", "hello"])).status).toBe(0);
    } finally {
      process.umask(before);
    }
    expect((await home.gsv(["proc", "reset"])).status).toBe(0);
    const running = await home.gsv(["doctor", "--json"]);
    expect([running.status, running.stdout]).toEqual([0, expect.stringContaining("is running and answers")]);
    const permissions = jsonLines<{ check: string; level: string }>(running.stdout);
    expect(permissions.find((finding) => finding.check === "permissions")?.level).toBe("ok");
    expect((await home.gsv(["kernel", "stop"])).status).toBe(0);
    for (const args of [["doctor"], ["fsck"], ["fsck", "--repair"]]) expect((await home.gsv(args)).status).toBe(0);
    expect(home.holder).toBe(null);
  });
}, 30_000);

test.concurrent("doctor reports a suspended kernel and how to resume it, and refuses fsck --repair meanwhile", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["send", "hello"])).status).toBe(0);
    const pid = home.holder ?? 0;
    process.kill(pid, "SIGSTOP");
    const told = await home.gsv(["doctor", "lock"]);
    expect(told.status).toBe(1);
    expect(told.stdout).toBe(
      `problem  lock  the kernel (pid ${pid}) is running and does not answer: it is suspended → kill -CONT ${pid}\n`,
    );
    const refused = await home.gsv(["fsck", "--repair"]);
    expect([refused.status, refused.stdout]).toEqual([75, ""]);
    expect(refused.stderr).toBe(`gsv: a kernel (pid ${pid}) is running; this needs it stopped\n  gsv kernel stop\n`);
    process.kill(pid, "SIGCONT");
    expect((await home.gsv(["doctor", "lock"])).stdout).toContain("answers");
  });
}, 30_000);

test.concurrent("doctor --fix removes a killed kernel's remains, and closes open modes", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["chat", "hello"])).status).toBe(0);
    await home.kill();
    chmodSync(home.directory, 0o755);
    chmodSync(home.paths.kernelDb, 0o666);
    expect((await home.gsv(["ps"])).status).toBe(78);
    const found = await home.gsv(["doctor"]);
    expect([found.status, found.stdout.match(/^problem/gm)?.length]).toEqual([1, 2]);
    expect(statSync(home.directory).mode & 0o777).toBe(0o755);
    const mended = await home.gsv(["doctor", "--fix"]);
    expect([mended.status, mended.stdout.match(/^fixed/gm)?.length]).toEqual([0, 4]);
    expect([existsSync(home.paths.socket), existsSync(home.paths.kernelInfo)]).toEqual([false, false]);
    expect(statSync(home.directory).mode & 0o777).toBe(0o700);
    const again = await home.gsv(["doctor"]);
    expect([again.status, again.stdout.match(/^(?:problem|fixed)/gm)]).toEqual([0, null]);
    expect((await home.gsv(["chat", "hello"])).status).toBe(0);
  });
}, 30_000);

test.concurrent("a home of garbage gives a list of problems and no internal error", async () => {
  await withHome(async (home) => {
    expect((await home.gsv(["chat", "hello"])).status).toBe(0);
    await home.stop();
    const { kernelDb, procDir, lockFile, kernelInfo, socket, quarantineDir, objectsDir } = home.paths;
    for (const path of [kernelDb, lockFile, kernelInfo, socket, join(procDir, "init:1000.db")]) {
      writeFileSync(path, "rubbish ".repeat(2000));
    }
    for (const path of [quarantineDir, objectsDir]) rmSync(path, { recursive: true });
    writeFileSync(quarantineDir, "not a directory");
    for (const args of [["doctor"], ["doctor", "--fix"], ["fsck"]]) {
      const { status, stdout, stderr } = await home.gsv(args);
      expect([args, status, stderr.includes("fault")]).toEqual([args, 1, false]);
      expect(stdout).toMatch(/^problem +databases +kernel\.db: /m);
    }
    const repair = await home.gsv(["fsck", "--repair"]);
    expect(repair.stderr).toContain("cannot lock");
  });
}, 30_000);
