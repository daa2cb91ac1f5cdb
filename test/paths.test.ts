import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { SysError } from "../src/abi/errno.ts";
import { homeFrom, homePaths, prepareHome, readKernelInfo, socketPathFor } from "../src/paths.ts";

const uid = process.getuid?.() ?? 0;
let base = "";
const madeInTmp: string[] = [];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "gsv-paths-"));
});

afterEach(() => {
  for (const path of [base, ...madeInTmp.splice(0)]) rmSync(path, { recursive: true, force: true });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("the home is GSV_HOME, or .gsv in the person's own; a relative GSV_HOME is refused with the one that was meant", () => {
  expect(homeFrom("/data/gsv", "/home/sam")).toBe("/data/gsv");
  for (const unset of [undefined, ""]) expect(homeFrom(unset, "/home/sam")).toBe("/home/sam/.gsv");
  for (const relative of ["gsv", "./gsv", "../gsv", "~/gsv"]) {
    const error = refusal(() => homeFrom(relative, "/home/sam"));
    expect([error.code, error.message]).toEqual(["ECONFIG", `GSV_HOME is relative: ${relative}`]);
    expect(error.hints.join()).toContain(`export GSV_HOME=${resolve(relative)}`);
  }
});

function refusal(body: () => unknown): SysError {
  try {
    body();
  } catch (error) {
    if (error instanceof SysError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

function withUmask<T>(mask: number, body: () => T): T {
  const before = process.umask(mask);
  try {
    return body();
  } finally {
    process.umask(before);
  }
}

describe("a home", () => {
  for (const mask of [0o000, 0o022, 0o077]) {
    test(`is made with everything in it for its owner alone under umask ${mask.toString(8)}, parents too`, () => {
      const paths = homePaths(join(base, "deep/er/gsv"));
      withUmask(mask, () => prepareHome(paths, uid));
      const made = [
        join(base, "deep"),
        join(base, "deep/er"),
        paths.home,
        paths.runDir,
        paths.procDir,
        paths.objectsDir,
      ];
      for (const path of [
        ...made,
        paths.logDir,
        paths.backupDir,
        paths.quarantineDir,
        paths.secretsDir,
        paths.spoolDir,
        paths.crashDir,
      ]) {
        expect(`${path} ${modeOf(path).toString(8)}`).toBe(`${path} 700`);
      }
    });
  }

  test("that is fresh and empty is tightened, and one in use is used again", () => {
    const paths = homePaths(join(base, "home"));
    mkdirSync(paths.home);
    chmodSync(paths.home, 0o777);
    prepareHome(paths, uid);
    expect(modeOf(paths.home)).toBe(0o700);
    writeFileSync(paths.kernelDb, "");
    prepareHome(paths, uid);
  });

  for (const mode of [0o755, 0o770, 0o707, 0o710, 0o701, 0o720, 0o702]) {
    test(`of mode ${mode.toString(8)} with something in it is refused with the command that mends it`, () => {
      const paths = homePaths(join(base, "it's mine"));
      mkdirSync(paths.home);
      writeFileSync(join(paths.home, "notes"), "mine");
      chmodSync(paths.home, mode);
      const error = refusal(() => prepareHome(paths, uid));
      expect(error.code).toBe("ECONFIG");
      expect(error.message).toBe(
        `cannot use ${paths.home}: others can reach what it holds (mode 0${mode.toString(8)})`,
      );
      expect(error.hints).toEqual([`chmod 700 '${join(base, "it'\\''s mine")}'`]);
      expect(modeOf(paths.home)).toBe(mode);
      expect(existsSync(paths.runDir)).toBe(false);
      Bun.spawnSync(["sh", "-c", error.hints[0] ?? ""]);
      prepareHome(paths, uid);
    });
  }

  test("of somebody else is refused, and so is what is not a directory", () => {
    const paths = homePaths(join(base, "home"));
    prepareHome(paths, uid);
    expect(refusal(() => prepareHome(paths, uid + 1)).message).toContain(
      `belongs to uid ${uid}, not to you (uid ${uid + 1})`,
    );
    const file = homePaths(join(base, "file"));
    writeFileSync(file.home, "");
    expect(refusal(() => prepareHome(file, uid)).message).toContain("not a directory");
    const under = homePaths(join(base, "file/home"));
    expect(refusal(() => prepareHome(under, uid)).code).toBe("ECONFIG");
  });

  test("whose inner directories were loosened has them tightened again", () => {
    const paths = homePaths(join(base, "home"));
    prepareHome(paths, uid);
    chmodSync(paths.runDir, 0o777);
    prepareHome(paths, uid);
    expect(modeOf(paths.runDir)).toBe(0o700);
  });
});

describe("the socket path", () => {
  const long = () => homePaths(join(base, "x".repeat(120)));
  const tracked = (path: string) => {
    if (!path.startsWith(base)) madeInTmp.push(dirname(path));
    return path;
  };

  test("lies in the home, as long as the name it is bound under fits into 107 bytes", () => {
    for (let length = 60; length < 110; length++) {
      const paths = homePaths(`/${"h".repeat(length)}`);
      const socket = tracked(socketPathFor(paths, { uid }));
      expect(Buffer.byteLength(`${socket}.new`)).toBeLessThanOrEqual(107);
      if (Buffer.byteLength(`${paths.socket}.new`) <= 107) expect(socket).toBe(paths.socket);
    }
    const wide = homePaths(`/${"❄".repeat(40)}`);
    expect(tracked(socketPathFor(wide, { uid }))).not.toBe(wide.socket);
  });

  test("of a long home lies in the user's runtime directory when that is private, else in a private one in /tmp", () => {
    const runtimeDir = mkdtempSync("/tmp/gsv-xdg-");
    madeInTmp.push(runtimeDir);
    const inRuntime = socketPathFor(long(), { uid, runtimeDir });
    expect(inRuntime).toMatch(new RegExp(`^${runtimeDir}/gsv-[0-9a-f]{16}/kernel.sock$`));
    expect(modeOf(dirname(inRuntime))).toBe(0o700);
    chmodSync(runtimeDir, 0o755);
    const inTmp = tracked(socketPathFor(long(), { uid, runtimeDir }));
    expect(inTmp).toMatch(new RegExp(`^/tmp/gsv-${uid}-[0-9a-f]{16}/kernel.sock$`));
    expect(tracked(socketPathFor(long(), { uid, runtimeDir: "relative" }))).toBe(inTmp);
    expect(tracked(socketPathFor(homePaths(`${long().home}2`), { uid }))).not.toBe(inTmp);
  });

  test("is where the kernel says it is, for clients that were given another runtime directory", () => {
    const runtimeDir = mkdtempSync("/tmp/gsv-xdg-");
    madeInTmp.push(runtimeDir);
    const paths = long();
    prepareHome(paths, uid);
    const socket = socketPathFor(paths, { uid, runtimeDir });
    writeFileSync(paths.kernelInfo, JSON.stringify({ pid: 5, version: "1", exe: "gsv", socket, startedAt: 1 }));
    expect(socketPathFor(paths, { uid })).toBe(socket);
    chmodSync(dirname(socket), 0o777);
    expect(tracked(socketPathFor(paths, { uid }))).not.toBe(socket);
  });

  test("is refused when its directory is open, foreign, a link or a file", () => {
    const directory = dirname(tracked(socketPathFor(long(), { uid })));
    const check = () => refusal(() => socketPathFor(long(), { uid }));
    chmodSync(directory, 0o755);
    expect([check().code, check().hints]).toEqual(["ECONFIG", [`chmod 700 ${directory}`]]);
    rmSync(directory, { recursive: true });
    mkdirSync(join(base, "trap"), { mode: 0o700 });
    symlinkSync(join(base, "trap"), directory);
    expect(check().message).toContain("not a directory");
    rmSync(directory);
    writeFileSync(directory, "");
    expect(check().message).toContain("not a directory");
  });
});

test("what the last kernel wrote of itself is read when it makes sense, else it is nothing", () => {
  const paths = homePaths(join(base, "home"));
  expect(readKernelInfo(paths)).toBeNull();
  prepareHome(paths, uid);
  for (const text of ["", "{", "null", "[]", '{"pid":"5"}', '{"pid":-1}', '{"pid":0}']) {
    writeFileSync(paths.kernelInfo, text);
    expect(`${text} ${readKernelInfo(paths)}`).toBe(`${text} null`);
  }
});
