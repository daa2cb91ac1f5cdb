// Doctor on the host around a home: programs, terminal, settings, disk and clock, in each of their states.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { socketPlace } from "../../src/client/socket.ts";
import { doctorOf, type Finding } from "../../src/doctor/examine.ts";
import type { Patient } from "../../src/doctor/patient.ts";
import { realClock } from "../../src/lib/clock.ts";
import { patientOf } from "../../src/machine/doctor.ts";
import { homePaths } from "../../src/paths.ts";
import { FakeClock } from "../support/clock.ts";
import { lines } from "../support/patient.ts";
import { seeded } from "../support/random.ts";
import { scratchDirectory } from "../support/scratch.ts";

const MIB = 1024 * 1024;
let root = "";
let bin = "";

beforeAll(() => {
  root = scratchDirectory("machine");
  bin = join(root, "bin");
  mkdirSync(bin);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A program in the only directory of PATH. */
function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}

type Env = { readonly [name: string]: string };

async function findings(check: string, env: Env = {}, over: Partial<Patient> = {}): Promise<readonly Finding[]> {
  const paths = homePaths(join(root, "home"));
  const machine = {
    uid: process.getuid?.() ?? 0,
    env: { PATH: bin, ...env },
    clock: realClock,
    random: seeded(1).bytes,
  };
  const patient = await patientOf({
    ...machine,
    home: { paths, socket: () => socketPlace(paths, { uid: machine.uid }) },
  });
  return doctorOf({ ...patient, ...over }).examine({ checks: [check], fix: false });
}

const look = async (check: string, env: Env = {}, over: Partial<Patient> = {}) =>
  lines(await findings(check, env, over));

/** As if it were where the kernel looks for a sandbox. */
const inBin = { find: (name: string) => Bun.which(name, { PATH: bin }) };

describe("git and the sandbox", () => {
  test("are looked up as the kernel does: a program in the current directory is neither found nor run", async () => {
    for (const name of ["git", "bwrap"]) program(name, `touch ${root}/was-run`);
    const here = relative(process.cwd(), bin);
    const found = [await look("git", { PATH: here }), await look("sandbox", { PATH: `${here}:${bin}` })];
    expect(found.flat().join()).not.toContain(bin);
    expect(existsSync(join(root, "was-run"))).toBe(false);
    for (const name of ["git", "bwrap"]) rmSync(join(bin, name));
  });

  test("that are missing are notices with the command that installs them", async () => {
    expect(await findings("git")).toMatchObject([{ level: "notice", fix: expect.stringContaining("install git") }]);
    expect(await findings("sandbox", {}, inBin)).toMatchObject([
      { level: "notice", fix: expect.stringContaining("bubblewrap") },
    ]);
  });

  test("that exist are ok, and notices with their own error when they do not run", async () => {
    program("git", "echo git version 9.9");
    program("bwrap", "exit 0");
    expect(await look("git")).toEqual([`ok git: git version 9.9 (${bin}/git)`]);
    expect(await look("sandbox", {}, inBin)).toEqual([
      `ok sandbox: ${bin}/bwrap works: agent commands write only their directory`,
    ]);
    program("bwrap", "echo 'No permissions to create new namespace' >&2; exit 1");
    program("git", "exit 3");
    expect(await look("sandbox", {}, inBin)).toEqual([
      `notice sandbox: ${bin}/bwrap does not work here: No permissions to create new namespace`,
    ]);
    expect(await look("git")).toEqual([`notice git: ${bin}/git does not run: exit status 3`]);
    writeFileSync(join(bin, "git"), "\x7fELF rubbish");
    expect((await look("git"))[0]).toStartWith(`notice git: ${bin}/git does not run: `);
  });
});

describe("the terminal", () => {
  const screen = { terminal: { isTTY: true, columns: 120, rows: 40 } };

  test("is ok if there is none, or a good one", async () => {
    const none = { terminal: { isTTY: false, columns: 0, rows: 0 } };
    expect((await look("terminal", {}, none))[0]).toStartWith("ok terminal: none");
    const env = { TERM: "xterm-256color", LANG: "de_DE.utf8" };
    expect(await look("terminal", env, screen)).toEqual(["ok terminal: xterm-256color, 120 by 40, 256 colours"]);
    const true24 = await look("terminal", { ...env, COLORTERM: "truecolor" }, screen);
    expect(true24[0]).toContain("24-bit colours");
    expect((await look("terminal", { ...env, NO_COLOR: "1" }, screen))[0]).toContain("NO_COLOR is set");
  });

  test("without a name, too small, or without UTF-8 is reported with the fix", async () => {
    const small = { terminal: { isTTY: true, columns: 40, rows: 10 } };
    const found = await findings("terminal", { TERM: "dumb", LANG: "en_US.UTF-8", LC_ALL: "C" }, small);
    expect(found.map(({ level, what, fix }) => [level, what, fix])).toEqual([
      ["notice", "TERM is dumb", "export TERM=xterm-256color"],
      ["notice", "40 columns and 10 rows are too few: tables are cut", "resize it to at least 60 by 15"],
      ["notice", "the locale C is not UTF-8", "export LANG=C.UTF-8"],
    ]);
    expect((await look("terminal", { LANG: "C.UTF-8" }, screen))[0]).toBe("notice terminal: TERM is not set");
  });
});

describe("the editor", () => {
  test("is VISUAL, else EDITOR, with arguments, found by PATH or path", async () => {
    program("vi", "");
    expect((await findings("editor"))[0]).toMatchObject({ level: "notice", fix: "export EDITOR=vi" });
    expect(await look("editor", { EDITOR: "vi -n" })).toEqual([`ok editor: vi -n (EDITOR, ${bin}/vi)`]);
    expect(await look("editor", { VISUAL: `${bin}/vi`, EDITOR: "gone" })).toEqual([
      `ok editor: ${bin}/vi (VISUAL, ${bin}/vi)`,
    ]);
    const gone = await findings("editor", { VISUAL: "gone --wait", EDITOR: "vi" });
    expect(gone).toMatchObject([
      { level: "problem", what: "VISUAL is gone --wait, but there is no program gone", fix: "export VISUAL=vi" },
    ]);
    rmSync(join(bin, "vi"));
    expect((await findings("editor"))[0]?.fix).toBe("install an editor and export EDITOR");
  });
});

describe("the provider", () => {
  test("is the manual by default, or a readable script", async () => {
    expect((await look("provider"))[0]).toContain("(no model in the environment)");
    const script = join(root, "script");
    writeFileSync(script, "");
    expect(await look("provider", { GSV_MODEL: `script:${script}` })).toEqual([
      `ok provider: script:${script}; test it with gsv doctor --provider`,
    ]);
  });

  test("is a problem if it does not exist, with the available ones", async () => {
    const found = await findings("provider", { GSV_MODEL: "nobody:x" });
    expect(found[0]).toMatchObject({ level: "problem", fix: expect.stringContaining("a model can be: offline") });
    expect((await look("provider", { GSV_MODEL: "script:/not/there" }))[0]).toContain("cannot read the script");
  });
});

describe("the disk", () => {
  const disk = (freeBytes: number, more = {}) => ({
    disk: () => ({ freeBytes, freeFiles: 1e6, isRemote: false, ...more }),
  });

  test("is that of the future home, and has levels of too little space", async () => {
    expect((await look("disk"))[0]).toMatch(/^(?:ok|notice) disk: [\d.]+ (?:G|M)iB free$/);
    expect(await look("disk", {}, disk(2048 * MIB))).toEqual(["ok disk: 2.0 GiB free"]);
    expect(await look("disk", {}, disk(500 * MIB))).toEqual(["notice disk: 500 MiB free"]);
    expect((await look("disk", {}, disk(63 * MIB)))[0]).toStartWith("problem disk: only 63 MiB free");
    expect((await look("disk", {}, disk(9e12, { freeFiles: 3 })))[0]).toStartWith("problem disk: only 3 more files");
    expect((await look("disk", {}, disk(9e12, { isRemote: true })))[0]).toContain("where locks may fail");
  });

  test("with unknown free space is a notice", async () => {
    const broken = {
      disk: () => {
        throw new Error("no such call");
      },
    };
    expect(await look("disk", {}, broken)).toEqual(["notice disk: the free space is unknown: no such call"]);
  });
});

describe("the clock", () => {
  test("that is before the newest file is a problem until it is corrected", async () => {
    const file = join(root, "home", "run", "kernel.lock");
    mkdirSync(join(root, "home", "run"), { recursive: true });
    writeFileSync(file, "");
    const clock = new FakeClock(Date.UTC(2026, 5, 1));
    utimesSync(file, 0, Date.UTC(2026, 5, 1, 1) / 1000);
    expect(await look("clock", {}, { clock })).toEqual([
      "problem clock: the clock was set back: run/kernel.lock was written 60 minutes in the future",
    ]);
    clock.setWall(Date.UTC(2026, 5, 1, 2));
    expect(await look("clock", { TZ: ":Europe/Amsterdam" }, { clock })).toEqual([
      "ok clock: 2026-06-01T02:00:00.000Z, TZ :Europe/Amsterdam",
    ]);
    clock.setWall(1000);
    expect((await look("clock", {}, { clock }))[0]).toBe("problem clock: the clock is wrong: 1970-01-01T00:00:01.000Z");
  });

  test("in an unknown time zone is a problem", async () => {
    expect(await look("clock", { TZ: "Mars/Olympus" })).toEqual([
      "problem clock: TZ is Mars/Olympus, which is not a time zone",
    ]);
  });
});

test("an error of a check is a finding, and the other checks run", async () => {
  const provider = () => {
    throw new TypeError("a fault\nof two lines");
  };
  const find = () => {
    throw new TypeError("no PATH");
  };
  expect(await look("provider", {}, { provider })).toEqual(["problem provider: a fault of two lines"]);
  expect(await look("git", {}, { find })).toEqual(["problem git: the check failed: no PATH"]);
});

test("an unknown check is refused with the list of checks", async () => {
  const refused = await findings("gti").catch((error) => error);
  expect([refused.code, refused.message]).toEqual(["EUSAGE", "unknown check: gti"]);
  expect(refused.hints[0]).toContain("git terminal editor");
});
