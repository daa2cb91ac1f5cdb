// Doctor on the files of a home: broken on purpose, found, fixed, and then found no more.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { socketPlace } from "../../src/client/socket.ts";
import { doctorOf } from "../../src/doctor/examine.ts";
import { realClock } from "../../src/lib/clock.ts";
import { patientOf } from "../../src/machine/doctor.ts";
import { homeFrom, homePaths } from "../../src/paths.ts";
import { acquireLock } from "../../src/store/lock.ts";
import { Bed, lines } from "../support/patient.ts";
import { seeded } from "../support/random.ts";

const ME = process.getuid?.() ?? 0;
let bed: Bed;

beforeEach(async () => {
  bed = await Bed.make();
});
afterEach(() => bed[Symbol.dispose]());

/** A path without a home. */
async function elsewhere(work: (at: string, look: () => Promise<string[]>) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "gsv-doctor-"));
  const paths = homePaths(join(root, "home"));
  const machine = { uid: ME, env: {}, clock: realClock, random: seeded(3).bytes };
  const patient = await patientOf({
    ...machine,
    home: { paths, socket: () => socketPlace(paths, { uid: machine.uid }) },
  });
  try {
    await work(paths.home, async () => lines(await doctorOf(patient).examine({ checks: [], fix: true })));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Listens there and dies, as a kernel would at kill -9. */
async function leaveSocket(path: string): Promise<void> {
  const die = `Bun.listen({ unix: process.argv[1], socket: { data() {} } }); process.kill(process.pid, "SIGKILL")`;
  await Bun.spawn([process.execPath, "-e", die, path], { env: {} }).exited;
}

describe("the home", () => {
  test("a sound one has no problem in any check", async () => {
    const found = await bed.look([]);
    expect(found.filter((line) => line.startsWith("problem"))).toEqual([]);
    expect(found).toContain(`ok home: ${bed.paths.home}: private`);
    expect((await bed.fsck()).every((line) => line.startsWith("ok"))).toBe(true);
  });

  test("that does not exist yet is a notice, and neither check nor repair creates it", async () => {
    await elsewhere(async (at, look) => {
      const found = await look();
      expect(found).toContain(`notice home: ${at} does not exist yet`);
      expect(found.filter((line) => line.startsWith("problem"))).toEqual([]);
      expect(existsSync(at)).toBe(false);
    });
  });

  test("that is a file is a problem, and the file is not changed", async () => {
    await elsewhere(async (at, look) => {
      writeFileSync(at, "mine");
      expect(await look()).toContain(`problem home: ${at} is not a directory`);
      expect(readFileSync(at, "utf8")).toBe("mine");
    });
  });

  test("that is a link to nowhere, or an empty directory, breaks no check", async () => {
    await elsewhere(async (at, look) => {
      symlinkSync("nowhere", at);
      expect((await look())[0]).toStartWith("notice home:");
      rmSync(at);
      mkdirSync(at, { mode: 0o700 });
      expect((await look()).filter((line) => line.startsWith("problem"))).toEqual([]);
    });
  });

  test("that GSV_HOME names wrongly is reported, and checks without a home still run", async () => {
    let fault: unknown;
    try {
      homeFrom("relative", "/");
    } catch (error) {
      fault = error;
    }
    const machine = { uid: ME, env: {}, clock: realClock, random: seeded(3).bytes };
    const patient = await patientOf({ ...machine, home: fault as never });
    const found = lines(await doctorOf(patient).examine({ checks: [], fix: true }));
    expect(found[0]).toBe("problem home: GSV_HOME is not an absolute path: relative");
    expect(found.some((line) => line.startsWith("ok provider"))).toBe(true);
    expect(lines(await doctorOf(patient).fsck({ repair: true }))).toEqual([
      "notice home: there is nothing to check: GSV_HOME is not an absolute path: relative",
    ]);
  });

  test("with access for others is made private by --fix", async () => {
    chmodSync(bed.paths.home, 0o755);
    expect((await bed.look("home"))[0]).toContain("has mode 755: others have access");
    expect((await bed.fix("home"))[0]).toStartWith("fixed home:");
    expect(statSync(bed.paths.home).mode & 0o777).toBe(0o700);
    expect((await bed.look("home"))[0]).toStartWith("ok");
  });

  test("with a file in place of a directory names it, and --fix leaves it", async () => {
    rmSync(bed.paths.spoolDir, { recursive: true });
    writeFileSync(bed.paths.spoolDir, "not a directory");
    expect(await bed.fix("home")).toContain(`problem home: ${bed.paths.spoolDir} is not a directory`);
    expect(readFileSync(bed.paths.spoolDir, "utf8")).toBe("not a directory");
  });

  test("of another user is a problem that only the owner can fix", async () => {
    const found = await bed.look(["home", "permissions"], { uid: ME + 1 });
    expect(found[0]).toContain(`belongs to uid ${ME}, not to you (uid ${ME + 1})`);
    expect(found[1]).toStartWith("problem permissions: owned by another user: ");
  });
});

describe("a directory that is named by mistake", () => {
  test("where no kernel has run is reported, and no mode in it is changed", async () => {
    await elsewhere(async (at, look) => {
      mkdirSync(join(at, "log"), { recursive: true });
      writeFileSync(join(at, "log", "mine"), "");
      const open = [at, join(at, "log"), join(at, "log", "mine")];
      for (const path of open) chmodSync(path, 0o755);
      expect(await look()).toContain(
        `problem home: ${at} has mode 755: others have access, and it contains files that are not gsv's`,
      );
      expect(open.map((path) => statSync(path).mode & 0o777)).toEqual([0o755, 0o755, 0o755]);
    });
  });

  test("where a kernel has run keeps the modes of everything that is not gsv's", async () => {
    const mine = join(bed.paths.home, "mine");
    mkdirSync(join(mine, "deep"), { recursive: true });
    for (const path of [mine, join(mine, "deep")]) chmodSync(path, 0o755);
    await bed.fix(["home", "permissions"]);
    expect([mine, join(mine, "deep")].map((path) => statSync(path).mode & 0o777)).toEqual([0o755, 0o755]);
  });
});

describe("permissions", () => {
  test("every file with access for others is found, and --fix removes only that access", async () => {
    const { kernelDb, objectsDir } = bed.paths;
    const script = join(bed.paths.logDir, "hook");
    writeFileSync(script, "#!/bin/sh\n");
    chmodSync(script, 0o755);
    chmodSync(kernelDb, 0o644);
    chmodSync(objectsDir, 0o711);
    const [found = ""] = await bed.look("permissions");
    for (const name of ["hook", "kernel.db", "objects"]) expect(found).toContain(name);
    expect((await bed.fix("permissions"))[0]).toBe("fixed permissions: 3 modes corrected");
    expect([script, kernelDb, objectsDir].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o700]);
    expect((await bed.look("permissions"))[0]).toMatch(/^ok permissions: all \d+ files/);
  });

  test("a database without write access and a directory without search access are corrected", async () => {
    chmodSync(bed.paths.kernelDb, 0o400);
    chmodSync(bed.paths.logDir, 0o000);
    expect((await bed.look("permissions"))[0]).toMatch(
      /^problem permissions: you have no access to (?:log|kernel\.db), /,
    );
    await bed.fix("permissions");
    expect([bed.paths.kernelDb, bed.paths.logDir].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
  });

  test("the link of objects/ to another disk is followed, other links are not", async () => {
    const { objectsDir, home } = bed.paths;
    const outside = mkdtempSync(join(tmpdir(), "gsv-doctor-"));
    try {
      renameSync(objectsDir, join(bed.home.directory, "moved"));
      symlinkSync(join(bed.home.directory, "moved"), objectsDir);
      writeFileSync(join(outside, "open"), "");
      chmodSync(join(outside, "open"), 0o644);
      symlinkSync(join(outside, "open"), join(home, "link"));
      symlinkSync(outside, join(home, "directory"));
      symlinkSync(outside, join(bed.paths.logDir, "directory"));
      chmodSync(join(bed.home.directory, "moved"), 0o777);
      await bed.fix("permissions");
      expect(statSync(objectsDir).mode & 0o777).toBe(0o700);
      expect(statSync(join(outside, "open")).mode & 0o777).toBe(0o644);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });
});

describe("leftovers of a kernel that died", () => {
  const INFO = JSON.stringify({ pid: 1, version: "0", exe: "gsv", socket: "/nowhere", startedAt: 0 });

  test("its kernel.json, socket and half-written files are found and removed, and nothing else", async () => {
    const { kernelInfo, socket, objectsDir } = bed.paths;
    writeFileSync(kernelInfo, INFO);
    await leaveSocket(socket);
    writeFileSync(`${kernelInfo}.new`, "{");
    mkdirSync(join(objectsDir, ".tmp"), { recursive: true });
    writeFileSync(join(objectsDir, ".tmp", "half"), "half");
    const checks = ["lock", "socket", "leftovers"];
    expect(await bed.look(checks)).toEqual([
      "notice lock: run/kernel.json is left from a kernel that is gone (pid 1)",
      `notice socket: ${socket} is left from a kernel that is gone`,
      "notice leftovers: half-written files: objects/.tmp/half, run/kernel.json.new",
    ]);
    expect((await bed.fix(checks)).filter((line) => line.startsWith("fixed"))).toHaveLength(3);
    expect((await bed.look(checks)).map((line) => line.split(" ")[0])).toEqual(["ok", "ok", "ok"]);
    expect(await bed.visit()).toEqual([]);
  });

  test("while a kernel is running nothing is removed", async () => {
    const lock = acquireLock(bed.paths.lockFile);
    writeFileSync(`${bed.paths.kernelInfo}.new`, "{");
    const greet = async () => ({ how: "ready" }) as const;
    expect(await bed.fix(["lock", "leftovers"], { greet })).toEqual(["ok lock: a kernel is running and answers"]);
    expect(existsSync(`${bed.paths.kernelInfo}.new`)).toBe(true);
    lock?.release();
  });

  test("a kernel that starts between check and repair keeps its kernel.json", async () => {
    writeFileSync(bed.paths.kernelInfo, INFO);
    const patient = await bed.patient();
    const late = { ...patient, lock: { ...patient.lock, isHeld: () => false } };
    const lock = acquireLock(bed.paths.lockFile);
    const found = lines(await doctorOf(late).examine({ checks: ["lock"], fix: true }));
    lock?.release();
    expect(found[0]).toBe("problem lock: not repaired: a kernel (pid 1) is running; this needs it stopped");
    expect(existsSync(bed.paths.kernelInfo)).toBe(true);
  });

  test("another file in place of the lock or the socket is named and left", async () => {
    rmSync(bed.paths.lockFile, { force: true });
    writeFileSync(bed.paths.lockFile, "x".repeat(5000));
    writeFileSync(bed.paths.socket, "mine");
    const found = await bed.fix(["lock", "socket"]);
    expect(found[0]).toStartWith(`problem lock: ${bed.paths.lockFile} is not a lock file: `);
    expect(found[1]).toStartWith(`problem socket: ${bed.paths.socket} is not a socket`);
    expect(readFileSync(bed.paths.socket, "utf8")).toBe("mine");
  });
});

describe("versions", () => {
  test("a home of a newer gsv is a problem, one of an older gsv a notice", async () => {
    bed.sql("kernel.db", "PRAGMA user_version = 999");
    expect((await bed.look("versions"))[1]).toContain("written by a newer gsv (schema 999; this one knows");
    const newer = expect.stringMatching(
      /^problem versions: kernel\.db was written by a newer gsv \(schema 999; this one knows \d+\)$/,
    );
    expect((await bed.fsck())[0]).toEqual(newer);
    // Nothing is repaired in a home that this gsv does not know.
    expect(await bed.fsck(true)).toEqual([newer]);
    bed.sql("proc/init:1000.db", "PRAGMA user_version = 999");
    expect((await bed.look("databases"))[0]).toContain("init:1000.db was written by a newer gsv");
    bed.sql("kernel.db", "PRAGMA user_version = 0");
    expect((await bed.look("versions"))[1]).toStartWith("notice versions: kernel.db has schema 0, this gsv has ");
  });

  test("a kernel of another version is reported with the one to use", async () => {
    const patient = await bed.patient();
    const running = (version: string) => ({
      lock: { ...patient.lock, isHeld: () => true, holder: () => ({ pid: 7, version, exe: "/gone/gsv" }) },
    });
    expect((await bed.look("versions", running("99.0.0")))[1]).toBe(
      "problem versions: the kernel (pid 7) is gsv 99.0.0, newer than this one",
    );
    const older = await bed.look("versions", running("0.0.1"));
    expect(older[1]).toBe("notice versions: the kernel (pid 7) is gsv 0.0.1, older than this one");
    expect(older[2]).toBe("notice versions: the binary of the running kernel (pid 7) is gone: /gone/gsv");
    expect((await bed.look("versions", running("not a version")))[1]).toStartWith("notice");
  });
});

test("crash files are counted, and the newest is named", async () => {
  expect(await bed.look("crashes")).toEqual(["ok crashes: no crash files"]);
  const directory = join(bed.paths.crashDir, "1000");
  mkdirSync(directory, { recursive: true });
  const cores = ["task:abc123-20260102T030405678Z.json", "init:1000-20251231T235959999Z.json"];
  for (const name of [...cores, "notes.txt"]) writeFileSync(join(directory, name), "{}");
  expect(await bed.look("crashes")).toEqual([
    "notice crashes: 2 failed runs left a crash file, the newest at 2026-01-02T03:04:05.678Z",
  ]);
});
