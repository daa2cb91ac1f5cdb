import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { homeFrom, homePaths, pathError, prepareHome, readKernelInfo } from "../src/paths.ts";
import { refusal } from "./support/refusal.ts";

const uid = process.getuid?.() ?? 0;
let base = "";

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "gsv-paths-"));
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

test("the home is GSV_HOME or ~/.gsv; a relative GSV_HOME is refused with the absolute path", () => {
  expect(homeFrom("/data/gsv", "/home/sam")).toBe("/data/gsv");
  for (const unset of [undefined, ""]) expect(homeFrom(unset, "/tmp")).toBe("/tmp/.gsv");
  for (const relative of ["gsv", "./gsv", "../gsv", "~/gsv"]) {
    const error = refusal(() => homeFrom(relative, "/home/sam"));
    expect([error.code, error.message]).toEqual(["ECONFIG", `GSV_HOME is not an absolute path: ${relative}`]);
    expect(error.hints.join()).toContain(`export GSV_HOME=${resolve(relative)}`);
  }
});

test("a system directory is refused as a home, under any name, and nothing in it changes", () => {
  const link = join(base, "link");
  symlinkSync("/usr", link);
  for (const shared of ["/", "//", "/tmp", "/tmp/", "/usr/../etc", "/dev", "/home", "/var", link]) {
    const error = refusal(() => homeFrom(shared, "/home/sam"));
    expect([error.code, error.message]).toEqual(["ECONFIG", expect.stringContaining("it is a system directory")]);
    expect(error.hints).toEqual(["set GSV_HOME to a directory of your own"]);
  }
});

test("a home has one name, by any path to it", () => {
  const real = join(realpathSync(base), "home");
  symlinkSync(base, join(base, "link"));
  for (const path of [real, `${real}/`, `${base}/x/../home`, join(base, "link/home"), join(base, "link/link/home/")]) {
    expect(homeFrom(path, "/")).toBe(real);
  }
  mkdirSync(real);
  expect(homeFrom(join(base, "link/home"), "/")).toBe(real);
  expect(homeFrom(join(base, "link/not/yet"), "/")).toBe(join(realpathSync(base), "not/yet"));
});

test("a dangling link and an invalid path are refused in one short line", () => {
  symlinkSync(join(base, "nothing"), join(base, "link"));
  expect(refusal(() => homeFrom(join(base, "link"), "/")).message).toContain("it is a broken link");
  for (const long of [`/tmp/${"a/".repeat(3000)}`, `/${"é".repeat(2500)}`]) {
    const error = refusal(() => homeFrom(long, "/"));
    expect([error.code, error.message.length < 300]).toEqual(["ECONFIG", true]);
  }
});

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
    test(`is created for its owner alone under umask ${mask.toString(8)}, parents too`, () => {
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

  test("is tightened if fresh and empty, and reused if it is in use", () => {
    const paths = homePaths(join(base, "home"));
    mkdirSync(paths.home);
    chmodSync(paths.home, 0o777);
    prepareHome(paths, uid);
    expect(modeOf(paths.home)).toBe(0o700);
    writeFileSync(paths.kernelDb, "");
    prepareHome(paths, uid);
  });

  for (const mode of [0o755, 0o770, 0o707, 0o710, 0o701, 0o720, 0o702]) {
    test(`of mode ${mode.toString(8)} with content is refused with the command to fix it`, () => {
      const paths = homePaths(join(base, "it's mine"));
      mkdirSync(paths.home);
      writeFileSync(paths.kernelDb, "");
      chmodSync(paths.home, mode);
      const error = refusal(() => prepareHome(paths, uid));
      expect(error.code).toBe("ECONFIG");
      expect(error.message).toBe(`cannot use ${paths.home}: other users can read it (mode 0${mode.toString(8)})`);
      expect(error.hints).toEqual([`chmod 700 "${join(base, "it's mine")}"`]);
      expect(modeOf(paths.home)).toBe(mode);
      expect(existsSync(paths.runDir)).toBe(false);
      Bun.spawnSync(["sh", "-c", error.hints[0] ?? ""]);
      prepareHome(paths, uid);
    });
  }

  test("is left unchanged if it is shared and holds other files, or is a public directory", () => {
    const paths = homePaths(join(base, "theirs"));
    mkdirSync(paths.home);
    chmodSync(paths.home, 0o1777);
    const shared = refusal(() => prepareHome(paths, uid));
    expect([shared.code, shared.hints]).toEqual(["ECONFIG", ["set GSV_HOME to a directory of your own"]]);
    chmodSync(paths.home, 0o755);
    writeFileSync(join(paths.home, "notes"), "mine");
    const error = refusal(() => prepareHome(paths, uid));
    expect([error.code, error.hints]).toEqual(["ECONFIG", ["set GSV_HOME to a directory of your own"]]);
    expect([modeOf(paths.home), existsSync(paths.runDir)]).toEqual([0o755, false]);
  });

  test("is refused untouched if it belongs to another user or is no directory", () => {
    const paths = homePaths(join(base, "home"));
    prepareHome(paths, uid);
    expect(refusal(() => prepareHome(paths, uid + 1)).message).toContain(
      `belongs to uid ${uid}, not to you (uid ${uid + 1})`,
    );
    const file = homePaths(join(base, "file"));
    writeFileSync(file.home, "");
    const { message, hints } = refusal(() => prepareHome(file, uid));
    expect([message, hints]).toEqual([
      `cannot use ${file.home}: it is not a directory`,
      ["set GSV_HOME to a directory of your own"],
    ]);
    const under = homePaths(join(base, "file/home"));
    expect(refusal(() => prepareHome(under, uid)).code).toBe("ECONFIG");
  });

  test("with the wrong type of file somewhere is refused with that file and the fix", () => {
    const paths = homePaths(join(realpathSync(base), "home"));
    prepareHome(paths, uid);
    const { objectsDir, runDir, kernelDb, kernelLog, kernelInfo, lockFile } = paths;
    for (const place of [objectsDir, runDir, kernelDb, kernelLog, kernelInfo, lockFile]) {
      const isDirectory = place === objectsDir || place === runDir;
      const lost = [`restore the target, or remove the link: rm ${place}`];
      const aside = [`mv ${place} ${place}.old`];
      const name = basename(place);
      const kinds: readonly (readonly [() => void, string, readonly string[]])[] = [
        [() => symlinkSync("nowhere", place), "it is a broken link to nowhere", lost],
        [() => symlinkSync(name, place), `it is a broken link to ${name}`, lost],
        isDirectory
          ? [() => writeFileSync(place, ""), "it is not a directory", aside]
          : [() => mkdirSync(place), "it is a directory, not a file", aside],
      ];
      for (const [put, why, hints] of kinds) {
        rmSync(place, { recursive: true, force: true });
        put();
        const error = refusal(() => prepareHome(paths, uid));
        expect([error.code, error.message, error.hints]).toEqual(["ECONFIG", `cannot use ${place}: ${why}`, hints]);
      }
      rmSync(place, { recursive: true });
    }
    prepareHome(paths, uid);
    const elsewhere = join(base, "elsewhere");
    mkdirSync(elsewhere, { mode: 0o700 });
    rmSync(objectsDir, { recursive: true });
    symlinkSync(elsewhere, objectsDir);
    prepareHome(paths, uid);
  });

  test("reports host errors in deeper places by name; other errors stay unchanged", () => {
    const at = join(realpathSync(base), "repos");
    const thrown = (work: () => unknown): unknown => {
      try {
        work();
      } catch (error) {
        return error;
      }
      throw new Error("nothing was thrown");
    };
    writeFileSync(at, "");
    const wall = pathError(thrown(() => mkdirSync(join(at, "sam/home"), { recursive: true })));
    expect([wall?.message, wall?.hints]).toEqual([`cannot use ${at}: it is not a directory`, [`mv ${at} ${at}.old`]]);
    expect(pathError(thrown(() => mkdirSync(at, { recursive: true })))?.message).toBe(wall?.message ?? "");
    rmSync(at);
    mkdirSync(at);
    const directory = pathError(thrown(() => writeFileSync(at, "x")));
    expect(directory?.message).toBe(`cannot use ${at}: it is a directory, not a file`);
    symlinkSync("loop", join(at, "loop"));
    expect(pathError(thrown(() => statSync(join(at, "loop/x"))))?.message).toContain("it is a broken link to loop");
    symlinkSync(join(at, "gone"), join(at, "lost"));
    const lost = pathError(thrown(() => mkdirSync(join(at, "lost/x"), { recursive: true })));
    expect(lost?.hints).toEqual([`restore the target, or remove the link: rm ${join(at, "lost")}`]);
    for (const error of [thrown(() => statSync(join(at, "none"))), thrown(() => mkdirSync(at)), new Error("x"), null])
      expect(error === null ? null : pathError(error)).toBeNull();
  });

  test("that denies its owner access to a part names that part and the command to open it", () => {
    const at = join(realpathSync(base), "part");
    mkdirSync(join(at, "in"), { recursive: true });
    const denied = (path: string) => pathError(Object.assign(new Error("denied"), { code: "EACCES", path }));
    chmodSync(join(at, "in"), 0o500);
    const told = denied(join(at, "in", "new"));
    expect([told?.code, told?.message, told?.hints]).toEqual([
      "ECONFIG",
      `cannot use ${join(at, "in")}: permission denied (mode 0500)`,
      [`chmod u+rwX ${join(at, "in")}`],
    ]);
    if (uid === 0) return; // is readable by root, whatever its modes
    chmodSync(at, 0);
    expect(denied(join(at, "in", "new"))?.message).toBe(`cannot use ${at}: permission denied (mode 0000)`);
    chmodSync(at, 0o700);
  });

  test("tightens its inner directories if they were loosened", () => {
    const paths = homePaths(join(base, "home"));
    prepareHome(paths, uid);
    chmodSync(paths.runDir, 0o777);
    prepareHome(paths, uid);
    expect(modeOf(paths.runDir)).toBe(0o700);
  });
});

test("the last kernel's record is read if it is valid, and otherwise ignored", () => {
  const paths = homePaths(join(base, "home"));
  expect(readKernelInfo(paths)).toBeNull();
  prepareHome(paths, uid);
  for (const text of ["", "{", "null", "[]", '{"pid":"5"}', '{"pid":-1}', '{"pid":0}']) {
    writeFileSync(paths.kernelInfo, text);
    expect(`${text} ${readKernelInfo(paths)}`).toBe(`${text} null`);
  }
});
